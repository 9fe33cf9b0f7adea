//===- Timeline.h - points that batches reach -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Stream.h"

namespace pumice::vulkan {

/// A waiting batch. Signals of the same stream in this batch or later ones cannot satisfy the wait.
struct WaitingBatch {
  const Stream *stream = nullptr;
  uint64_t sequence = 0;
};

/// A timeline that only the scheduler knows, or one that is shared with the application as a
/// timeline semaphore. Batches also signal the semaphore of a shared timeline. They wait on the
/// device for values that only the application signals.
class VulkanTimeline final : public hal::Timeline {
public:
  VulkanTimeline(VulkanDevice &device, uint64_t initial);
  /// Creates a timeline with a semaphore of its own. Errors: Unsupported, ResourceExhausted,
  /// DeviceLost.
  static Result<Ref<VulkanTimeline>> createShared(VulkanDevice &device, uint64_t initial);
  /// Uses the application's semaphore, which is never destroyed here. Errors: as above.
  static Result<Ref<VulkanTimeline>> adopt(VulkanDevice &device, VkSemaphore semaphore);
  /// Returns null unless it is shared.
  VkSemaphore semaphore() const { return shared; }

  // The caller of these functions holds the scheduler's mutex.

  /// The state of a value. Several batches may signal it or a higher value. `stream` is preferably
  /// one whose batch is on the device, or else the one that signals the lowest value.
  struct Standing {
    bool reached = false;
    Status failure;         // the failure of the batch that should have signaled the value
    Ref<Stream> stream;     // the stream that signals the value; null: none yet
    uint64_t sequence = 0;  // the number of the batch that signals the value
    bool submitted = false; // the batch is on the device
    bool external = false;  // no batch signals it, but the application may
  };
  Standing standing(uint64_t value, const WaitingBatch &waiter = {}) const;
  /// Finds all streams that may signal the value or a higher one.
  void findSignalers(uint64_t value, const WaitingBatch &waiter,
                     std::vector<Ref<Stream>> &found) const;
  void promise(Ref<Stream> stream, uint64_t sequence, uint64_t value);
  /// Reserves a value that a queue will signal on a shared timeline. Errors: InvalidArgument unless
  /// the value is higher than all before.
  Status reserve(uint64_t value);
  /// Returns whether a submission must signal the semaphore. It must not if an earlier one signals
  /// a higher value.
  bool signalsOnDevice(uint64_t value) const { return shared && value > submittedValue; }
  void noteSubmitted(uint64_t value) { submittedValue = std::max(submittedValue, value); }
  /// Ends a promise: the batch is done (`status` ok), or never will be.
  void settle(const Stream &stream, uint64_t sequence, uint64_t value, const Status &status);
  void addWaiter(Ref<Stream> stream);
  /// Returns streams whose batches waited for a promise, so that they are tried again.
  std::vector<Ref<Stream>> takeWaiters();

private:
  ~VulkanTimeline() override;
  Result<uint64_t> valueImpl() override;
  Status waitImpl(uint64_t value, hal::Timeout timeout) override;
  Status signalImpl(uint64_t value) override;

  struct Promise {
    Ref<Stream> stream;
    uint64_t sequence, value;
    bool reaches(uint64_t wanted, const WaitingBatch &waiter) const;
  };
  /// Reads the value that a shared semaphore has reached.
  Status refresh() const;
  Status sleepOnSemaphore(uint64_t value, const Deadline &deadline);
  /// Signals the semaphore for a batch that will not run, so that waiting work continues.
  void signalInstead(uint64_t promised);

  VulkanDevice &owner;
  mutable uint64_t value;
  VkSemaphore shared = VK_NULL_HANDLE;
  bool ownsSemaphore = false;
  uint64_t reserved = 0, submittedValue = 0; // for a shared timeline: the highest values so far
  Status failure;                            // the failure of the first batch that did not run
  uint64_t failedValue = 0; // the highest value that such a batch should have signaled
  uint64_t failedAbove = 0; // the value reached when that batch failed
  std::vector<Promise> promises;
  std::vector<Ref<Stream>> waiters;
};

} // namespace pumice::vulkan
