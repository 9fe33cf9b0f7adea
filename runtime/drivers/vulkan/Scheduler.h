//===- Scheduler.h - decides which batch is submitted next ------------------===//
// The host keeps the timelines: a point is reached when the batch that signals it is done. A batch
// is submitted once each point for which it waits is reached, or is signalled by a batch that has
// been submitted. So a wait never blocks a VkQueue that other queues share, and semaphores are
// needed only inside the device. One mutex guards streams and timelines.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Ref.h"

#include <condition_variable>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

class Stream;

class Scheduler {
public:
  /// A batch with this many commands is submitted even if the device is busy.
  static constexpr uint32_t maxBatchCommands = 256;

  std::mutex mutex;
  /// Guards `streams`, the list of all live streams of the device. While it is held, no other mutex
  /// is taken.
  std::mutex streamsMutex;
  std::vector<Stream *> streams;
  /// Notified after a batch was submitted, a point was reached, or the device was lost. Waiting
  /// threads also check from time to time.
  std::condition_variable changed;

  /// Submits ready batches of `streams`. Also submits those of streams that wait for them, and of
  /// streams for which they wait. The caller holds `mutex`.
  void pump(std::vector<Ref<Stream>> streams);
};

} // namespace pumice::vulkan
