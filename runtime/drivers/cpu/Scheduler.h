//===- Scheduler.h - decides who runs recorded work, and when ---------------===//
// Work runs on the thread that waits for it, because handing it over would take longer than most
// work. If no thread waits, the stream's own thread runs it. One mutex guards streams and
// timelines. It is free while work runs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/HostScheduler.h"
#include "support/ForkSafety.h"

namespace pumice::cpu_driver {

class Stream;

class Scheduler final : public hal::HostScheduler, ForkAware {
public:
  /// If recorded work is estimated to take less than this, the submitting thread runs it at once.
  static constexpr double quickNanoseconds = 20e3;
  /// Recorded work that exceeds this time, or this number of commands, starts without being
  /// requested.
  static constexpr double manyNanoseconds = 100e3;
  static constexpr size_t manyCommands = 512;

  explicit Scheduler(std::chrono::microseconds spin);
  ~Scheduler() override { stopWatching(); }

  // Callers of the following functions hold the mutex.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream) { std::erase(streams, stream); }
  /// Runs, or waits for, work of the `wanted` streams or of streams for which they wait.
  Status advance(Lock &lock, std::span<hal::HostStream *const> wanted,
                 const hal::Deadline &deadline) override;
  /// Returns whether neither running work nor work that could run can unblock `stream`.
  static bool isStuck(Stream *stream);
  /// Waits until something changes. Spins for a while before it sleeps.
  Status waitForChange(Lock &lock, const hal::Deadline &deadline);

private:
  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override;

  const std::chrono::microseconds spin;
  std::vector<Stream *> streams;
};

} // namespace pumice::cpu_driver
