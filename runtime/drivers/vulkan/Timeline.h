//===- Timeline.h - points that batches reach -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Stream.h"

namespace pumice::vulkan {

class VulkanTimeline final : public hal::Timeline {
public:
  VulkanTimeline(VulkanDevice &device, uint64_t initial);

  /// How things stand with a value; the scheduler's mutex is held.
  struct Standing {
    bool reached = false;
    Status failure;        // of the batch that should have signaled it
    Ref<Stream> stream;    // who signals it; null: nobody yet
    uint64_t sequence = 0; // in which batch
  };
  Standing standing(uint64_t value) const;

  // The scheduler's mutex is held for these.
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
  };
  VulkanDevice &owner;
  uint64_t value;
  Status failure;           // of the first batch that did not run
  uint64_t failedValue = 0; // the highest that such a batch should have signaled
  std::vector<Promise> promises;
  std::vector<Ref<Stream>> waiters;
};

} // namespace pumice::vulkan
