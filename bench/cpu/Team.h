//===- Team.h - threads for hand-written code -------------------------------===//
// Runs as many threads as the process may run on. Between `wake` and `rest` they spin for work, so
// that handing it to them costs well below a microsecond. Otherwise they sleep.
//===-------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace pumice::bench {

class Team {
public:
  Team();
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  void wake();
  void rest();
  unsigned threads() const { return unsigned(members.size()) + 1; }

  /// Calls `work(begin, end)` for pieces of [0, count) of at most `grain`, on the threads that
  /// arrive in time. It does not wait for a thread that the system runs late. Call it only while
  /// awake.
  template <typename Work> void each(size_t count, size_t grain, const Work &work) {
    next.store(0, std::memory_order_relaxed);
    auto pieces = [&] {
      for (size_t i; (i = next.fetch_add(grain, std::memory_order_relaxed)) < count;)
        work(i, i + grain < count ? i + grain : count);
    };
    dispatch(&call<decltype(pieces)>, &pieces, false);
  }
  /// Calls `work()` on every thread, to measure the cost of handing work over and collecting it.
  template <typename Work> void everywhere(const Work &work) { dispatch(&call<Work>, &work, true); }

private:
  using Job = void (*)(const void *context);
  template <typename Work> static void call(const void *work) {
    (*static_cast<const Work *>(work))();
  }
  void dispatch(Job job, const void *context, bool everyone);
  void serve();

  std::vector<std::thread> members;
  Job job = nullptr;
  const void *context = nullptr;
  // Packs the number of the round of work, whether threads may join it, how many have joined, and
  // how many still work.
  alignas(64) std::atomic<uint64_t> state = 0;
  alignas(64) std::atomic<size_t> next = 0;
  alignas(64) std::atomic<bool> awake = false;
  std::atomic<bool> ending = false;
  std::mutex mutex;
  std::condition_variable woken;
};

} // namespace pumice::bench
