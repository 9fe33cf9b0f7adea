//===- Progress.h - the progress of one stream's batches ------------------===//
// Batches are numbered from 1 on, and end in that order. A timeline semaphore holds the number of
// the last finished batch. Devices without such semaphores use a fence for each batch. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "runtime/hal/Timeline.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

class VulkanDevice;

/// The time at which to give up; `never` for waits without an end.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  static Deadline after(hal::Timeout timeout);
  bool passed() const { return at != Clock::time_point::max() && Clock::now() >= at; }
  /// Returns the remaining time in the form of Vulkan's waits.
  uint64_t nanosecondsLeft() const;
  /// Returns an early time to check again, for waits on something that may be lost without notice.
  Deadline soon() const { return within(std::chrono::milliseconds(20)); }
  /// Returns this deadline, or `time` from now, whichever is earlier.
  Deadline within(std::chrono::milliseconds time) const {
    return {std::min(at, Clock::now() + time)};
  }

  Clock::time_point at = Clock::time_point::max();
};

class Progress {
public:
  explicit Progress(VulkanDevice &device) : device(device) {}
  ~Progress();
  Status start();

  /// Returns null if fences are used.
  VkSemaphore semaphore() const { return timeline; }

  /// Returns the fence for the next submit, or null if a semaphore is used.
  Result<VkFence> takeFence();
  /// Notes that the submit was made as batch number `sequence`. If `sequence` was not submitted,
  /// the fence can be reused.
  void submitted(uint64_t sequence, VkFence fence);
  void notSubmitted(VkFence fence);

  /// Returns the last finished batch.
  Result<uint64_t> completed();
  /// Waits until batch number `sequence`, which was submitted, is done. Polls before it sleeps.
  Status wait(uint64_t sequence, const Deadline &deadline);

private:
  struct Pending {
    uint64_t sequence;
    VkFence fence;
    uint32_t waiters; // threads inside vkWaitForFences; the fence must not be reset then
  };
  Result<uint64_t> completedFences();
  Status sleep(uint64_t sequence, const Deadline &deadline);
  Status sleepOnFence(uint64_t sequence, const Deadline &deadline);
  void recycleFences();

  VulkanDevice &device;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::mutex mutex; // guards the members below, which are used only with fences
  std::deque<Pending> pending;
  std::vector<VkFence> free; // may be signaled; `takeFence` resets them
  uint64_t done = 0;
};

} // namespace pumice::vulkan
