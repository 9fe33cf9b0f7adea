//===- Starter.h - submits work that was left for later ---------------------===//
// While the device is busy, `letBegin` leaves launches recorded, so that one submission takes
// several. A later launch usually submits them. If none comes, the starter's thread does.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/PlatformThreads.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

class VulkanQueue;

class Starter {
public:
  ~Starter();
  /// Submits the recorded work of the queue once the device has little to do. Returns false if the
  /// system cannot start a thread. The caller holds no lock.
  bool watch(VulkanQueue &queue);
  /// Forgets a queue that is being destroyed. Afterwards, the thread does not use it.
  void forget(VulkanQueue &queue);
  /// Makes the starter do nothing, in a child of a fork, which does not have the thread.
  void abandon() { isAbandoned = true; }

private:
  void run();

  std::atomic<bool> isAbandoned = false;
  std::mutex mutex; // guards the members below
  std::condition_variable changed;
  std::vector<VulkanQueue *> watched;
  bool isEnding = false;
  std::unique_ptr<Thread> thread; // started by the first `watch`
};

} // namespace pumice::vulkan
