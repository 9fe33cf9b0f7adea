//===- Scheduler.h - decides who runs recorded work, and when ---------------===//
// Work runs on the thread that waits for it, because handing it over would take longer than most
// work. If no thread waits, the stream's own thread runs it. One mutex guards streams and
// timelines. It is free while work runs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Timeline.h"
#include "support/ForkSafety.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pumice::cpu_driver {

class Stream;

/// The time at which to give up.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  static Deadline after(hal::Timeout timeout);
  bool isNever() const { return at == Clock::time_point::max(); }
  bool passed() const { return !isNever() && Clock::now() >= at; }

  Clock::time_point at = Clock::time_point::max();
};

class Scheduler final : ForkAware {
public:
  using Lock = std::unique_lock<std::mutex>;

  /// If recorded work is estimated to take less than this, the submitting thread runs it at once.
  static constexpr double quickNanoseconds = 20e3;
  /// Recorded work that exceeds this time, or this number of commands, starts without being
  /// requested.
  static constexpr double manyNanoseconds = 100e3;
  static constexpr size_t manyCommands = 512;

  explicit Scheduler(std::chrono::microseconds spin);
  ~Scheduler() override { stopWatching(); }

  std::mutex mutex;

  // Callers of the following functions hold the mutex.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream) { std::erase(streams, stream); }
  /// Wakes waiting threads, which check their conditions again. Called after something was
  /// recorded, reached or finished.
  void noteChange();
  /// Makes some progress towards the end of one of the `wanted` streams, and returns. It runs, or
  /// waits for, work of these streams or of streams for which they wait. Errors: DeadlineExceeded.
  Status advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline);
  /// Returns whether neither running work nor work that could run can unblock `stream`.
  static bool isStuck(Stream *stream);
  /// Waits until something changes. Spins for a while before it sleeps.
  Status waitForChange(Lock &lock, const Deadline &deadline);

private:
  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override;

  const std::chrono::microseconds spin;
  std::vector<Stream *> streams;
  std::atomic<uint32_t> changes = 0;
  std::unique_ptr<std::condition_variable> changed;
  unsigned sleeping = 0;
};

} // namespace pumice::cpu_driver
