//===- Buffer.cpp - a VkBuffer and its memory -------------------------------===//
#include "runtime/drivers/vulkan/Buffer.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Slack.h"
#include "support/EnglishText.h"

#include <cstring>

namespace pumice::vulkan {

VkBufferUsageFlags usageFor(const DevicePlan &plan) {
  return VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
         (plan.bufferAddresses ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0);
}

Result<VkBuffer> makeHandle(VulkanDevice &device, uint64_t bytes, const void *next) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, next};
  info.size = bytes;
  info.usage = usageFor(device.plan);
  if (device.options.families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(device.options.families.size());
    info.pQueueFamilyIndices = device.options.families.data();
  }
  VkBuffer buffer = VK_NULL_HANDLE;
  PUMICE_RETURN_IF_ERROR(device.check(
      PUMICE_VK(device.vk()., vkCreateBuffer, device.handle(), &info, nullptr, &buffer),
      "vkCreateBuffer"));
  return buffer;
}

Status bindMemory(VulkanDevice &device, VkBuffer buffer, const MemoryPart &part) {
  Status status = device.check(PUMICE_VK(device.vk()., vkBindBufferMemory, device.handle(), buffer,
                                         part.block->memory, part.offset),
                               "vkBindBufferMemory");
  if (!status.isOk())
    device.memory.free(part);
  return status;
}

uint64_t addressOf(VulkanDevice &device, VkBuffer buffer) {
  if (!device.plan.bufferAddresses)
    return 0;
  VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  info.buffer = buffer;
  return device.vk().vkGetBufferDeviceAddress(device.handle(), &info);
}

namespace {

Result<MemoryPart> placeOwn(VulkanDevice &device, VkBuffer buffer, MemoryUse use) {
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  Result<MemoryPart> part = device.memory.allocate(buffer, needs, device.plan.types(use));
  if (!part.isOk())
    return device.check(part.status());
  PUMICE_RETURN_IF_ERROR(bindMemory(device, buffer, *part));
  return part;
}

Result<MemoryPart> placeImported(VulkanDevice &device, VkBuffer buffer, void *memory,
                                 uint64_t bytes) {
  constexpr auto handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkMemoryHostPointerPropertiesEXT host{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  PUMICE_RETURN_IF_ERROR(device.check(PUMICE_VK(device.vk()., vkGetMemoryHostPointerPropertiesEXT,
                                                device.handle(), handleType, memory, &host),
                                      "vkGetMemoryHostPointerPropertiesEXT"));
  VkMemoryRequirements needs{};
  device.vk().vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  Result<uint32_t> type =
      chooseMemoryType(device.plan, MemoryUse::Host, needs.memoryTypeBits & host.memoryTypeBits);
  if (!type.isOk())
    return Status(type.status()).at("importing " + counted(bytes, "byte"));
  Result<MemoryPart> part = device.memory.importHost(memory, bytes, *type);
  if (!part.isOk())
    return device.check(part.status());
  PUMICE_RETURN_IF_ERROR(bindMemory(device, buffer, *part));
  return part;
}

bool hostClears(const VulkanDevice &device, const MemoryPart &part) {
  return part.block && part.mapped() && device.options.directTransfers;
}

uint64_t slackFor(VulkanDevice &device, hal::MemoryKind kind, uint64_t bytes) {
  if (kind == hal::MemoryKind::Host && bytes < leastHostBytes)
    return 0;
  uint64_t whole = VulkanBuffer::wholeWords(bytes), most = device.info().limits.maxBufferBytes;
  return slackBytes(bytes, device.slackHeld.load(std::memory_order_relaxed),
                    device.info().memoryBytes, most > whole ? most - whole : 0);
}

} // namespace

VulkanBuffer::VulkanBuffer(VulkanDevice &device, const Description &description,
                           const BufferPlace &place, MemoryPart part, uint64_t slack)
    : hal::Buffer(Ref<hal::Device>(&device), description), owner(device), place(place), part(part),
      slack(slack), freshSlack(slack && !hostClears(device, part)) {
  owner.unfinished.addBuffer(deviceAddress(), bytes());
}

VulkanBuffer::~VulkanBuffer() {
  owner.unfinished.removeBuffer(deviceAddress());
  owner.slackHeld.fetch_sub(2 * slack, std::memory_order_relaxed);
  if (part.block) {
    owner.vk().vkDestroyBuffer(owner.handle(), place.buffer, nullptr);
    owner.memory.free(part);
  }
  owner.uses.giveBack(number());
}

void VulkanBuffer::destroy() const {
  if (!owner.uses.keepWhileUsed(*this))
    delete this;
}

Result<Ref<VulkanBuffer>> VulkanBuffer::create(VulkanDevice &device, uint64_t bytes,
                                               hal::MemoryKind kind, MemoryUse use) {
  bool isStaging = use != MemoryUse::Device && use != MemoryUse::Host;
  uint64_t slack = isStaging ? 0 : slackFor(device, kind, bytes);
  PUMICE_TRY(VkBuffer handle, makeHandle(device, wholeWords(bytes) + 2 * slack, nullptr));
  Result<MemoryPart> part = placeOwn(device, handle, use);
  if (!part.isOk()) {
    device.vk().vkDestroyBuffer(device.handle(), handle, nullptr);
    return Status(part.status()).at("a buffer of " + counted(bytes, "byte"));
  }
  std::byte *mapped = part->mapped();
  // If the host does not clear the slack, the first work that uses the buffer does.
  if (slack && hostClears(device, *part)) {
    std::memset(mapped, 0, slack);
    std::memset(mapped + slack + wholeWords(bytes), 0, slack);
  }
  device.slackHeld.fetch_add(2 * slack, std::memory_order_relaxed);
  uint64_t address = addressOf(device, handle);
  return Ref<VulkanBuffer>::adopt(new VulkanBuffer(
      device,
      {bytes, kind, address ? address + slack : 0, mapped ? mapped + slack : nullptr,
       device.uses.takeNumber()},
      {handle, wholeWords(bytes) + 2 * slack, slack, usageFor(device.plan)}, *part, slack));
}

Result<Ref<VulkanBuffer>> VulkanBuffer::importHost(VulkanDevice &device, void *memory,
                                                   uint64_t bytes) {
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  PUMICE_TRY(VkBuffer handle, makeHandle(device, bytes, &external));
  Result<MemoryPart> part = placeImported(device, handle, memory, bytes);
  if (!part.isOk()) {
    device.vk().vkDestroyBuffer(device.handle(), handle, nullptr);
    return part.status();
  }
  return Ref<VulkanBuffer>::adopt(
      new VulkanBuffer(device,
                       {bytes, hal::MemoryKind::Imported, addressOf(device, handle),
                        static_cast<std::byte *>(memory), device.uses.takeNumber()},
                       {handle, bytes, 0, usageFor(device.plan)}, *part));
}

} // namespace pumice::vulkan
