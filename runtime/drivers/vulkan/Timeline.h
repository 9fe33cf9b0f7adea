//===- Timeline.h - points that batches reach -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Stream.h"

namespace pumice::vulkan {

/// A batch that waits: what its stream signals from it on comes after the wait.
struct WaitingBatch {
  const Stream *stream = nullptr;
  uint64_t sequence = 0;
};

class VulkanTimeline final : public hal::Timeline {
public:
  VulkanTimeline(VulkanDevice &device, uint64_t initial);

  // The scheduler's mutex is held for these.

  /// How things stand with a value. Several batches may bring the timeline there: `stream` is one
  /// whose batch is on the device, where there is such a one, else of the lowest value.
  struct Standing {
    bool reached = false;
    Status failure;         // of the batch that should have signaled it
    Ref<Stream> stream;     // who signals it; null: nobody yet
    uint64_t sequence = 0;  // in which batch
    bool submitted = false; // the batch
  };
  Standing standing(uint64_t value, const WaitingBatch &waiter = {}) const;
  /// All streams that may bring the timeline there.
  void findSignalers(uint64_t value, const WaitingBatch &waiter,
                     std::vector<Ref<Stream>> &found) const;
  void promise(Ref<Stream> stream, uint64_t sequence, uint64_t value);
  /// The batch is done (`status` ok) or will never be: its promise ends.
  void settle(const Stream &stream, uint64_t sequence, uint64_t value, const Status &status);
  void addWaiter(Ref<Stream> stream);
  /// Streams whose batches waited for a promise: try them again.
  std::vector<Ref<Stream>> takeWaiters();

private:
  Result<uint64_t> valueImpl() override;
  Status waitImpl(uint64_t value, hal::Timeout timeout) override;
  Status signalImpl(uint64_t value) override;

  struct Promise {
    Ref<Stream> stream;
    uint64_t sequence, value;
    bool reaches(uint64_t wanted, const WaitingBatch &waiter) const;
  };
  VulkanDevice &owner;
  uint64_t value;
  Status failure;           // of the first batch that did not run
  uint64_t failedValue = 0; // the highest that such a batch should have signaled
  std::vector<Promise> promises;
  std::vector<Ref<Stream>> waiters;
};

} // namespace pumice::vulkan
