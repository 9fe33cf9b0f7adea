//===- Timeline.h - points that batches reach -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Stream.h"

namespace pumice::vulkan {

/// A batch that waits. The wait is not satisfied by signals of the same stream in this batch or
/// later batches.
struct WaitingBatch {
  const Stream *stream = nullptr;
  uint64_t sequence = 0;
};

/// A timeline. Only the scheduler knows it, or it is shared with the application as a timeline
/// semaphore. If it is shared, batches also signal the semaphore, and wait on the device for values
/// that only the application signals.
class VulkanTimeline final : public hal::Timeline {
public:
  VulkanTimeline(VulkanDevice &device, uint64_t initial);
  /// Creates a timeline with its own semaphore. Errors: Unsupported, ResourceExhausted, DeviceLost.
  static Result<Ref<VulkanTimeline>> createShared(VulkanDevice &device, uint64_t initial);
  /// Uses a semaphore of the application, which is never destroyed here. Errors: as above.
  static Result<Ref<VulkanTimeline>> adopt(VulkanDevice &device, VkSemaphore semaphore);
  /// Returns the semaphore, or null if the timeline is not shared.
  VkSemaphore semaphore() const { return shared; }

  // Callers of the following functions hold the scheduler's mutex.

  /// The state of a value. Several batches may signal it or a higher value. `stream` is preferably
  /// one whose batch has been submitted. Otherwise, it is the one that signals the lowest value.
  struct Standing {
    bool reached = false;
    Status failure;         // of the batch that should have signalled the value
    Ref<Stream> stream;     // signals the value; null: none does yet
    uint64_t sequence = 0;  // the batch that signals the value
    bool submitted = false; // whether that batch has been submitted
    bool external = false;  // only the application may signal the value
  };
  Standing standing(uint64_t value, const WaitingBatch &waiter = {}) const;
  /// Finds all streams that may signal the value or a higher one.
  void findSignalers(uint64_t value, const WaitingBatch &waiter,
                     std::vector<Ref<Stream>> &found) const;
  void promise(Ref<Stream> stream, uint64_t sequence, uint64_t value);
  /// Reserves a value that a queue will signal on a shared timeline. Errors: InvalidArgument if the
  /// value does not exceed all earlier ones.
  Status reserve(uint64_t value);
  /// Returns whether a submission must signal the semaphore. It must not if an earlier submission
  /// signals a higher value.
  bool signalsOnDevice(uint64_t value) const { return shared && value > submittedValue; }
  void noteSubmitted(uint64_t value) { submittedValue = std::max(submittedValue, value); }
  /// Ends a promise, because the batch is done (`status` is ok) or never will be.
  void settle(const Stream &stream, uint64_t sequence, uint64_t value, const Status &status);
  void addWaiter(Ref<Stream> stream);
  /// Returns the streams whose batches waited for a promise, so that they can be tried again.
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
  /// Updates the value from the shared semaphore.
  Status refresh() const;
  Status sleepOnSemaphore(uint64_t value, const Deadline &deadline);
  /// Signals the semaphore in place of a batch that will not run, so that waiting work continues.
  void signalInstead(uint64_t promised);

  VulkanDevice &owner;
  mutable uint64_t value;
  VkSemaphore shared = VK_NULL_HANDLE;
  bool ownsSemaphore = false;
  uint64_t reserved = 0, submittedValue = 0; // for a shared timeline: the highest values so far
  Status failure;                            // of the first batch that did not run
  uint64_t failedValue = 0;                  // the highest value that such a batch was to signal
  uint64_t failedAbove = 0;                  // the value that was reached when that batch failed
  std::vector<Promise> promises;
  std::vector<Ref<Stream>> waiters;
};

} // namespace pumice::vulkan
