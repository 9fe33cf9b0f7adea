//===- Scheduler.h - the streams of a device, and who waits for them --------===//
// One mutex guards streams, timelines and the arguments of kernels. It is free while a thread waits
// for the device, and while callbacks run. The driver has no threads of its own. Work reaches the
// device when it is recorded, or when the point that it waits for is signaled. The calls that
// record, flush, wait or ask notice its end.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/HostScheduler.h"

namespace pumice::opencl_driver {

class Stream;

class Scheduler final : public hal::HostScheduler {
public:
  // Callers of the following functions hold the mutex.
  void add(Stream *stream) { streams.push_back(stream); }
  void remove(Stream *stream);
  /// Lets `pumpReady` look at the stream, because it has new work, or may continue.
  void makeReady(Stream *stream) { ready.push_back(stream); }
  /// Gives the device all work that it may have. Calls of each other's streams cannot nest.
  void pumpReady() {
    if (!ready.empty())
      pumpAll();
  }
  /// Notices all work that is done.
  void retireAll(Lock &lock);
  /// Waits until one of the `wanted` streams, or one for which they wait, has made some progress,
  /// or for a moment.
  Status advance(Lock &lock, std::span<hal::HostStream *const> wanted,
                 const hal::Deadline &deadline) override;
  void noticeEnds(Lock &lock) override { retireAll(lock); }
  void continueStreams() override { pumpReady(); }
  /// Returns whether neither work on the device nor recorded work can unblock `stream`.
  static bool isStuck(Stream *stream);
  /// Forgets the waiting threads, which do not exist in a child of a fork.
  void afterForkInChild() { forgetSleepers(); }

private:
  void pumpAll();

  std::vector<Stream *> streams, ready;
  bool pumping = false;
};

} // namespace pumice::opencl_driver
