//===- Progress.h - the progress of one stream's batches --------------------===//
// Batches are numbered from 1 on, and finish in that order. A timeline semaphore holds the number
// of the last finished batch. Devices without such semaphores use one fence for each batch.
// Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "runtime/hal/Deadline.h"

#include <deque>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

using hal::Deadline;
class VulkanDevice;

class Progress {
public:
  explicit Progress(VulkanDevice &device) : device(device) {}
  ~Progress();
  Status start();

  /// Returns the semaphore, or null if fences are used.
  VkSemaphore semaphore() const { return timeline; }

  /// Returns a fence for the next submission, or null if a semaphore is used.
  Result<VkFence> takeFence();
  /// Notes that batch number `sequence` was submitted with the fence. If `sequence` was not
  /// submitted, the fence becomes free again.
  void submitted(uint64_t sequence, VkFence fence);
  void notSubmitted(VkFence fence);

  /// Returns the number of the last finished batch.
  Result<uint64_t> completed();
  /// Waits until batch number `sequence`, which has been submitted, is done. Polls before it
  /// sleeps.
  Status wait(uint64_t sequence, const Deadline &deadline);

private:
  struct Pending {
    uint64_t sequence;
    VkFence fence;
    uint32_t waiters; // threads in vkWaitForFences; they prevent a reset
  };
  Result<uint64_t> completedFences();
  Status sleep(uint64_t sequence, const Deadline &deadline);
  Status sleepOnFence(uint64_t sequence, const Deadline &deadline);
  void recycleFences();

  VulkanDevice &device;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::mutex mutex; // guards the members below, which only fences need
  std::deque<Pending> pending;
  std::vector<VkFence> free; // may be signaled; `takeFence` resets them
  uint64_t done = 0;
};

} // namespace pumice::vulkan
