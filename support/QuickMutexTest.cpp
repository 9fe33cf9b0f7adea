//===- QuickMutexTest.cpp - mutual exclusion, and little work while waiting -===//
#include "support/QuickMutex.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pumice {
namespace {

using namespace std::chrono_literals;

TEST(QuickMutex, OneThreadAtATime) {
  QuickMutex mutex;
  int inside = 0, worst = 0;
  long count = 0;
  std::vector<std::thread> threads; // libc++ 19 has std::jthread only as an experiment
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        std::lock_guard lock(mutex);
        worst = std::max(worst, ++inside);
        ++count;
        --inside;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(worst, 1);
  EXPECT_EQ(count, 6 * 20000);
}

TEST(QuickMutex, TryLockFailsWhileLocked) {
  QuickMutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(QuickMutex, LongWaitsUseNoProcessorTime) {
  QuickMutex mutex;
  mutex.lock();
  double seconds = 1;
  std::thread waiter([&] {
    timespec before{}, after{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    std::lock_guard lock(mutex);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    seconds = double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec) * 1e-9;
  });
  std::this_thread::sleep_for(300ms);
  mutex.unlock();
  waiter.join();
  EXPECT_LT(seconds, 0.15); // at most half of the 0.3 s that it waits
}

} // namespace
} // namespace pumice
