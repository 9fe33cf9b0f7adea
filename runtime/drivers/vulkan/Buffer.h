//===- Buffer.h - a VkBuffer and its memory -------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

#include <optional>

namespace pumice::vulkan {

/// A VkBuffer of `size` bytes, in which a buffer begins at `offset`.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t size = 0, offset = 0;
  VkBufferUsageFlags usage = 0;
};

/// The way in which memory is passed from one VkDevice to another.
using MemoryHandleType = VkExternalMemoryHandleTypeFlagBits;
struct SharedMemory {
  int fd = -1;
  MemoryHandleType type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  uint64_t allocationBytes = 0; // the size of the VkDeviceMemory
  uint32_t memoryType = 0;
  bool dedicated = false;         // the memory belongs to one VkBuffer
  uint64_t offset = 0, bytes = 0; // the place of the buffer in the memory
};

// Functions for code that makes buffers.
/// Returns the usage flags that this driver gives to every buffer.
VkBufferUsageFlags usageFor(const DevicePlan &plan);
/// Makes a VkBuffer of this size. `next` is its pNext chain.
Result<VkBuffer> makeHandle(VulkanDevice &device, uint64_t bytes, const void *next);
/// Binds the memory to the buffer, or frees it on failure.
Status bindMemory(VulkanDevice &device, VkBuffer buffer, const MemoryPart &part);
/// Returns the buffer's address, or 0 if the device has no addresses.
uint64_t addressOf(VulkanDevice &device, VkBuffer buffer);

class VulkanBuffer final : public hal::Buffer {
public:
  /// Creates a buffer. Rounds `bytes` up to whole 32-bit words. Errors: ResourceExhausted,
  /// DeviceLost.
  static Result<Ref<VulkanBuffer>> create(VulkanDevice &device, uint64_t bytes,
                                          hal::MemoryKind kind, MemoryUse use);
  static Result<Ref<VulkanBuffer>> importHost(VulkanDevice &device, void *memory, uint64_t bytes);

  // Functions for memory that is shared with the application (SharedBuffer.cpp).

  /// Wraps a part of the application's VkBuffer. The driver never destroys that VkBuffer. Errors:
  /// InvalidArgument.
  static Result<Ref<VulkanBuffer>> wrap(VulkanDevice &device, const BufferPlace &place,
                                        uint64_t bytes);
  /// Creates a buffer whose memory `exportMemory` can export as handles of `type`. Errors:
  /// Unsupported, and those of `create`.
  static Result<Ref<VulkanBuffer>> createExportable(VulkanDevice &device, uint64_t bytes,
                                                    hal::MemoryKind kind, MemoryHandleType type);
  /// Imports memory, and keeps a duplicate of the file descriptor. Errors: InvalidArgument,
  /// Unsupported, and those of `create`.
  static Result<Ref<VulkanBuffer>> importMemory(VulkanDevice &device, const SharedMemory &memory);
  /// Opens a new file descriptor for the memory. Errors: InvalidArgument unless it is exportable.
  Result<SharedMemory> exportMemory() const;

  VkBuffer handle() const { return place.buffer; }
  /// Returns the whole VkBuffer, and the position of this buffer in it.
  const BufferPlace &whole() const { return place; }
  /// Returns the offset of the buffer's first byte in the VkBuffer. It follows the slack (Slack.h),
  /// if there is any.
  uint64_t base() const { return place.offset; }
  uint64_t slackEachSide() const { return slack; }
  /// Returns the size of the part between the two slacks, which is at least `bytes()`.
  static uint64_t wholeWords(uint64_t bytes) { return (bytes + 3) & ~uint64_t(3); }

  bool isInUse() const override { return owner.uses.isInUse(number()); }

  /// Returns true to the first caller if the slack may hold old data. That caller must clear the
  /// slack.
  bool takeFreshSlack() const {
    return freshSlack.load(std::memory_order_relaxed) && freshSlack.exchange(false);
  }

private:
  VulkanBuffer(VulkanDevice &device, const Description &description, const BufferPlace &place,
               MemoryPart part, uint64_t slack = 0);
  ~VulkanBuffer() override;
  /// Delays the destruction while work uses the buffer.
  void destroy() const override;

  VulkanDevice &owner;
  const BufferPlace place;
  MemoryPart part; // empty: the memory belongs to the application
  std::optional<SharedMemory> exportable;
  const uint64_t slack; // bytes before the buffer, and as many after it
  mutable std::atomic<bool> freshSlack;
};

} // namespace pumice::vulkan
