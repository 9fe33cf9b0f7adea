//===- WorkerPoolTest.cpp - every piece once, whoever does it ---------------===//
#include "runtime/drivers/cpu/WorkerPool.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

using namespace pumice::cpu_driver;

namespace {

struct Counting final : WorkerPool::Job {
  explicit Counting(uint64_t count) : visits(count) {}
  void run(uint64_t begin, uint64_t end) override {
    for (uint64_t i = begin; i < end; ++i)
      visits[i].fetch_add(1, std::memory_order_relaxed);
  }
  bool eachOnce() const {
    for (const auto &visit : visits)
      if (visit.load() != 1)
        return false;
    return true;
  }
  std::vector<std::atomic<uint32_t>> visits;
};

constexpr std::chrono::microseconds spin{20};

} // namespace

TEST(WorkerPool, EachPieceOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    WorkerPool pool(threads, false, spin);
    EXPECT_EQ(pool.threads(), threads);
    for (uint64_t count : {0, 1, 2, 7, 100, 1001})
      for (uint64_t chunk : {1, 3, 50, 5000}) {
        Counting job(count);
        pool.run(job, count, chunk);
        EXPECT_TRUE(job.eachOnce()) << threads << " threads, " << count << " by " << chunk;
      }
  }
}

TEST(WorkerPool, ATeamOfTheProcessDoesTheWork) {
  static std::atomic<int> calls = 0;
  WorkerPool::useTeam([](void (*work)(void *), void *data, unsigned, unsigned) {
    ++calls;
    std::vector<std::thread> others;
    for (int i = 0; i < 5; ++i)
      others.emplace_back(work, data);
    work(data);
    for (std::thread &other : others)
      other.join();
  });
  WorkerPool pool(3, false, spin);
  for (uint64_t count : {0, 1, 2, 7, 1001}) {
    Counting job(count);
    pool.run(job, count, 1);
    EXPECT_TRUE(job.eachOnce()) << count;
  }
  EXPECT_EQ(calls, 3); // the calling thread does a single piece itself
  struct Counter final : WorkerPool::Job {
    void run(uint64_t, uint64_t) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    std::mutex mutex;
    std::set<std::thread::id> threads;
  } seen;
  pool.run(seen, 100, 1);
  WorkerPool::useTeam(nullptr);
  EXPECT_LE(seen.threads.size(), 3u); // no more than the pool has
}

TEST(WorkerPool, ManySmallJobs) {
  WorkerPool pool(4, false, spin);
  for (int i = 0; i < 3000; ++i) {
    Counting job(16);
    pool.run(job, 16, 1);
    ASSERT_TRUE(job.eachOnce()) << i;
  }
}

TEST(WorkerPool, WorkersThatSleep) {
  WorkerPool pool(4, false, std::chrono::microseconds(0));
  for (int i = 0; i < 300; ++i) {
    Counting job(64);
    pool.run(job, 64, 1);
    ASSERT_TRUE(job.eachOnce()) << i;
    if (i % 100 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(WorkerPool, SeveralJobsAtOnce) {
  WorkerPool pool(3, false, spin);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        Counting job(40);
        pool.run(job, 40, 1);
        EXPECT_TRUE(job.eachOnce());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(WorkerPool, TheCallingThreadHelps) {
  WorkerPool pool(2, false, spin);
  // Each of the two pieces waits for the other, so one thread alone would never finish.
  struct Meeting final : WorkerPool::Job {
    std::atomic<int> there = 0;
    void run(uint64_t, uint64_t) override {
      ++there;
      while (there.load() < 2)
        std::this_thread::yield();
    }
  } job;
  pool.run(job, 2, 1);
  EXPECT_EQ(job.there, 2);
}

TEST(WorkerPool, ThreadsCanBeSet) {
  WorkerPool pool(1, false, spin);
  for (unsigned threads : {4u, 2u, 1u, 3u, 0u}) {
    pool.setThreads(threads);
    EXPECT_EQ(pool.threads(), std::max(threads, 1u));
    struct Names final : WorkerPool::Job {
      std::mutex mutex;
      std::set<std::thread::id> seen;
      void run(uint64_t, uint64_t) override {
        {
          std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    } job;
    pool.run(job, 40, 1);
    EXPECT_LE(job.seen.size(), std::max(threads, 1u));
  }
}

TEST(WorkerPool, PinnedThreadsWorkToo) {
  WorkerPool pool(3, true, spin);
  Counting job(1000);
  pool.run(job, 1000, 1);
  EXPECT_TRUE(job.eachOnce());
}
