//===- Scheduler.h - which batch goes to the device next --------------------===//
// Timelines are kept by us: a point is reached when the batch that signals it is done. A batch goes
// to the device once every point it waits for is reached, or is signaled by a batch that went there
// before. So no wait can block a VkQueue that others share, and semaphores are needed only inside
// the device. One mutex guards streams and timelines.
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
  /// A batch with as many commands is submitted whatever the device does.
  static constexpr uint32_t maxBatchCommands = 256;

  std::mutex mutex;
  /// All of the device's that live. No other mutex is taken under theirs.
  std::mutex streamsMutex;
  std::vector<Stream *> streams;
  /// Something was submitted, reached or lost. Waiters look again now and then all the same.
  std::condition_variable changed;

  /// Submits what `streams`, and those that they wait for or that wait for them, have ready.
  /// `mutex` is held.
  void pump(std::vector<Ref<Stream>> streams);
};

} // namespace pumice::vulkan
