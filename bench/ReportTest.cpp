//===- ReportTest.cpp - how benchmarks take and report times ----------------===//
#include "bench/Report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace pumice;
using namespace pumice::bench;

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST(BenchReport, RunsInTurnAfterOneUncountedRound) {
  std::string order;
  std::vector<double> times = medians({[&] { order += 'a'; }, [&] { order += 'b'; }}, /*rounds=*/2);
  EXPECT_EQ(order, "ababab");
  EXPECT_EQ(times.size(), 2u);
}

TEST(BenchReport, WarmsEachSideUpBeforeItsTurn) {
  std::string order;
  medians({[&] { order += 'a'; }, [&] { order += 'b'; }}, 2, {.beforeEach = true});
  EXPECT_EQ(order, "ab"
                   "aabb"
                   "aabb");
}

// The device is slow until it has worked for a while. The result must not include that time.
TEST(BenchReport, CountsNothingOfTheWarmUp) {
  const auto start = std::chrono::steady_clock::now();
  int slow = 0;
  auto run = [&] {
    if (millisecondsSince(start) > 40)
      return;
    ++slow;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  std::vector<double> times = medians({run}, 3, {.milliseconds = 60});
  EXPECT_GE(millisecondsSince(start), 60);
  EXPECT_GE(slow, 1);
  EXPECT_LT(times[0], 10);
}

TEST(BenchReport, MediansAreOfTheCountedRounds) {
  int call = 0;
  auto run = [&] { // takes 40 ms in the round that does not count, then 1, 30 and 1 ms
    constexpr int waits[] = {40, 1, 30, 1};
    std::this_thread::sleep_for(std::chrono::milliseconds(waits[call++]));
  };
  std::vector<double> times = medians({run}, 3);
  EXPECT_EQ(call, 4);
  EXPECT_GE(times[0], 1);
  EXPECT_LT(times[0], 30);
}
