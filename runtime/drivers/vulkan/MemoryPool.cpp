//===- MemoryPool.cpp - device memory in large blocks, handed out in parts --===//
#include "runtime/drivers/vulkan/MemoryPool.h"

#include "runtime/drivers/vulkan/Call.h"

#include <algorithm>
#include <bit>

namespace pumice::vulkan {
namespace {

constexpr uint64_t firstBlockBytes = 4u << 20;

} // namespace

MemoryPool::~MemoryPool() {
  for (auto &block : blocks)
    release(*block);
}

void MemoryPool::release(MemoryBlock &block) {
  // Freeing memory also unmaps it.
  vk->vkFreeMemory(options.device, block.memory, nullptr);
}

Result<MemoryPart> MemoryPool::allocate(VkBuffer buffer, const VkMemoryRequirements &needs,
                                        std::span<const uint32_t> types) {
  std::lock_guard lock(mutex);
  Status last(StatusCode::Unsupported, "no memory type of the device suits the buffer");
  for (uint32_t type : types) {
    if ((needs.memoryTypeBits & (1u << type)) == 0)
      continue;
    Result<MemoryPart> part = allocateFrom(type, buffer, needs);
    if (part.isOk() || part.status().code() != StatusCode::ResourceExhausted)
      return part;
    last = part.status();
  }
  return last;
}

Result<MemoryPart> MemoryPool::allocateFrom(uint32_t type, VkBuffer buffer,
                                            const VkMemoryRequirements &needs) {
  if (needs.size > options.maxBlockBytes / 4) {
    VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    dedicated.buffer = buffer;
    PUMICE_TRY(MemoryBlock * block, addBlock(type, needs.size, false, &dedicated));
    return MemoryPart{block, 0};
  }
  for (auto &block : blocks)
    if (block->shared && block->type == type)
      if (auto offset = block->ranges.allocate(needs.size, needs.alignment))
        return MemoryPart{block.get(), *offset};
  Result<MemoryBlock *> added = addBlock(type, nextBlockBytes(type, needs.size), true, nullptr);
  // If a whole block does not fit, the buffer alone may still fit.
  if (!added.isOk() && added.status().code() == StatusCode::ResourceExhausted)
    added = addBlock(type, needs.size, true, nullptr);
  if (!added.isOk())
    return added.status();
  auto offset = (*added)->ranges.allocate(needs.size, needs.alignment);
  return MemoryPart{*added, *offset};
}

uint64_t MemoryPool::nextBlockBytes(uint32_t type, uint64_t atLeast) const {
  // The first blocks are small, but programs that need much memory soon get large blocks.
  uint64_t bytes = firstBlockBytes;
  for (const auto &block : blocks)
    if (block->shared && block->type == type)
      bytes = std::max(bytes, block->ranges.size() * 2);
  uint64_t heap = options.memory.memoryHeaps[options.memory.memoryTypes[type].heapIndex].size;
  return std::max(std::min({bytes, options.maxBlockBytes, heap / 16}), atLeast);
}

Result<VkDeviceMemory> MemoryPool::allocateMemory(const VkMemoryAllocateInfo &info) {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  for (bool again : {true, false}) {
    bool full = blocks.size() >= options.maxAllocations;
    VkResult result =
        full ? VK_ERROR_TOO_MANY_OBJECTS
             : PUMICE_VK(vk->, vkAllocateMemory, options.device, &info, nullptr, &memory);
    if (result == VK_SUCCESS)
      return memory;
    bool exhausted = full || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
                     result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS;
    if (exhausted && again && trimLocked())
      continue;
    Status status = toStatus(result, "vkAllocateMemory");
    if (!exhausted)
      return status;
    uint64_t held = 0;
    for (const auto &block : blocks)
      held += block->ranges.size();
    uint32_t heap = options.memory.memoryTypes[info.memoryTypeIndex].heapIndex;
    return std::move(status).at("allocating " + std::to_string(info.allocationSize) +
                                " bytes of device memory (" + std::to_string(held) + " bytes in " +
                                std::to_string(blocks.size()) +
                                " allocations are in use, of a heap of " +
                                std::to_string(options.memory.memoryHeaps[heap].size) + ")");
  }
  return Status(StatusCode::Internal, "vkAllocateMemory was not tried");
}

Result<MemoryBlock *> MemoryPool::addBlock(uint32_t type, uint64_t bytes, bool shared,
                                           const void *next) {
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, next};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = options.bufferAddresses ? &flags : next;
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  PUMICE_TRY(VkDeviceMemory memory, allocateMemory(info));
  auto block = std::make_unique<MemoryBlock>(
      MemoryBlock{memory, type, nullptr, shared, RangeAllocator(bytes)});
  VkMemoryPropertyFlags properties = options.memory.memoryTypes[type].propertyFlags;
  if (properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
    void *mapped = nullptr;
    Status status =
        PUMICE_VK_STATUS(vk->, vkMapMemory, options.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (!status.isOk()) {
      release(*block);
      return std::move(status).at("mapping " + std::to_string(bytes) + " bytes");
    }
    block->mapped = static_cast<std::byte *>(mapped);
  }
  blocks.push_back(std::move(block));
  return blocks.back().get();
}

Result<MemoryPart> MemoryPool::importHost(void *memory, uint64_t bytes, uint32_t type) {
  std::lock_guard lock(mutex);
  VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  import.pHostPointer = memory;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &import};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = options.bufferAddresses ? static_cast<const void *>(&flags) : &import;
  info.allocationSize = bytes;
  info.memoryTypeIndex = type;
  PUMICE_TRY(VkDeviceMemory imported, allocateMemory(info));
  blocks.push_back(std::make_unique<MemoryBlock>(
      MemoryBlock{imported, type, static_cast<std::byte *>(memory), false, RangeAllocator(bytes)}));
  return MemoryPart{blocks.back().get(), 0};
}

Result<MemoryPart> MemoryPool::allocateAlone(uint32_t type, uint64_t bytes, const void *next) {
  std::lock_guard lock(mutex);
  PUMICE_TRY(MemoryBlock * block, addBlock(type, bytes, false, next));
  return MemoryPart{block, 0};
}

void MemoryPool::free(const MemoryPart &part) {
  std::lock_guard lock(mutex);
  if (part.block->shared)
    part.block->ranges.free(part.offset);
  if (!part.block->ranges.isEmpty())
    return;
  // One empty block of each type is kept, because programs may allocate and free repeatedly.
  bool spare = std::ranges::any_of(blocks, [&](const auto &other) {
    return other.get() != part.block && other->shared && other->type == part.block->type &&
           other->ranges.isEmpty();
  });
  if (part.block->shared && !spare)
    return;
  release(*part.block);
  std::erase_if(blocks, [&](const auto &block) { return block.get() == part.block; });
}

bool MemoryPool::trimLocked() {
  return std::erase_if(blocks, [&](const auto &block) {
           bool unused = block->shared && block->ranges.isEmpty();
           if (unused)
             release(*block);
           return unused;
         }) > 0;
}

void MemoryPool::trim() {
  std::lock_guard lock(mutex);
  trimLocked();
}

MemoryPool::Counts MemoryPool::counts() {
  std::lock_guard lock(mutex);
  Counts counts;
  for (const auto &block : blocks) {
    ++counts.blocks;
    counts.bytes += block->ranges.size();
    counts.usedBytes += block->shared ? block->ranges.usedBytes() : block->ranges.size();
  }
  return counts;
}

} // namespace pumice::vulkan
