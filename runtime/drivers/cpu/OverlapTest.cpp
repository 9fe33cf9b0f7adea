//===- OverlapTest.cpp - which launches may run at the same time ------------===//
#include "runtime/drivers/cpu/Overlap.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::cpu_driver;
using executable::Access;

namespace {

struct Overlaps : ::testing::Test {
  Ref<CpuDevice> device = CpuDevice::create(describe(hostCpu(), uint64_t{1} << 36), {.threads = 1});
  char memory[256] = {};
  std::vector<Ref<hal::Buffer>> buffers;
  Overlap overlap;

  hal::Buffer *part(size_t begin, size_t bytes) {
    buffers.push_back(device->importHost(memory + begin, bytes).value());
    return buffers.back().get();
  }
  bool joins(std::initializer_list<hal::BufferUse> uses) {
    return overlap.joins(std::vector(uses));
  }
};

} // namespace

TEST_F(Overlaps, ReadersOfOneBuffer) {
  hal::Buffer *x = part(0, 64), *a = part(64, 64), *b = part(128, 64);
  EXPECT_FALSE(joins({{x, Access::Read}, {a, Access::Write}})); // the first launch
  EXPECT_TRUE(joins({{x, Access::Read}, {b, Access::Write}}));
  EXPECT_FALSE(joins({{a, Access::Read}})); // the first launch wrote `a`
  EXPECT_FALSE(joins({{a, Access::ReadWrite}}));
  EXPECT_TRUE(joins({{x, Access::Write}}));
  EXPECT_FALSE(joins({{x, Access::Read}}));
}

TEST_F(Overlaps, MemoryNotBuffers) {
  hal::Buffer *whole = part(0, 256), *low = part(0, 128), *high = part(128, 128),
              *same = part(0, 128);
  EXPECT_FALSE(joins({{low, Access::Write}}));
  EXPECT_TRUE(joins({{high, Access::Write}}));
  EXPECT_FALSE(joins({{same, Access::Read}}));
  EXPECT_FALSE(joins({{whole, Access::Write}}));
  EXPECT_TRUE(joins({{whole, Access::None}}));
}

TEST_F(Overlaps, GroupsEnd) {
  hal::Buffer *x = part(0, 64), *y = part(64, 64);
  EXPECT_FALSE(joins({{x, Access::Write}}));
  overlap.close();
  EXPECT_FALSE(joins({{y, Access::Write}}));
  EXPECT_TRUE(joins({{x, Access::Write}}));
  EXPECT_TRUE(joins({})); // a launch without buffers conflicts with nothing
}

TEST_F(Overlaps, ManyBuffersAreAGroupOfTheirOwn) {
  std::vector<hal::BufferUse> many;
  for (size_t i = 0; i < 100; ++i)
    many.push_back({part(i, 1), Access::Read});
  hal::Buffer *other = part(200, 8);
  EXPECT_FALSE(joins({{other, Access::Write}}));
  EXPECT_FALSE(overlap.joins(many));
  EXPECT_FALSE(joins({{other, Access::Write}})); // 100 ranges are too many to record
  size_t together = 0;
  for (size_t i = 0; i < 100; ++i)
    together += joins({{part(i, 1), Access::Write}});
  EXPECT_GT(together, 90u);
  EXPECT_LT(together, 100u);
}
