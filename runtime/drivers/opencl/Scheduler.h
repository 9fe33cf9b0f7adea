//===- Scheduler.h - the streams of a device, and who waits for them --------===//
// One mutex guards streams, timelines and the arguments of kernels. It is free while a thread waits
// for the device, and while callbacks run. The driver has no threads of its own. Work reaches the
// device when it is recorded, or when the point that it waits for is signaled. The calls that
// record, flush, wait or ask notice its end.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Timeline.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pumice::opencl {

class Stream;

/// The time at which to give up.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  static Deadline after(hal::Timeout timeout);
  bool isNever() const { return at == Clock::time_point::max(); }
  bool passed() const { return !isNever() && Clock::now() >= at; }

  Clock::time_point at = Clock::time_point::max();
};

class Scheduler {
public:
  using Lock = std::unique_lock<std::mutex>;

  std::mutex mutex;

  // Callers of the following functions hold the mutex.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream);
  /// Lets `pumpReady` look at the stream, because it has new work, or may continue.
  void makeReady(Stream *stream) { ready.push_back(stream); }
  /// Gives the device all work that it may have. Calls of each other's streams cannot nest.
  void pumpReady();
  /// Notices all work that is done.
  void retireAll(Lock &lock);
  /// Wakes waiting threads, which check their conditions again.
  void noteChange();
  /// Waits until one of the `wanted` streams, or one for which they wait, has made some progress,
  /// or for a moment. Errors: DeadlineExceeded.
  Status advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline);
  /// Returns whether neither work on the device nor recorded work can unblock `stream`.
  static bool isStuck(Stream *stream);
  /// Forgets the waiting threads, which do not exist in a child of a fork.
  void afterForkInChild();

private:
  Status waitForChange(Lock &lock, const Deadline &deadline, std::chrono::microseconds atMost);

  std::vector<Stream *> streams, ready;
  bool pumping = false;
  std::unique_ptr<std::condition_variable> changed = std::make_unique<std::condition_variable>();
  uint64_t changes = 0;
};

} // namespace pumice::opencl
