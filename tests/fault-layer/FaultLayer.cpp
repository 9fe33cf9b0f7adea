//===- FaultLayer.cpp - a Vulkan layer that loses devices -------------------===//
// The layer is between the loader and a working driver (lavapipe). So programs get real results
// before and after a loss. VK_LAYER_PATH and VK_INSTANCE_LAYERS make the loader use it. It reads
//   PUMICE_FAULT_LOSE=3,7         the third and the seventh submission of work lose their devices
//   PUMICE_FAULT_LOSE=next        every submission loses its device while this is set
//   PUMICE_FAULT_LOSE=once:2      one submission loses its device, for each value after the colon
//   PUMICE_FAULT_ADDRESS=read+64  the fault is a read (or write) 64 bytes after the address with
//                                 which the push constants of the last launch begin
//   PUMICE_FAULT_REFUSE=2         the first two calls of vkCreateDevice fail
// The devices have VK_EXT_device_fault, even if the driver lacks it.
//===-------------------------------------------------------------------------===//
#define VK_NO_PROTOTYPES
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

#define LAYER VKAPI_ATTR
constexpr const char *faultExtension = VK_EXT_DEVICE_FAULT_EXTENSION_NAME;

/// Returns the loader's dispatch table, which all handles of one instance or device share.
void *keyOf(const void *dispatchable) { return *static_cast<void *const *>(dispatchable); }

struct Instance {
  PFN_vkGetInstanceProcAddr next = nullptr;
  VkInstance handle = VK_NULL_HANDLE;
  // Looked up while the instance is created, since the loader would later return the topmost
  // layer's.
  PFN_vkDestroyInstance destroy = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties extensions = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 features = nullptr;
};
struct Device {
  PFN_vkGetDeviceProcAddr next;
  VkDevice handle;
  std::atomic<bool> lost = false;
};

std::mutex mutex;
std::map<void *, Instance> instances;
std::map<void *, std::unique_ptr<Device>> devices;
std::atomic<int> submissions = 0, creations = 0;
std::atomic<uint64_t> lastAddress = 0;

Instance &instanceOf(const void *handle) {
  std::lock_guard lock(mutex);
  return instances[keyOf(handle)];
}
Device &deviceOf(const void *handle) {
  std::lock_guard lock(mutex);
  return *devices[keyOf(handle)];
}
template <typename Function> Function below(const Instance &instance, const char *name) {
  return reinterpret_cast<Function>(instance.next(instance.handle, name));
}
template <typename Function> Function below(const Device &device, const char *name) {
  return reinterpret_cast<Function>(device.next(device.handle, name));
}
#define BELOW(object, name) below<PFN_##name>(object, #name)

std::string setting(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

bool losesAt(int submission) {
  std::string said = setting("PUMICE_FAULT_LOSE");
  if (said == "next")
    return true;
  if (said.rfind("once:", 0) == 0) {
    static std::string taken;
    std::lock_guard lock(mutex);
    return std::exchange(taken, said) != said;
  }
  std::istringstream list(said);
  for (std::string one; std::getline(list, one, ',');)
    if (std::atoi(one.c_str()) == submission)
      return true;
  return false;
}

/// Returns the loader's structure in a pNext chain, which names the next layer's function.
template <typename Link>
Link *linkOf(const void *chain, VkStructureType type, VkLayerFunction function) {
  for (auto *at = static_cast<const VkBaseInStructure *>(chain); at; at = at->pNext) {
    auto *link = reinterpret_cast<const Link *>(at);
    if (at->sType == type && link->function == function)
      return const_cast<Link *>(link);
  }
  return nullptr;
}

//===- Instances ------------------------------------------------------------===//

LAYER VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo *info,
                                         const VkAllocationCallbacks *allocator, VkInstance *out) {
  auto *link = linkOf<VkLayerInstanceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (!link)
    return VK_ERROR_INITIALIZATION_FAILED;
  PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  VkResult result = create(info, allocator, out);
  if (result == VK_SUCCESS) {
    std::lock_guard lock(mutex);
    Instance &made = instances[keyOf(*out)] = {next, *out};
    made.destroy = BELOW(made, vkDestroyInstance);
    made.extensions = BELOW(made, vkEnumerateDeviceExtensionProperties);
    made.features = BELOW(made, vkGetPhysicalDeviceFeatures2);
  }
  return result;
}

LAYER void VKAPI_CALL destroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator) {
  Instance known = instanceOf(instance);
  {
    std::lock_guard lock(mutex);
    instances.erase(keyOf(instance));
  }
  known.destroy(instance, allocator);
}

LAYER VkResult VKAPI_CALL deviceExtensions(VkPhysicalDevice physical, const char *layer,
                                           uint32_t *count, VkExtensionProperties *out) {
  auto list = instanceOf(physical).extensions;
  uint32_t there = 0;
  if (VkResult result = list(physical, layer, &there, nullptr); result != VK_SUCCESS)
    return result;
  std::vector<VkExtensionProperties> all(there);
  if (VkResult result = list(physical, layer, &there, all.data()); result != VK_SUCCESS)
    return result;
  VkExtensionProperties fault{};
  std::snprintf(fault.extensionName, sizeof fault.extensionName, "%s", faultExtension);
  fault.specVersion = 1;
  all.push_back(fault);
  if (!out) {
    *count = static_cast<uint32_t>(all.size());
    return VK_SUCCESS;
  }
  bool fits = all.size() <= *count;
  *count = std::min<uint32_t>(*count, static_cast<uint32_t>(all.size()));
  std::copy_n(all.begin(), *count, out);
  return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

LAYER void VKAPI_CALL features(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *out) {
  instanceOf(physical).features(physical, out);
  for (auto *at = static_cast<VkBaseOutStructure *>(out->pNext); at; at = at->pNext)
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT)
      reinterpret_cast<VkPhysicalDeviceFaultFeaturesEXT *>(at)->deviceFault = VK_TRUE;
}

/// Removes the feature that this layer adds, because the driver may lack it.
void withoutFault(VkDeviceCreateInfo &info) {
  auto *at = reinterpret_cast<VkBaseOutStructure *>(&info);
  for (; at->pNext; at = at->pNext)
    if (at->pNext->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT) {
      at->pNext = at->pNext->pNext; // Pumice made the chain, and uses it once
      return;
    }
}

LAYER VkResult VKAPI_CALL createDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                       const VkAllocationCallbacks *allocator, VkDevice *out) {
  if (creations++ < std::atoi(setting("PUMICE_FAULT_REFUSE").c_str()))
    return VK_ERROR_INITIALIZATION_FAILED;
  auto *link = linkOf<VkLayerDeviceCreateInfo>(
      info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (!link)
    return VK_ERROR_INITIALIZATION_FAILED;
  PFN_vkGetInstanceProcAddr nextInstance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  std::vector<const char *> names; // without this layer's extension, which the driver may not know
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    if (std::strcmp(info->ppEnabledExtensionNames[i], faultExtension) != 0)
      names.push_back(info->ppEnabledExtensionNames[i]);
  VkDeviceCreateInfo known = *info;
  withoutFault(known);
  known.enabledExtensionCount = static_cast<uint32_t>(names.size());
  known.ppEnabledExtensionNames = names.data();
  auto create = reinterpret_cast<PFN_vkCreateDevice>(
      nextInstance(instanceOf(physical).handle, "vkCreateDevice"));
  VkResult result = create(physical, &known, allocator, out);
  if (result == VK_SUCCESS) {
    auto device = std::make_unique<Device>();
    device->next = next;
    device->handle = *out;
    std::lock_guard lock(mutex);
    devices[keyOf(*out)] = std::move(device);
  }
  return result;
}

//===- Devices --------------------------------------------------------------===//

LAYER void VKAPI_CALL destroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator) {
  auto destroy = BELOW(deviceOf(handle), vkDestroyDevice);
  {
    std::lock_guard lock(mutex);
    devices.erase(keyOf(handle));
  }
  destroy(handle, allocator);
}

/// Returns the result of `call`, or VK_ERROR_DEVICE_LOST if the device is lost.
template <typename Call> VkResult unlessLost(Device &device, Call call) {
  VkResult result = call();
  return device.lost ? VK_ERROR_DEVICE_LOST : result;
}

LAYER VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                 VkFence fence) {
  Device &device = deviceOf(queue);
  bool works = false;
  for (uint32_t i = 0; i < count; ++i)
    works |= infos[i].commandBufferCount != 0;
  if (device.lost)
    return VK_ERROR_DEVICE_LOST;
  if (works && losesAt(++submissions)) {
    device.lost = true; // the work never runs; the next call reports the loss
    return VK_SUCCESS;
  }
  return BELOW(device, vkQueueSubmit)(queue, count, infos, fence);
}

LAYER VkResult VKAPI_CALL waitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                         uint64_t timeout) {
  Device &device = deviceOf(handle);
  if (device.lost)
    return VK_ERROR_DEVICE_LOST;
  return unlessLost(device, [&] { return BELOW(device, vkWaitSemaphores)(handle, info, timeout); });
}
LAYER VkResult VKAPI_CALL semaphoreValue(VkDevice handle, VkSemaphore semaphore, uint64_t *out) {
  Device &device = deviceOf(handle);
  return unlessLost(
      device, [&] { return BELOW(device, vkGetSemaphoreCounterValue)(handle, semaphore, out); });
}
LAYER VkResult VKAPI_CALL waitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                        VkBool32 all, uint64_t timeout) {
  Device &device = deviceOf(handle);
  if (device.lost)
    return VK_ERROR_DEVICE_LOST;
  return unlessLost(
      device, [&] { return BELOW(device, vkWaitForFences)(handle, count, fences, all, timeout); });
}
LAYER VkResult VKAPI_CALL fenceStatus(VkDevice handle, VkFence fence) {
  Device &device = deviceOf(handle);
  return unlessLost(device, [&] { return BELOW(device, vkGetFenceStatus)(handle, fence); });
}
LAYER VkResult VKAPI_CALL queueWaitIdle(VkQueue queue) {
  Device &device = deviceOf(queue);
  return unlessLost(device, [&] { return BELOW(device, vkQueueWaitIdle)(queue); });
}
LAYER VkResult VKAPI_CALL deviceWaitIdle(VkDevice handle) {
  Device &device = deviceOf(handle);
  return unlessLost(device, [&] { return BELOW(device, vkDeviceWaitIdle)(handle); });
}

LAYER void VKAPI_CALL pushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                    VkShaderStageFlags stages, uint32_t offset, uint32_t bytes,
                                    const void *data) {
  uint64_t address = 0;
  if (offset == 0 && bytes >= sizeof address) {
    std::memcpy(&address, data, sizeof address);
    lastAddress = address;
  }
  BELOW(deviceOf(commands), vkCmdPushConstants)(commands, layout, stages, offset, bytes, data);
}

LAYER VkResult VKAPI_CALL faultInfo(VkDevice, VkDeviceFaultCountsEXT *counts,
                                    VkDeviceFaultInfoEXT *info) {
  std::string said = setting("PUMICE_FAULT_ADDRESS");
  counts->addressInfoCount = said.empty() ? 0 : 1;
  counts->vendorInfoCount = 0;
  counts->vendorBinarySize = 0;
  if (!info)
    return VK_SUCCESS;
  std::snprintf(info->description, sizeof info->description, "a fault of the test");
  if (said.empty())
    return VK_SUCCESS;
  bool writes = said.starts_with("write");
  int64_t offset = std::atoll(said.c_str() + (writes ? 5 : 4));
  info->pAddressInfos[0] = {writes ? VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT
                                   : VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT,
                            lastAddress + static_cast<uint64_t>(offset), 1};
  return VK_SUCCESS;
}

//===- What the loader asks for ---------------------------------------------===//

#define ENTRY(name, function)                                                                      \
  {#name, reinterpret_cast<PFN_vkVoidFunction>(static_cast<PFN_##name>(function))}

struct Entry {
  const char *name;
  PFN_vkVoidFunction function;
};

LAYER PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice handle, const char *name) {
  static const Entry entries[] = {
      ENTRY(vkGetDeviceProcAddr, getDeviceProc),
      ENTRY(vkDestroyDevice, destroyDevice),
      ENTRY(vkQueueSubmit, submit),
      ENTRY(vkWaitSemaphores, waitSemaphores),
      ENTRY(vkGetSemaphoreCounterValue, semaphoreValue),
      ENTRY(vkWaitForFences, waitForFences),
      ENTRY(vkGetFenceStatus, fenceStatus),
      ENTRY(vkQueueWaitIdle, queueWaitIdle),
      ENTRY(vkDeviceWaitIdle, deviceWaitIdle),
      ENTRY(vkCmdPushConstants, pushConstants),
      ENTRY(vkGetDeviceFaultInfoEXT, faultInfo),
  };
  for (const Entry &entry : entries)
    if (!std::strcmp(entry.name, name))
      return entry.function;
  return handle ? deviceOf(handle).next(handle, name) : nullptr;
}

LAYER PFN_vkVoidFunction VKAPI_CALL getInstanceProc(VkInstance instance, const char *name) {
  static const Entry entries[] = {
      ENTRY(vkGetInstanceProcAddr, getInstanceProc),
      ENTRY(vkCreateInstance, createInstance),
      ENTRY(vkDestroyInstance, destroyInstance),
      ENTRY(vkEnumerateDeviceExtensionProperties, deviceExtensions),
      ENTRY(vkGetPhysicalDeviceFeatures2, features),
      ENTRY(vkCreateDevice, createDevice),
  };
  for (const Entry &entry : entries)
    if (!std::strcmp(entry.name, name))
      return entry.function;
  if (PFN_vkVoidFunction own = getDeviceProc(VK_NULL_HANDLE, name))
    return own;
  return instance ? instanceOf(instance).next(instance, name) : nullptr;
}

} // namespace

/// Returns how many devices are open, for tests that load this library by its path.
extern "C" __attribute__((visibility("default"))) int pumiceFaultLayerDevices() {
  std::lock_guard lock(mutex);
  return static_cast<int>(devices.size());
}

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated) {
  negotiated->loaderLayerInterfaceVersion = 2;
  negotiated->pfnGetInstanceProcAddr = getInstanceProc;
  negotiated->pfnGetDeviceProcAddr = getDeviceProc;
  negotiated->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
