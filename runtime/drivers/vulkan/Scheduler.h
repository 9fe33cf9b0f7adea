//===- Scheduler.h - decides which batch is submitted next ----------------===//
// The host keeps timelines: a point is reached when the batch that signals it is done. A batch is
// submitted once every point that it waits for is reached, or an earlier submitted batch signals
// it. So no wait can block a VkQueue that others share, and semaphores are needed only inside the
// device. One mutex guards streams and timelines.
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
  /// Guards `streams`, which lists all live streams of the device. No other mutex is taken under
  /// it.
  std::mutex streamsMutex;
  std::vector<Stream *> streams;
  /// Notified after a batch is submitted, a point is reached, or the device is lost. Waiters also
  /// check from time to time.
  std::condition_variable changed;

  /// Submits ready batches of `streams`, and of those that wait for them or that they wait for. The
  /// caller holds `mutex`.
  void pump(std::vector<Ref<Stream>> streams);
};

} // namespace pumice::vulkan
