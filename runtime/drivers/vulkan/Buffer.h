//===- Buffer.h - a VkBuffer, and where its memory lies ---------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

namespace pumice::vulkan {

class VulkanBuffer final : public hal::Buffer {
public:
  /// `bytes` are rounded up to whole 32-bit words. Errors: ResourceExhausted, DeviceLost.
  static Result<Ref<VulkanBuffer>> create(VulkanDevice &device, uint64_t bytes,
                                          hal::MemoryKind kind, MemoryUse use);
  static Result<Ref<VulkanBuffer>> importHost(VulkanDevice &device, void *memory, uint64_t bytes);

  VkBuffer handle() const { return buffer; }
  /// Where the buffer's first byte lies in the VkBuffer: behind the slack (Slack.h).
  uint64_t base() const { return slack; }
  /// Of what lies between the two slacks: at least `bytes()`.
  static uint64_t wholeWords(uint64_t bytes) { return (bytes + 3) & ~uint64_t(3); }

  bool isInUse() const override { return owner.uses.isInUse(number()); }

  /// True once, where the slack holds anything yet: the queue that hears it makes it zeros.
  bool takeFreshSlack() const {
    return freshSlack.load(std::memory_order_relaxed) && freshSlack.exchange(false);
  }

private:
  VulkanBuffer(VulkanDevice &device, const Description &description, VkBuffer buffer,
               MemoryPart part, uint64_t slack);
  ~VulkanBuffer() override;
  /// Work that uses it keeps it.
  void destroy() const override;

  VulkanDevice &owner;
  VkBuffer buffer;
  MemoryPart part;
  const uint64_t slack; // bytes before the buffer, and as many behind it
  mutable std::atomic<bool> freshSlack;
};

} // namespace pumice::vulkan
