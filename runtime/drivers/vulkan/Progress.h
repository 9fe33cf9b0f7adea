//===- Progress.h - how far the batches of one stream have come -------------===//
// Batches are numbered from 1 on and end in that order. A timeline semaphore holds the number of
// the last that is done; devices without them use a fence for each. Thread-safe.
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

/// When to give up; `never` for waits without an end.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  static Deadline after(hal::Timeout timeout);
  bool passed() const { return at != Clock::time_point::max() && Clock::now() >= at; }
  /// As Vulkan's waits take it.
  uint64_t nanosecondsLeft() const;
  /// Where what is waited for may be lost without a word: look again soon.
  Deadline soon() const { return within(std::chrono::milliseconds(20)); }
  /// This, or `time` from now, if that is earlier.
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

  /// Null if fences are used.
  VkSemaphore semaphore() const { return timeline; }

  /// The fence for the next submit; null if a semaphore is used.
  Result<VkFence> takeFence();
  /// The submit was done, as batch number `sequence`; or it was not, and the fence is free.
  void submitted(uint64_t sequence, VkFence fence);
  void notSubmitted(VkFence fence);

  /// The last batch that is done.
  Result<uint64_t> completed();
  /// Returns when batch number `sequence`, which was submitted, is done. Polls before it sleeps.
  Status wait(uint64_t sequence, const Deadline &deadline);

private:
  struct Pending {
    uint64_t sequence;
    VkFence fence;
    uint32_t waiters; // threads inside vkWaitForFences: it must not be reset
  };
  Result<uint64_t> completedFences();
  Status sleep(uint64_t sequence, const Deadline &deadline);
  Status sleepOnFence(uint64_t sequence, const Deadline &deadline);
  void recycleFences();

  VulkanDevice &device;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::mutex mutex; // of what follows: fences only
  std::deque<Pending> pending;
  std::vector<VkFence> free; // may be signaled: reset when taken
  uint64_t done = 0;
};

} // namespace pumice::vulkan
