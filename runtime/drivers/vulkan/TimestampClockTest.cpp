//===- TimestampClockTest.cpp - timestamps that wrap around -----------------===//
#include "runtime/drivers/vulkan/TimestampClock.h"

#include <gtest/gtest.h>

using namespace pumice::vulkan;

TEST(TimestampClock, CountsOnAfterTheLastTimestamp) {
  TimestampClock clock(8, 10.0);
  uint64_t first = clock.nanoseconds(200);
  EXPECT_EQ(clock.nanoseconds(250) - first, 500u);
  EXPECT_EQ(clock.nanoseconds(10) - first, 660u) << "66 ticks, of which 6 to the end";
  EXPECT_EQ(clock.nanoseconds(254) - first, 540u) << "older than the last one";
  EXPECT_EQ(clock.nanoseconds(130) - first, 1860u);
  EXPECT_EQ(clock.nanoseconds(0x123400 + 200) - first, 2560u) << "upper bits are not valid";
}

TEST(TimestampClock, OlderThanTheFirst) {
  TimestampClock clock(36, 1.0);
  uint64_t first = clock.nanoseconds(5);
  EXPECT_EQ(first - clock.nanoseconds((uint64_t(1) << 36) - 5), 10u);
}

TEST(TimestampClock, AllBits) {
  TimestampClock clock(64, 0.5);
  EXPECT_EQ(clock.nanoseconds(uint64_t(1) << 63), uint64_t(1) << 62);
  EXPECT_EQ(clock.nanoseconds(8), 4u);
}
