//===- Scheduler.h - decides who runs recorded work, and when -------------===//
// Work runs on the thread that waits for it, since handing it over would cost more than most work
// takes. If no thread waits, the stream's own thread runs it. One mutex guards streams and
// timelines. No work runs under it.
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

  /// The submitting thread runs recorded work at once if it is estimated to take less than this.
  static constexpr double quickNanoseconds = 20e3;
  /// Work beyond this time, or this number of commands, starts without a request.
  static constexpr double manyNanoseconds = 100e3;
  static constexpr size_t manyCommands = 512;

  explicit Scheduler(std::chrono::microseconds spin);
  ~Scheduler() override { stopWatching(); }

  std::mutex mutex;

  // Callers of these hold the mutex.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream) { std::erase(streams, stream); }
  /// Wakes waiters, which check again, after something was recorded, reached or finished.
  void noteChange();
  /// Makes progress for one of `wanted`. Runs, or waits for, its own work or that of streams that
  /// it waits for. Returns after some progress. Errors: DeadlineExceeded.
  Status advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline);
  /// Returns whether no work that runs, or could run, can unblock `stream`.
  static bool isStuck(Stream *stream);
  /// Waits until something changes. Spins before it sleeps.
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
