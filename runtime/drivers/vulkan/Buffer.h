//===- Buffer.h - a VkBuffer and its memory ---------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

#include <optional>

namespace pumice::vulkan {

/// A VkBuffer of `size` bytes, and the `offset` at which a buffer begins in it.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t size = 0, offset = 0;
  VkBufferUsageFlags usage = 0;
};

/// The kind of handle with which memory is passed from one VkDevice to another.
using MemoryHandleType = VkExternalMemoryHandleTypeFlagBits;
struct SharedMemory {
  int fd = -1;
  MemoryHandleType type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  uint64_t allocationBytes = 0; // the size of the whole VkDeviceMemory
  uint32_t memoryType = 0;
  bool dedicated = false;         // whether the memory belongs to one VkBuffer
  uint64_t offset = 0, bytes = 0; // the part of the memory that is the buffer
};

// Functions for code that makes buffers.
/// Returns the usage flags of every buffer that this driver creates.
VkBufferUsageFlags usageFor(const DevicePlan &plan);
/// Creates a VkBuffer of this size. `next` is its pNext chain.
Result<VkBuffer> makeHandle(VulkanDevice &device, uint64_t bytes, const void *next);
/// Binds the memory to the buffer. Frees the memory on failure.
Status bindMemory(VulkanDevice &device, VkBuffer buffer, const MemoryPart &part);
/// Returns the address of the buffer, or 0 if the device has no buffer addresses.
uint64_t addressOf(VulkanDevice &device, VkBuffer buffer);

class VulkanBuffer final : public hal::Buffer {
public:
  /// Creates a buffer. `bytes` is rounded up to whole 32-bit words. Errors: ResourceExhausted,
  /// DeviceLost.
  static Result<Ref<VulkanBuffer>> create(VulkanDevice &device, uint64_t bytes,
                                          hal::MemoryKind kind, MemoryUse use);
  static Result<Ref<VulkanBuffer>> importHost(VulkanDevice &device, void *memory, uint64_t bytes);

  // Functions for memory that is shared with the application (SharedBuffer.cpp).

  /// Wraps a part of a VkBuffer of the application, which the driver never destroys. Errors:
  /// InvalidArgument.
  static Result<Ref<VulkanBuffer>> wrap(VulkanDevice &device, const BufferPlace &place,
                                        uint64_t bytes);
  /// Creates a buffer whose memory `exportMemory` can export as a handle of `type`. Errors:
  /// Unsupported, and those of `create`.
  static Result<Ref<VulkanBuffer>> createExportable(VulkanDevice &device, uint64_t bytes,
                                                    hal::MemoryKind kind, MemoryHandleType type);
  /// Imports memory. Keeps a duplicate of the file descriptor. Errors: InvalidArgument,
  /// Unsupported, and those of `create`.
  static Result<Ref<VulkanBuffer>> importMemory(VulkanDevice &device, const SharedMemory &memory);
  /// Opens a new file descriptor of the memory. Errors: InvalidArgument if the buffer is not
  /// exportable.
  Result<SharedMemory> exportMemory() const;

  VkBuffer handle() const { return place.buffer; }
  /// Returns the VkBuffer, and the position of this buffer in it.
  const BufferPlace &whole() const { return place; }
  /// Returns the offset of the buffer's first byte in the VkBuffer. If there is slack (Slack.h),
  /// the buffer follows it.
  uint64_t base() const { return place.offset; }
  uint64_t slackEachSide() const { return slack; }
  /// Returns the size rounded up to whole words: the part between the two slacks.
  static uint64_t wholeWords(uint64_t bytes) { return (bytes + 3) & ~uint64_t(3); }

  bool isInUse() const override { return owner.uses.isInUse(number()); }

  /// Returns true to the first caller if the slack may contain old data. That caller must clear the
  /// slack.
  bool takeFreshSlack() const {
    return freshSlack.load(std::memory_order_relaxed) && freshSlack.exchange(false);
  }

private:
  VulkanBuffer(VulkanDevice &device, const Description &description, const BufferPlace &place,
               MemoryPart part, uint64_t slack = 0);
  ~VulkanBuffer() override;
  /// While work uses the buffer, its destruction is delayed.
  void destroy() const override;

  VulkanDevice &owner;
  const BufferPlace place;
  MemoryPart part; // empty if the memory belongs to the application
  std::optional<SharedMemory> exportable;
  const uint64_t slack; // the bytes before the buffer, and as many behind it
  mutable std::atomic<bool> freshSlack;
};

} // namespace pumice::vulkan
