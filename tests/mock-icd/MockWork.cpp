//===- MockWork.cpp - the device-level half of the mock Vulkan driver -------===//
#include "MockWork.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace mock {
namespace {

OpenDevice &from(VkDevice device) { return *reinterpret_cast<OpenDevice *>(device); }

/// A device that hangs keeps the objects that it was given, so they are not leaks.
template <typename T> T *kept(VkDevice device, T *object) {
  static std::mutex mutex;
  static auto *all = new std::vector<void *>;
  if (from(device).ending == Ending::hangs) {
    std::lock_guard lock(mutex);
    all->push_back(object);
  }
  return object;
}

//===- Memory ---------------------------------------------------------------===//

VKAPI_ATTR VkResult VKAPI_CALL allocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                              const VkAllocationCallbacks *, VkDeviceMemory *out) {
  void *bytes = kept(device, std::calloc(info->allocationSize, 1));
  *out = reinterpret_cast<VkDeviceMemory>(bytes);
  return bytes ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
VKAPI_ATTR void VKAPI_CALL freeMemory(VkDevice, VkDeviceMemory memory,
                                      const VkAllocationCallbacks *) {
  std::free(reinterpret_cast<void *>(memory));
}
VKAPI_ATTR VkResult VKAPI_CALL mapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset,
                                         VkDeviceSize, VkMemoryMapFlags, void **out) {
  *out = reinterpret_cast<std::byte *>(memory) + offset;
  return VK_SUCCESS;
}

struct Buffer {
  VkDeviceSize bytes;
};
VKAPI_ATTR VkResult VKAPI_CALL createBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                            const VkAllocationCallbacks *, VkBuffer *out) {
  *out = reinterpret_cast<VkBuffer>(kept(device, new Buffer{info->size}));
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL destroyBuffer(VkDevice, VkBuffer buffer, const VkAllocationCallbacks *) {
  delete reinterpret_cast<Buffer *>(buffer);
}
VKAPI_ATTR void VKAPI_CALL bufferRequirements(VkDevice, VkBuffer buffer,
                                              VkMemoryRequirements *out) {
  constexpr VkDeviceSize alignment = 256;
  VkDeviceSize bytes = reinterpret_cast<Buffer *>(buffer)->bytes;
  *out = {(bytes + alignment - 1) / alignment * alignment, alignment, ~0u};
}
VKAPI_ATTR VkDeviceAddress VKAPI_CALL bufferAddress(VkDevice,
                                                    const VkBufferDeviceAddressInfo *info) {
  return reinterpret_cast<uintptr_t>(info->buffer) << 8; // aligned, and never accessed
}

//===- Work -----------------------------------------------------------------===//

VKAPI_ATTR VkResult VKAPI_CALL allocateCommands(VkDevice device,
                                                const VkCommandBufferAllocateInfo *info,
                                                VkCommandBuffer *out) {
  std::lock_guard lock(from(device).mutex);
  for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
    from(device).commands.push_back(std::make_unique<Handle>());
    out[i] = reinterpret_cast<VkCommandBuffer>(from(device).commands.back().get());
  }
  return VK_SUCCESS;
}

template <typename T> Counter &counterOf(T handle) { return *reinterpret_cast<Counter *>(handle); }

VKAPI_ATTR VkResult VKAPI_CALL createSemaphore(VkDevice device, const VkSemaphoreCreateInfo *,
                                               const VkAllocationCallbacks *, VkSemaphore *out) {
  *out = reinterpret_cast<VkSemaphore>(kept(device, new Counter{0}));
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL destroySemaphore(VkDevice, VkSemaphore semaphore,
                                            const VkAllocationCallbacks *) {
  delete reinterpret_cast<Counter *>(semaphore);
}
VKAPI_ATTR VkResult VKAPI_CALL createFence(VkDevice device, const VkFenceCreateInfo *,
                                           const VkAllocationCallbacks *, VkFence *out) {
  *out = reinterpret_cast<VkFence>(kept(device, new Counter{0}));
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL destroyFence(VkDevice, VkFence fence, const VkAllocationCallbacks *) {
  delete reinterpret_cast<Counter *>(fence);
}
VKAPI_ATTR VkResult VKAPI_CALL resetFences(VkDevice, uint32_t count, const VkFence *fences) {
  for (uint32_t i = 0; i < count; ++i)
    counterOf(fences[i]).value = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL fenceStatus(VkDevice, VkFence fence) {
  return counterOf(fence).value ? VK_SUCCESS : VK_NOT_READY;
}
VKAPI_ATTR VkResult VKAPI_CALL semaphoreValue(VkDevice, VkSemaphore semaphore, uint64_t *out) {
  *out = counterOf(semaphore).value;
  return VK_SUCCESS;
}

void endAll(OpenDevice &device) {
  std::lock_guard lock(device.mutex);
  for (const Signal &signal : device.signals)
    signal.counter->value = signal.value;
  device.signals.clear();
}

/// A point that is not reached now is never reached. Drivers let a caller that waits for a lost
/// device sleep. This driver sleeps as long as the caller allows.
VkResult waitUntil(bool reached, uint64_t timeout) {
  if (reached)
    return VK_SUCCESS;
  constexpr uint64_t longest = 60'000'000'000;
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(timeout, longest)));
  return VK_TIMEOUT;
}
VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info,
                                              uint64_t timeout) {
  endAll(from(device));
  bool reached = true;
  for (uint32_t i = 0; i < info->semaphoreCount; ++i)
    reached = reached && counterOf(info->pSemaphores[i]).value >= info->pValues[i];
  return waitUntil(reached, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL signalSemaphore(VkDevice, const VkSemaphoreSignalInfo *info) {
  counterOf(info->semaphore).value = info->value;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice device, uint32_t count, const VkFence *fences,
                                             VkBool32, uint64_t timeout) {
  endAll(from(device));
  bool reached = std::all_of(fences, fences + count,
                             [](VkFence fence) { return counterOf(fence).value != 0; });
  return waitUntil(reached, timeout);
}

void signalLater(OpenDevice &device, const VkSubmitInfo &info) {
  const VkTimelineSemaphoreSubmitInfo *values = nullptr;
  for (auto *s = static_cast<const VkBaseInStructure *>(info.pNext); s; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
      values = reinterpret_cast<const VkTimelineSemaphoreSubmitInfo *>(s);
  for (uint32_t i = 0; values && i < info.signalSemaphoreCount; ++i)
    device.signals.push_back(
        {&counterOf(info.pSignalSemaphores[i]), values->pSignalSemaphoreValues[i]});
}

VKAPI_ATTR VkResult VKAPI_CALL queueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                           VkFence fence) {
  OpenDevice &device = *reinterpret_cast<Queue *>(queue)->device;
  if (device.lost)
    return VK_ERROR_DEVICE_LOST;
  bool works = std::any_of(infos, infos + count,
                           [](const VkSubmitInfo &info) { return info.commandBufferCount != 0; });
  if (works && device.ending == Ending::never) {
    device.lost = true; // the loss is not reported yet
    return VK_SUCCESS;
  }
  if (device.ending == Ending::hangs)
    return VK_SUCCESS;
  endAll(device);
  std::lock_guard lock(device.mutex);
  for (uint32_t i = 0; i < count; ++i)
    signalLater(device, infos[i]);
  if (fence)
    device.signals.push_back({&counterOf(fence), 1});
  return VK_SUCCESS;
}

VkResult waitIdle(OpenDevice &device) {
  if (device.ending == Ending::hangs) { // a real driver would not return
    std::fputs("the mock driver waits for work that never ends\n", stderr);
    std::abort();
  }
  endAll(device);
  return device.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL queueWaitIdle(VkQueue queue) {
  return waitIdle(*reinterpret_cast<Queue *>(queue)->device);
}
VKAPI_ATTR VkResult VKAPI_CALL deviceWaitIdle(VkDevice device) { return waitIdle(from(device)); }

VKAPI_ATTR VkResult VKAPI_CALL faultInfo(VkDevice, VkDeviceFaultCountsEXT *counts,
                                         VkDeviceFaultInfoEXT *info) {
  counts->addressInfoCount = 1;
  counts->vendorInfoCount = 0;
  counts->vendorBinarySize = 0;
  if (!info)
    return VK_SUCCESS;
  std::snprintf(info->description, sizeof info->description, "a mock's page fault");
  info->pAddressInfos[0] = {VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT, 0x12345678, 4096};
  return VK_SUCCESS;
}

//===- What nobody looks at -------------------------------------------------===//

std::atomic<uint64_t> numbers = 1;

template <typename T, typename Info>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info *, const VkAllocationCallbacks *,
                                      T *out) {
  *out = reinterpret_cast<T>(numbers++);
  return VK_SUCCESS;
}
template <typename T>
VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, T, const VkAllocationCallbacks *) {}
VKAPI_ATTR VkResult VKAPI_CALL createPipelines(VkDevice, VkPipelineCache, uint32_t count,
                                               const VkComputePipelineCreateInfo *,
                                               const VkAllocationCallbacks *, VkPipeline *out) {
  for (uint32_t i = 0; i < count; ++i)
    out[i] = reinterpret_cast<VkPipeline>(numbers++);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL allocateSets(VkDevice, const VkDescriptorSetAllocateInfo *info,
                                            VkDescriptorSet *out) {
  for (uint32_t i = 0; i < info->descriptorSetCount; ++i)
    out[i] = reinterpret_cast<VkDescriptorSet>(numbers++);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL cacheData(VkDevice, VkPipelineCache, size_t *bytes, void *) {
  *bytes = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL hostPointer(VkDevice, VkExternalMemoryHandleTypeFlagBits,
                                           const void *, VkMemoryHostPointerPropertiesEXT *out) {
  out->memoryTypeBits = ~0u;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL queryResults(VkDevice, VkQueryPool, uint32_t, uint32_t, size_t bytes,
                                            void *out, VkDeviceSize, VkQueryResultFlags) {
  std::memset(out, 0, bytes);
  return VK_SUCCESS;
}

/// Functions whose arguments do not matter, with Vulkan's types.
template <typename Function> struct Nothing;
template <typename... Arguments> struct Nothing<VkResult(VKAPI_PTR *)(Arguments...)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments...) { return VK_SUCCESS; }
};
template <typename... Arguments> struct Nothing<void(VKAPI_PTR *)(Arguments...)> {
  static VKAPI_ATTR void VKAPI_CALL call(Arguments...) {}
};

struct Entry {
  const char *name;
  PFN_vkVoidFunction function;
};

template <typename Function> Entry entry(const char *name, Function function) {
  return {name, reinterpret_cast<PFN_vkVoidFunction>(function)};
}

#define ENTRY(name, function) entry(#name, static_cast<PFN_##name>(function))
#define NOTHING(name) entry(#name, Nothing<PFN_##name>::call)
const Entry entries[] = {
    ENTRY(vkAllocateMemory, allocateMemory),
    ENTRY(vkFreeMemory, freeMemory),
    ENTRY(vkMapMemory, mapMemory),
    ENTRY(vkCreateBuffer, createBuffer),
    ENTRY(vkDestroyBuffer, destroyBuffer),
    ENTRY(vkGetBufferMemoryRequirements, bufferRequirements),
    ENTRY(vkGetBufferDeviceAddress, bufferAddress),
    NOTHING(vkBindBufferMemory),
    ENTRY(vkGetMemoryHostPointerPropertiesEXT, hostPointer),
    ENTRY(vkAllocateCommandBuffers, allocateCommands),
    NOTHING(vkBeginCommandBuffer),
    NOTHING(vkEndCommandBuffer),
    NOTHING(vkCmdBindDescriptorSets),
    NOTHING(vkCmdBindPipeline),
    NOTHING(vkCmdCopyBuffer),
    NOTHING(vkCmdDispatch),
    NOTHING(vkCmdDispatchBase),
    NOTHING(vkCmdFillBuffer),
    NOTHING(vkCmdPipelineBarrier),
    NOTHING(vkCmdPushConstants),
    NOTHING(vkCmdPushDescriptorSetKHR),
    NOTHING(vkCmdResetQueryPool),
    NOTHING(vkCmdWriteTimestamp),
    ENTRY(vkCreateCommandPool, create),
    ENTRY(vkDestroyCommandPool, destroy),
    NOTHING(vkResetCommandPool),
    ENTRY(vkCreateComputePipelines, createPipelines),
    ENTRY(vkDestroyPipeline, destroy),
    ENTRY(vkCreateDescriptorPool, create),
    ENTRY(vkDestroyDescriptorPool, destroy),
    NOTHING(vkResetDescriptorPool),
    ENTRY(vkAllocateDescriptorSets, allocateSets),
    NOTHING(vkUpdateDescriptorSets),
    ENTRY(vkCreateDescriptorSetLayout, create),
    ENTRY(vkDestroyDescriptorSetLayout, destroy),
    ENTRY(vkCreatePipelineCache, create),
    ENTRY(vkDestroyPipelineCache, destroy),
    ENTRY(vkGetPipelineCacheData, cacheData),
    NOTHING(vkMergePipelineCaches),
    ENTRY(vkCreatePipelineLayout, create),
    ENTRY(vkDestroyPipelineLayout, destroy),
    ENTRY(vkCreateShaderModule, create),
    ENTRY(vkDestroyShaderModule, destroy),
    ENTRY(vkCreateQueryPool, create),
    ENTRY(vkDestroyQueryPool, destroy),
    ENTRY(vkGetQueryPoolResults, queryResults),
    ENTRY(vkCreateSemaphore, createSemaphore),
    ENTRY(vkDestroySemaphore, destroySemaphore),
    ENTRY(vkGetSemaphoreCounterValue, semaphoreValue),
    ENTRY(vkSignalSemaphore, signalSemaphore),
    ENTRY(vkWaitSemaphores, waitSemaphores),
    ENTRY(vkCreateFence, createFence),
    ENTRY(vkDestroyFence, destroyFence),
    ENTRY(vkResetFences, resetFences),
    ENTRY(vkGetFenceStatus, fenceStatus),
    ENTRY(vkWaitForFences, waitForFences),
    ENTRY(vkQueueSubmit, queueSubmit),
    ENTRY(vkQueueWaitIdle, queueWaitIdle),
    ENTRY(vkDeviceWaitIdle, deviceWaitIdle),
    ENTRY(vkGetDeviceFaultInfoEXT, faultInfo),
};

} // namespace

PFN_vkVoidFunction findWork(const char *name) {
  for (const Entry &entry : entries)
    if (!std::strcmp(entry.name, name))
      return entry.function;
  return nullptr;
}

} // namespace mock
