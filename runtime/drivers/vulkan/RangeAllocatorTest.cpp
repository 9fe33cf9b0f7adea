//===- RangeAllocatorTest.cpp - parts never overlap, and come back ----------===//
#include "runtime/drivers/vulkan/RangeAllocator.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using pumice::vulkan::RangeAllocator;

TEST(RangeAllocator, JoinsNeighboursAgain) {
  RangeAllocator range(1024);
  auto a = range.allocate(256, 1), b = range.allocate(256, 1), c = range.allocate(512, 1);
  ASSERT_TRUE(a && b && c);
  EXPECT_FALSE(range.allocate(1, 1));
  range.free(*a);
  range.free(*c);
  EXPECT_EQ(range.largestFree(), 512u);
  range.free(*b);
  EXPECT_TRUE(range.isEmpty());
  EXPECT_EQ(range.largestFree(), 1024u);
}

TEST(RangeAllocator, TakesTheSmallestPartThatFits) {
  RangeAllocator range(1000);
  auto a = range.allocate(100, 1), b = range.allocate(50, 1), c = range.allocate(200, 1),
       d = range.allocate(50, 1);
  ASSERT_TRUE(a && b && c && d);
  range.free(*a); // free: 100 at a, 600 at the end
  range.free(*c); // and 200 at c
  EXPECT_EQ(range.allocate(150, 1), c);
  EXPECT_EQ(range.allocate(90, 1), a);
}

TEST(RangeAllocator, SkipsPartsThatAlignmentMakesTooSmall) {
  RangeAllocator range(4096);
  auto a = range.allocate(100, 1), b = range.allocate(300, 1), c = range.allocate(100, 1);
  ASSERT_TRUE(a && b && c);
  range.free(*b); // [100, 400): 300 bytes, but from 256 on only 144
  auto aligned = range.allocate(200, 256);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(*aligned, 512u);
  EXPECT_EQ(range.allocate(140, 256), 256u);
}

TEST(RangeAllocator, RandomPartsStayApart) {
  std::mt19937 random(7);
  constexpr uint64_t size = 1 << 16;
  RangeAllocator range(size);
  struct Part {
    uint64_t offset, bytes;
  };
  std::vector<Part> parts;
  std::vector<uint8_t> taken(size);
  for (int step = 0; step < 20000; ++step) {
    if (!parts.empty() && random() % 2) {
      size_t which = random() % parts.size();
      std::fill_n(taken.begin() + parts[which].offset, parts[which].bytes, 0);
      range.free(parts[which].offset);
      parts[which] = parts.back();
      parts.pop_back();
      continue;
    }
    uint64_t bytes = 1 + random() % 2000, alignment = uint64_t(1) << random() % 10;
    auto offset = range.allocate(bytes, alignment);
    if (!offset)
      continue;
    ASSERT_EQ(*offset % alignment, 0u);
    ASSERT_LE(*offset + bytes, size);
    for (uint64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(taken[*offset + i]++, 0);
    parts.push_back({*offset, bytes});
  }
  for (const Part &part : parts)
    range.free(part.offset);
  EXPECT_EQ(range.usedBytes(), 0u);
  EXPECT_EQ(range.largestFree(), size);
}
