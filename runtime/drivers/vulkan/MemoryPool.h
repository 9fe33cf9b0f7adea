//===- MemoryPool.h - device memory in large blocks, handed out in parts ----===//
// vkAllocateMemory is slow, and the number of allocations is limited. So buffers share blocks, and
// only large buffers have their own memory. Host-visible memory stays mapped. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/DeviceFunctions.h"
#include "runtime/drivers/vulkan/RangeAllocator.h"
#include "support/Status.h"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace pumice::vulkan {

struct MemoryBlock {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint32_t type = 0;
  std::byte *mapped = nullptr;
  bool shared = false; // false: the block belongs to one buffer
  RangeAllocator ranges;
};

/// The memory that one buffer occupies.
struct MemoryPart {
  MemoryBlock *block = nullptr;
  uint64_t offset = 0;
  std::byte *mapped() const { return block->mapped ? block->mapped + offset : nullptr; }
};

class MemoryPool {
public:
  struct Options {
    VkDevice device = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory{};
    uint32_t maxAllocations = 4096; // maxMemoryAllocationCount
    bool bufferAddresses = false;   // whether buffers in the memory have device addresses
    uint64_t maxBlockBytes = 64u << 20;
  };
  MemoryPool(const FunctionTable &vk, const Options &options) : vk(vk), options(options) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// Allocates memory for `buffer` from the first of `types` (memory type indices, best first) that
  /// `needs` allows and that has room. Errors: ResourceExhausted, DeviceLost.
  Result<MemoryPart> allocate(VkBuffer buffer, const VkMemoryRequirements &needs,
                              std::span<const uint32_t> types);
  /// Imports pages of the caller. Errors: ResourceExhausted, DeviceLost, and InvalidArgument if the
  /// driver rejects the pages.
  Result<MemoryPart> importHost(void *memory, uint64_t bytes, uint32_t type);
  /// Allocates memory for one buffer alone. `next` describes how the memory is exported or
  /// imported. Errors: those of `importHost`.
  Result<MemoryPart> allocateAlone(uint32_t type, uint64_t bytes, const void *next);
  void free(const MemoryPart &part);

  /// Frees blocks that no buffer uses.
  void trim();

  struct Counts {
    uint64_t blocks = 0, bytes = 0, usedBytes = 0;
  };
  Counts counts();

private:
  Result<MemoryPart> allocateFrom(uint32_t type, VkBuffer buffer,
                                  const VkMemoryRequirements &needs);
  Result<MemoryBlock *> addBlock(uint32_t type, uint64_t bytes, bool shared, const void *next);
  Result<VkDeviceMemory> allocateMemory(const VkMemoryAllocateInfo &info);
  uint64_t nextBlockBytes(uint32_t type, uint64_t atLeast) const;
  bool trimLocked();
  void release(MemoryBlock &block);

  const FunctionTable &vk;
  Options options;
  std::mutex mutex;
  std::vector<std::unique_ptr<MemoryBlock>> blocks;
};

} // namespace pumice::vulkan
