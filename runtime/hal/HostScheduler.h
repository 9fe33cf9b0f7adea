//===- HostScheduler.h - the streams of a device, and who waits for them ----===//
// One mutex guards the streams and timelines of a device whose timelines the host keeps. Threads
// that wait for a point make progress themselves, or sleep until something changes.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Deadline.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pumice::hal {

class HostStream;

class HostScheduler {
public:
  using Lock = std::unique_lock<std::mutex>;

  virtual ~HostScheduler() = default;

  std::mutex mutex;

  // Callers of the following functions hold the mutex.
  /// Wakes waiting threads, which check their conditions again. Called after something was
  /// recorded, reached or finished.
  void noteChange() {
    // Only holders of the mutex write it, so this need not be atomic as a whole.
    changes.store(changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (sleeping)
      changed->notify_all();
  }
  /// Makes or awaits some progress towards the end of one of the `wanted` streams, and returns.
  /// Errors: DeadlineExceeded.
  virtual Status advance(Lock &lock, std::span<HostStream *const> wanted,
                         const Deadline &deadline) = 0;
  /// Notices work that is done. Called before a timeline's value is read.
  virtual void noticeEnds(Lock &) {}
  /// Lets streams continue that a host signal has unblocked.
  virtual void continueStreams() {}

protected:
  /// Sleeps until something changes. It may return earlier.
  void sleepUntilChange(Lock &lock, const Deadline &until);
  /// Forgets the waiting threads, which do not exist in a child of a fork.
  void forgetSleepers();

  std::atomic<uint32_t> changes = 0; // counts calls of `noteChange`

private:
  std::unique_ptr<std::condition_variable> changed = std::make_unique<std::condition_variable>();
  unsigned sleeping = 0;
};

} // namespace pumice::hal
