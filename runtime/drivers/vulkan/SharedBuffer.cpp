//===- SharedBuffer.cpp - buffers over memory that others use too -----------===//
// Wraps VkBuffers of the application, and memory that is passed from one VkDevice to another as a
// file descriptor. Only the device accesses such buffers, because the host does not know which
// other work uses the memory.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/Buffer.h"

#include "runtime/drivers/vulkan/Call.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

namespace pumice::vulkan {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

/// Returns the names of the flags in `usage`: "VK_BUFFER_USAGE_TRANSFER_SRC_BIT, …".
std::string usageNames(VkBufferUsageFlags usage) {
  constexpr std::pair<VkBufferUsageFlags, const char *> known[] = {
      {VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"},
      {VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT"},
      {VK_BUFFER_USAGE_TRANSFER_DST_BIT, "VK_BUFFER_USAGE_TRANSFER_DST_BIT"},
      {VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, "VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT"}};
  std::string names;
  for (auto [flag, name] : known)
    if (usage & flag)
      names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

Status checkPlace(VulkanDevice &device, const BufferPlace &place, uint64_t bytes) {
  if (!place.buffer)
    return invalid("the VkBuffer is VK_NULL_HANDLE; pass a buffer of this device");
  VkBufferUsageFlags needed =
      usageFor(device.plan) & ~VkBufferUsageFlags(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  if (VkBufferUsageFlags missing = needed & ~place.usage)
    return invalid("the VkBuffer's usage lacks " + usageNames(missing) +
                   "; create it with these flags");
  if (bytes == 0 || bytes % 4 != 0)
    return invalid(
        "the size of a wrapped buffer must be a multiple of 4 bytes and at least 4, got " +
        std::to_string(bytes));
  const hal::DeviceLimits &limits = device.info().limits;
  uint64_t alignment = limits.bindingAlignment;
  if (place.usage & VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT)
    alignment = std::max(alignment, limits.uniformAlignment);
  if (place.offset % alignment != 0)
    return invalid("the offset must be a multiple of " + std::to_string(alignment) +
                   " bytes, the device's alignment for bindings; got " +
                   std::to_string(place.offset));
  if (place.offset > place.size || bytes > place.size - place.offset)
    return invalid(
        "the range of " + counted(bytes, "byte") + " at offset " + std::to_string(place.offset) +
        " reaches beyond the end of the VkBuffer, which has " + counted(place.size, "byte"));
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), place.buffer, &needs);
  if (place.size > needs.size)
    return invalid("the given size of the VkBuffer is " + counted(place.size, "byte") +
                   ", but Vulkan reports only " + std::to_string(needs.size) +
                   "; give the size that the VkBuffer was created with");
  return Status::ok();
}

Result<VkExternalMemoryFeatureFlags> featuresOf(VulkanDevice &device, MemoryHandleType type) {
  if (type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT &&
      type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)
    return invalid("handle type " + std::to_string(type) +
                   " is not supported; use "
                   "VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT or ..._DMA_BUF_BIT_EXT");
  if (!device.plan.memoryFd || !device.vk().vkGetMemoryFdKHR)
    return Status(StatusCode::Unsupported,
                  device.info().id + " lacks VK_KHR_external_memory_fd, or was opened without it");
  bool isDmaBuf = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
  if (isDmaBuf && std::ranges::find(device.plan.extensions, "VK_EXT_external_memory_dma_buf") ==
                      device.plan.extensions.end())
    return Status(StatusCode::Unsupported, device.info().id +
                                               " lacks VK_EXT_external_memory_dma_buf, or was "
                                               "opened without it");
  VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  info.usage = usageFor(device.plan);
  info.handleType = type;
  VkExternalBufferProperties answer{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  device.instance().vk.vkGetPhysicalDeviceExternalBufferProperties(device.physical(), &info,
                                                                   &answer);
  return answer.externalMemoryProperties.externalMemoryFeatures;
}

/// Frees the VkBuffer, unless memory has been bound to it.
template <typename Place>
Result<MemoryPart> placeOrDestroy(VulkanDevice &device, VkBuffer buffer, Place place) {
  Result<MemoryPart> part = place();
  Status status = part.isOk() ? bindMemory(device, buffer, *part) : device.check(part.status());
  if (status.isOk())
    return part;
  device.vk().vkDestroyBuffer(device.handle(), buffer, nullptr);
  return status;
}

#ifdef _WIN32
Result<int> duplicate(int) {
  return Status(StatusCode::Unsupported, "Windows shares memory by handles, not file descriptors");
}
void closeFile(int) {}
#else
Result<int> duplicate(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return invalid("file descriptor " + std::to_string(fd) + ": " + std::strerror(errno));
  return copy;
}
void closeFile(int fd) { close(fd); }
#endif

/// Returns a mask of the memory types that the driver allows for the file descriptor.
Result<uint32_t> typesOf(VulkanDevice &device, const SharedMemory &memory) {
  if (memory.type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT)
    return 1u << memory.memoryType; // the type that the exporter reported
  VkMemoryFdPropertiesKHR properties{VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
  PUMICE_RETURN_IF_ERROR(
      device.check(PUMICE_VK(device.vk()., vkGetMemoryFdPropertiesKHR, device.handle(), memory.type,
                             memory.fd, &properties),
                   "vkGetMemoryFdPropertiesKHR"));
  return properties.memoryTypeBits;
}

Result<MemoryPart> importInto(VulkanDevice &device, VkBuffer buffer, const SharedMemory &memory) {
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  if (needs.size > memory.allocationBytes)
    return invalid("the memory has " + counted(memory.allocationBytes, "byte") +
                   "; a buffer that reaches to byte " +
                   std::to_string(memory.offset + memory.bytes) + " needs " +
                   std::to_string(needs.size));
  PUMICE_TRY(uint32_t types, typesOf(device, memory));
  types &= needs.memoryTypeBits;
  if (!types)
    return invalid("memory of type " + std::to_string(memory.memoryType) +
                   " cannot hold a buffer of " + device.info().id + " (allowed types: bit mask " +
                   std::to_string(needs.memoryTypeBits) + ")");
  uint32_t type = types & (1u << memory.memoryType)
                      ? memory.memoryType
                      : static_cast<uint32_t>(std::countr_zero(types));
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.buffer = buffer;
  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                 memory.dedicated ? &dedicated : nullptr};
  import.handleType = memory.type;
  PUMICE_TRY(import.fd, duplicate(memory.fd)); // if the import succeeds, it owns the descriptor
  Result<MemoryPart> part = device.memory.allocateAlone(type, memory.allocationBytes, &import);
  if (!part.isOk())
    closeFile(import.fd);
  return part;
}

} // namespace

Result<Ref<VulkanBuffer>> VulkanBuffer::wrap(VulkanDevice &device, const BufferPlace &place,
                                             uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(checkPlace(device, place, bytes));
  uint64_t address = addressOf(device, place.buffer);
  return Ref<VulkanBuffer>::adopt(
      new VulkanBuffer(device,
                       {bytes, hal::MemoryKind::Imported, address ? address + place.offset : 0,
                        nullptr, device.uses.takeNumber()},
                       place, {}));
}

Result<Ref<VulkanBuffer>> VulkanBuffer::createExportable(VulkanDevice &device, uint64_t bytes,
                                                         hal::MemoryKind kind,
                                                         MemoryHandleType type) {
  PUMICE_TRY(VkExternalMemoryFeatureFlags features, featuresOf(device, type));
  if (!(features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
    return Status(StatusCode::Unsupported,
                  device.info().id + " cannot export a buffer's memory as a handle of type " +
                      std::to_string(type));
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = type;
  PUMICE_TRY(VkBuffer handle, makeHandle(device, wholeWords(bytes), &external));
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), handle, &needs);
  SharedMemory shared{.type = type,
                      .allocationBytes = needs.size,
                      .dedicated = (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0,
                      .bytes = bytes};
  MemoryUse use = kind == hal::MemoryKind::Device ? MemoryUse::Device : MemoryUse::Host;
  auto part = placeOrDestroy(device, handle, [&]() -> Result<MemoryPart> {
    PUMICE_TRY(shared.memoryType, chooseMemoryType(device.plan, use, needs.memoryTypeBits));
    VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    dedicated.buffer = handle;
    VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                        shared.dedicated ? &dedicated : nullptr};
    exported.handleTypes = type;
    return device.memory.allocateAlone(shared.memoryType, needs.size, &exported);
  });
  if (!part.isOk())
    return Status(part.status()).at("a buffer of " + counted(bytes, "byte"));
  auto buffer = Ref<VulkanBuffer>::adopt(new VulkanBuffer(
      device, {bytes, kind, addressOf(device, handle), part->mapped(), device.uses.takeNumber()},
      {handle, wholeWords(bytes), 0, usageFor(device.plan)}, *part));
  buffer->exportable = shared;
  return buffer;
}

Result<SharedMemory> VulkanBuffer::exportMemory() const {
  if (!exportable)
    return invalid("the buffer's memory cannot be exported; create the buffer with "
                   "pumice_vulkan_buffer_create_exportable");
  SharedMemory shared = *exportable;
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = part.block->memory;
  info.handleType = shared.type;
  PUMICE_RETURN_IF_ERROR(
      owner.check(PUMICE_VK(owner.vk()., vkGetMemoryFdKHR, owner.handle(), &info, &shared.fd),
                  "vkGetMemoryFdKHR"));
  return shared;
}

Result<Ref<VulkanBuffer>> VulkanBuffer::importMemory(VulkanDevice &device,
                                                     const SharedMemory &memory) {
  if (memory.fd < 0)
    return invalid("the file descriptor must be open, but is negative: " +
                   std::to_string(memory.fd));
  PUMICE_TRY(VkExternalMemoryFeatureFlags features, featuresOf(device, memory.type));
  if (!(features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT))
    return Status(StatusCode::Unsupported,
                  device.info().id + " cannot import a buffer's memory as a handle of type " +
                      std::to_string(memory.type));
  if (memory.memoryType >= VK_MAX_MEMORY_TYPES)
    return invalid("memory type " + std::to_string(memory.memoryType) + " is out of range");
  if (memory.bytes == 0 || memory.offset > memory.allocationBytes ||
      memory.bytes > memory.allocationBytes - memory.offset)
    return invalid("the range of " + counted(memory.bytes, "byte") + " at offset " +
                   std::to_string(memory.offset) + " is empty, or not in the memory of " +
                   counted(memory.allocationBytes, "byte"));
  uint64_t alignment = device.info().limits.bindingAlignment;
  if (memory.offset % alignment != 0)
    return invalid("the offset must be a multiple of " + std::to_string(alignment) + ", got " +
                   std::to_string(memory.offset));
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = memory.type;
  uint64_t size = wholeWords(memory.offset + memory.bytes);
  PUMICE_TRY(VkBuffer handle, makeHandle(device, size, &external));
  auto part = placeOrDestroy(device, handle, [&] { return importInto(device, handle, memory); });
  if (!part.isOk())
    return Status(part.status()).at("importing " + counted(memory.bytes, "byte"));
  uint64_t address = addressOf(device, handle);
  return Ref<VulkanBuffer>::adopt(
      new VulkanBuffer(device,
                       {memory.bytes, hal::MemoryKind::Imported,
                        address ? address + memory.offset : 0, nullptr, device.uses.takeNumber()},
                       {handle, size, memory.offset, usageFor(device.plan)}, *part));
}

} // namespace pumice::vulkan
