//===- Scheduler.h - who runs recorded work, and when ------------------------===//
// Work runs on the thread that waits for it, wherever somebody waits: handing it to another thread
// would cost more than most of it takes. Where nobody does, a stream's own thread runs it. One
// mutex guards streams and timelines; no work runs under it.
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

/// When to give up.
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

  // The mutex is held for these.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream) { std::erase(streams, stream); }
  /// Something was recorded, reached or finished: waiters look again.
  void noteChange();
  /// Runs, or waits for, whatever brings one of `wanted` on: its own work, or that of streams that
  /// it waits for. Returns after some progress. Errors: DeadlineExceeded.
  Status advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline);
  /// Nothing runs, or could be run, that brings `stream` on.
  static bool isStuck(Stream *stream);
  /// Sleeps until something changes; looks around first.
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
