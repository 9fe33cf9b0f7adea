//===- Timeline.h - points that batches reach -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Stream.h"

namespace pumice::vulkan {

/// A batch that waits: what its stream signals from it on comes after the wait.
struct WaitingBatch {
  const Stream *stream = nullptr;
  uint64_t sequence = 0;
};

/// Kept by the scheduler alone, or shared with the application through a timeline semaphore.
/// Batches then signal the semaphore as well, and wait on the device for what only the application
/// signals.
class VulkanTimeline final : public hal::Timeline {
public:
  VulkanTimeline(VulkanDevice &device, uint64_t initial);
  /// With a semaphore of its own. Errors: Unsupported, ResourceExhausted, DeviceLost.
  static Result<Ref<VulkanTimeline>> createShared(VulkanDevice &device, uint64_t initial);
  /// Over the application's semaphore, which is never destroyed here. Errors: as above.
  static Result<Ref<VulkanTimeline>> adopt(VulkanDevice &device, VkSemaphore semaphore);
  /// Null unless it is shared.
  VkSemaphore semaphore() const { return shared; }

  // The scheduler's mutex is held for these.

  /// Describes the state of a value. Several batches may bring the timeline there. `stream` is one
  /// whose batch is on the device, if there is one, or else the one with the lowest value.
  struct Standing {
    bool reached = false;
    Status failure;         // of the batch that should have signaled it
    Ref<Stream> stream;     // who signals it; null: nobody yet
    uint64_t sequence = 0;  // in which batch
    bool submitted = false; // the batch
    bool external = false;  // no batch signals it: the application may
  };
  Standing standing(uint64_t value, const WaitingBatch &waiter = {}) const;
  /// All streams that may bring the timeline there.
  void findSignalers(uint64_t value, const WaitingBatch &waiter,
                     std::vector<Ref<Stream>> &found) const;
  void promise(Ref<Stream> stream, uint64_t sequence, uint64_t value);
  /// A queue is about to signal a shared timeline. Errors: InvalidArgument unless the value is more
  /// than all before.
  Status reserve(uint64_t value);
  /// Whether a submission signals the semaphore: not if an earlier one signals more.
  bool signalsOnDevice(uint64_t value) const { return shared && value > submittedValue; }
  void noteSubmitted(uint64_t value) { submittedValue = std::max(submittedValue, value); }
  /// The batch is done (`status` ok) or will never be: its promise ends.
  void settle(const Stream &stream, uint64_t sequence, uint64_t value, const Status &status);
  void addWaiter(Ref<Stream> stream);
  /// Streams whose batches waited for a promise: try them again.
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
  /// Takes over how far a shared semaphore has come.
  Status refresh() const;
  Status sleepOnSemaphore(uint64_t value, const Deadline &deadline);
  /// Signals the semaphore for a batch that will not run, so that waiting work continues.
  void signalInstead(uint64_t promised);

  VulkanDevice &owner;
  mutable uint64_t value;
  VkSemaphore shared = VK_NULL_HANDLE;
  bool ownsSemaphore = false;
  uint64_t reserved = 0, submittedValue = 0; // of a shared one: the highest so far
  Status failure;                            // of the first batch that did not run
  uint64_t failedValue = 0;                  // the highest that such a batch should have signaled
  uint64_t failedAbove = 0;                  // the value that was reached then
  std::vector<Promise> promises;
  std::vector<Ref<Stream>> waiters;
};

} // namespace pumice::vulkan
