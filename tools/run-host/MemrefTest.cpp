//===- MemrefTest.cpp - views as compiled host code describes them ----------===//
#include "tools/run-host/Memref.h"

#include <gtest/gtest.h>

#include <vector>

using namespace pumice::run;

namespace {

/// Makes a descriptor in host code's form: {allocated, aligned, offset, sizes, strides}.
Memref view(std::vector<int64_t> &words, int64_t offset, std::vector<int64_t> sizes,
            const std::vector<int64_t> &strides, uint64_t elementBytes) {
  words = {0x1000, 0x2000, offset};
  words.insert(words.end(), sizes.begin(), sizes.end());
  words.insert(words.end(), strides.begin(), strides.end());
  return Memref::ranked(words.data(), static_cast<int64_t>(sizes.size()), elementBytes);
}

struct Piece {
  int64_t atA, atB;
  uint64_t elements;
  bool operator==(const Piece &) const = default;
};
std::vector<Piece> runs(const Memref &a, const Memref &b) {
  std::vector<Piece> result;
  forEachRun(a, b, [&](int64_t atA, int64_t atB, uint64_t elements) {
    result.push_back({atA, atB, elements});
  });
  return result;
}

TEST(Memref, ReadsDescriptors) {
  std::vector<int64_t> words;
  Memref memref = view(words, 5, {2, 3}, {10, 2}, 4);
  EXPECT_EQ(memref.aligned, reinterpret_cast<std::byte *>(0x2000));
  EXPECT_EQ(memref.offset, 5);
  EXPECT_EQ(memref.sizes[1], 3);
  EXPECT_EQ(memref.strides[0], 10);
  EXPECT_EQ(memref.elements(), 6u);
  struct {
    int64_t rank;
    const void *descriptor;
  } any{2, words.data()};
  EXPECT_EQ(Memref::unranked(&any, 4).strides[1], 2);
}

TEST(Memref, RejectsSizesBeyondMemory) {
  std::vector<int64_t> words;
  int64_t huge = int64_t{1} << 62;
  EXPECT_TRUE(view(words, 5, {2, 3}, {10, 2}, 4).fits());
  EXPECT_TRUE(view(words, 0, {huge}, {1}, 1).fits());
  EXPECT_FALSE(view(words, 0, {huge}, {1}, 4).fits());
  EXPECT_FALSE(view(words, 0, {huge, 8}, {8, 1}, 1).fits());
  EXPECT_FALSE(view(words, huge, {huge}, {1}, 1).fits());
  EXPECT_FALSE(view(words, 0, {3, 3}, {-huge, huge}, 1).fits());
  EXPECT_TRUE(view(words, huge, {huge, 0}, {huge, huge}, 8).fits()); // empty
  EXPECT_TRUE(canHave(std::vector<int64_t>{}, 4));
  EXPECT_TRUE(canHave(std::vector{huge, int64_t{0}}, 4));
  EXPECT_TRUE(canHave(std::vector{huge - 1}, 2));
  EXPECT_FALSE(canHave(std::vector{huge}, 2));
  EXPECT_FALSE(canHave(std::vector<int64_t>{2, -1}, 4));
  EXPECT_EQ(textOfSizes(std::vector<int64_t>{2, -3}), "2 x -3");
}

TEST(Memref, ReachesItsFirstAndLastElement) {
  std::vector<int64_t> words;
  Memref::Reach reach = view(words, 5, {2, 3}, {10, 2}, 4).reach();
  EXPECT_EQ(reach.first, 20);
  EXPECT_EQ(reach.end, (5 + 10 + 4 + 1) * 4);
  reach = view(words, 9, {4}, {-3}, 8).reach(); // backwards
  EXPECT_EQ(reach.first, 0);
  EXPECT_EQ(reach.end, 80);
  reach = view(words, 0, {}, {}, 2).reach();
  EXPECT_EQ(reach.end, 2);
  EXPECT_TRUE(view(words, 7, {3, 0}, {1, 1}, 4).isEmpty());
  EXPECT_EQ(view(words, 7, {3, 0}, {1, 1}, 4).reach().end, 0);
}

TEST(Memref, ContiguousDimensionsMakeOneRun) {
  std::vector<int64_t> left, right;
  Memref whole = view(left, 0, {2, 3, 4}, {12, 4, 1}, 4);
  EXPECT_EQ(runs(whole, whole), (std::vector<Piece>{{0, 0, 24}}));
  // Rows of four elements are contiguous in one view, and eight elements apart in the other.
  Memref padded = view(right, 2, {2, 3, 4}, {24, 8, 1}, 4);
  EXPECT_EQ(runs(whole, padded),
            (std::vector<Piece>{
                {0, 2, 4}, {4, 10, 4}, {8, 18, 4}, {12, 26, 4}, {16, 34, 4}, {20, 42, 4}}));
  Memref scalar = view(left, 3, {}, {}, 4);
  EXPECT_EQ(runs(scalar, scalar), (std::vector<Piece>{{3, 3, 1}}));
  Memref empty = view(left, 3, {0}, {1}, 4);
  EXPECT_TRUE(runs(empty, empty).empty());
}

TEST(Memref, TransposedViewsGoElementByElement) {
  std::vector<int64_t> left, right;
  Memref rows = view(left, 0, {2, 2}, {2, 1}, 4), columns = view(right, 0, {2, 2}, {1, 2}, 4);
  EXPECT_EQ(runs(rows, columns), (std::vector<Piece>{{0, 0, 1}, {1, 2, 1}, {2, 1, 1}, {3, 3, 1}}));
}

} // namespace
