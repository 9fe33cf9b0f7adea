//===- MockIcd.cpp - a Vulkan driver without a device behind it -------------===//
// The loader opens it as it opens any driver, by its ICD file. It plays the devices that
// PUMICE_MOCK_DEVICES names ("h200,mobile"); "h200!vkCreateDevice" plays one whose call of that
// name fails, "!vkEnumeratePhysicalDevices" a driver whose own call does, "h200!work" a device
// that its first work loses, "h200!hang" one that never ends it, and "h200!sleep" one whose work
// ends when someone sleeps until it does (MockWork.h). Others take no work: they can be listed,
// asked and opened.
//===-------------------------------------------------------------------------===//
#include "MockWork.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

namespace {

using mock::Handle;
struct Physical : Handle {
  const mock::Device *device = nullptr;
  std::string failing; // the name of the call that fails
};
struct Instance : Handle {
  std::vector<std::unique_ptr<Physical>> physicals;
};

/// Returns the device of each entry, or "" for the driver itself, and the name after `!`.
std::vector<std::pair<std::string, std::string>> requested() {
  const char *text = std::getenv("PUMICE_MOCK_DEVICES");
  std::istringstream stream(text ? text : "");
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::string entry; std::getline(stream, entry, ',');) {
    size_t mark = entry.find('!');
    entries.emplace_back(entry.substr(0, mark),
                         mark == std::string::npos ? "" : entry.substr(mark + 1));
  }
  return entries;
}

bool driverFails(const char *call) {
  return std::ranges::any_of(
      requested(), [&](const auto &entry) { return entry.first.empty() && entry.second == call; });
}

Physical &from(VkPhysicalDevice handle) { return *reinterpret_cast<Physical *>(handle); }

/// Implements Vulkan's calls that return a list in two steps.
template <typename T> VkResult list(const std::vector<T> &items, uint32_t *count, T *out) {
  if (!out) {
    *count = static_cast<uint32_t>(items.size());
    return VK_SUCCESS;
  }
  bool fits = items.size() <= *count;
  *count = std::min<uint32_t>(*count, static_cast<uint32_t>(items.size()));
  std::copy_n(items.begin(), *count, out);
  return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo *info,
                                              const VkAllocationCallbacks *, VkInstance *out) {
  // SwiftShader does the same, whatever its devices support.
  if (info->pApplicationInfo &&
      info->pApplicationInfo->apiVersion >= VK_MAKE_API_VERSION(0, 1, 4, 0))
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  if (driverFails("vkCreateInstance"))
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  auto instance = std::make_unique<Instance>();
  for (auto &[name, failing] : requested())
    if (const mock::Device *device = mock::findDevice(name)) {
      auto physical = std::make_unique<Physical>();
      physical->device = device;
      physical->failing = failing;
      instance->physicals.push_back(std::move(physical));
    }
  *out = reinterpret_cast<VkInstance>(instance.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyInstance(VkInstance instance, const VkAllocationCallbacks *) {
  delete reinterpret_cast<Instance *>(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateInstanceVersion(uint32_t *version) {
  *version = VK_MAKE_API_VERSION(0, 1, 4, 312);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL instanceExtensions(const char *, uint32_t *count,
                                                  VkExtensionProperties *out) {
  return list<VkExtensionProperties>({}, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL enumeratePhysicalDevices(VkInstance instance, uint32_t *count,
                                                        VkPhysicalDevice *out) {
  if (driverFails("vkEnumeratePhysicalDevices"))
    return VK_ERROR_INITIALIZATION_FAILED;
  std::vector<VkPhysicalDevice> handles;
  for (auto &physical : reinterpret_cast<Instance *>(instance)->physicals)
    handles.push_back(reinterpret_cast<VkPhysicalDevice>(physical.get()));
  return list(handles, count, out);
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out) {
  *out = from(handle).device->properties;
}
VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice handle,
                                          VkPhysicalDeviceProperties2 *out) {
  getProperties(handle, &out->properties);
  mock::writeProperties(*from(handle).device, out->pNext);
}
VKAPI_ATTR void VKAPI_CALL getFeatures(VkPhysicalDevice handle, VkPhysicalDeviceFeatures *out) {
  *out = {};
  mock::writeCoreFeatures(*from(handle).device, *out);
}
VKAPI_ATTR void VKAPI_CALL getFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out) {
  getFeatures(handle, &out->features);
  mock::writeFeatures(*from(handle).device, out->pNext);
}
VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice handle, uint32_t *count,
                                            VkQueueFamilyProperties *out) {
  list(from(handle).device->families, count, out);
}
VKAPI_ATTR void VKAPI_CALL getMemory(VkPhysicalDevice handle,
                                     VkPhysicalDeviceMemoryProperties *out) {
  *out = from(handle).device->memory;
}
VKAPI_ATTR void VKAPI_CALL getMemory2(VkPhysicalDevice handle,
                                      VkPhysicalDeviceMemoryProperties2 *out) {
  getMemory(handle, &out->memoryProperties);
}
VKAPI_ATTR void VKAPI_CALL getFormat(VkPhysicalDevice, VkFormat, VkFormatProperties *out) {
  *out = {};
}
VKAPI_ATTR VkResult VKAPI_CALL getImageFormat(VkPhysicalDevice, VkFormat, VkImageType,
                                              VkImageTiling, VkImageUsageFlags, VkImageCreateFlags,
                                              VkImageFormatProperties *) {
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}
VKAPI_ATTR void VKAPI_CALL getSparseFormats(VkPhysicalDevice, VkFormat, VkImageType,
                                            VkSampleCountFlagBits, VkImageUsageFlags, VkImageTiling,
                                            uint32_t *count, VkSparseImageFormatProperties *) {
  *count = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL deviceExtensions(VkPhysicalDevice handle, const char *,
                                                uint32_t *count, VkExtensionProperties *out) {
  if (from(handle).failing == "vkEnumerateDeviceExtensionProperties") {
    *count = 0; // the loader of 1.3.239 uses the count even if the call failed
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  std::vector<VkExtensionProperties> extensions;
  for (auto &[name, revision] : from(handle).device->extensions) {
    VkExtensionProperties &item = extensions.emplace_back();
    std::strncpy(item.extensionName, name.c_str(), sizeof item.extensionName - 1);
    item.specVersion = revision;
  }
  return list(extensions, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL getMatrices(VkPhysicalDevice handle, uint32_t *count,
                                           mock::MatrixProperties *out) {
  if (from(handle).failing == "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR")
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  std::vector<mock::MatrixProperties> items;
  for (const mock::Shape &s : from(handle).device->shapes)
    items.push_back({static_cast<VkStructureType>(1000506001), nullptr, s.m, s.n, s.k, s.a, s.b,
                     s.c, s.result, VK_FALSE, /*subgroup*/ 3});
  return list(items, count, out);
}

/// The loader aborts the process if a driver lists the extension and lacks this function.
/// Validation layers call it.
VKAPI_ATTR VkResult VKAPI_CALL getMatricesNV(VkPhysicalDevice, uint32_t *count,
                                             VkCooperativeMatrixPropertiesNV *out) {
  return list<VkCooperativeMatrixPropertiesNV>({}, count, out);
}

/// Checks as strictly as validation layers. A device must have what is enabled, and the extension
/// of portability drivers must be enabled.
VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                            const VkAllocationCallbacks *, VkDevice *out) {
  const Physical &physical = from(handle);
  if (physical.failing == "vkCreateDevice")
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const mock::Device &device = *physical.device;
  bool subset = false;
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    if (!device.extensions.contains(info->ppEnabledExtensionNames[i]))
      return VK_ERROR_EXTENSION_NOT_PRESENT;
    subset |= !std::strcmp(info->ppEnabledExtensionNames[i], "VK_KHR_portability_subset");
  }
  if (device.extensions.contains("VK_KHR_portability_subset") && !subset)
    return VK_ERROR_INITIALIZATION_FAILED;
  for (uint32_t i = 0; i < info->queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo &queue = info->pQueueCreateInfos[i];
    if (queue.queueFamilyIndex >= device.families.size() ||
        queue.queueCount > device.families[queue.queueFamilyIndex].queueCount)
      return VK_ERROR_INITIALIZATION_FAILED;
  }
  if (VkResult result = mock::checkFeatures(device, info->pNext); result != VK_SUCCESS)
    return result;
  auto ending = physical.failing == "work"    ? mock::Ending::never
                : physical.failing == "hang"  ? mock::Ending::hangs
                : physical.failing == "sleep" ? mock::Ending::whenWaited
                                              : mock::Ending::noWork;
  *out = reinterpret_cast<VkDevice>(new mock::OpenDevice(ending));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyDevice(VkDevice device, const VkAllocationCallbacks *) {
  delete reinterpret_cast<mock::OpenDevice *>(device);
}
VKAPI_ATTR void VKAPI_CALL getQueue(VkDevice device, uint32_t, uint32_t index, VkQueue *out) {
  *out = reinterpret_cast<VkQueue>(&reinterpret_cast<mock::OpenDevice *>(device)->queues[index]);
}

PFN_vkVoidFunction find(const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProc(VkDevice handle, const char *name) {
  bool works = reinterpret_cast<mock::OpenDevice *>(handle)->ending != mock::Ending::noWork;
  PFN_vkVoidFunction work = works ? mock::findWork(name) : nullptr;
  return work ? work : find(name);
}

PFN_vkVoidFunction find(const char *name) {
  struct Entry {
    const char *name;
    PFN_vkVoidFunction function;
  };
#define ENTRY(name, function)                                                                      \
  {                                                                                                \
    #name, reinterpret_cast<PFN_vkVoidFunction>(function)                                          \
  }
  static const Entry entries[] = {
      ENTRY(vkCreateInstance, createInstance),
      ENTRY(vkDestroyInstance, destroyInstance),
      ENTRY(vkEnumerateInstanceVersion, enumerateInstanceVersion),
      ENTRY(vkEnumerateInstanceExtensionProperties, instanceExtensions),
      ENTRY(vkEnumeratePhysicalDevices, enumeratePhysicalDevices),
      ENTRY(vkGetPhysicalDeviceProperties, getProperties),
      ENTRY(vkGetPhysicalDeviceProperties2, getProperties2),
      ENTRY(vkGetPhysicalDeviceFeatures, getFeatures),
      ENTRY(vkGetPhysicalDeviceFeatures2, getFeatures2),
      ENTRY(vkGetPhysicalDeviceQueueFamilyProperties, getQueueFamilies),
      ENTRY(vkGetPhysicalDeviceMemoryProperties, getMemory),
      ENTRY(vkGetPhysicalDeviceMemoryProperties2, getMemory2),
      ENTRY(vkGetPhysicalDeviceFormatProperties, getFormat),
      ENTRY(vkGetPhysicalDeviceImageFormatProperties, getImageFormat),
      ENTRY(vkGetPhysicalDeviceSparseImageFormatProperties, getSparseFormats),
      ENTRY(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, getMatrices),
      ENTRY(vkGetPhysicalDeviceCooperativeMatrixPropertiesNV, getMatricesNV),
      ENTRY(vkEnumerateDeviceExtensionProperties, deviceExtensions),
      ENTRY(vkCreateDevice, createDevice),
      ENTRY(vkDestroyDevice, destroyDevice),
      ENTRY(vkGetDeviceQueue, getQueue),
      ENTRY(vkGetDeviceProcAddr, getDeviceProc),
  };
  for (const Entry &entry : entries)
    if (!std::strcmp(entry.name, name))
      return entry.function;
  return nullptr;
}

} // namespace

extern "C" {

#define MOCK_EXPORT __attribute__((visibility("default")))
MOCK_EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  *version = std::min(*version, 5u);
  return VK_SUCCESS;
}
MOCK_EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance, const char *name) {
  return find(name);
}
MOCK_EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance, const char *name) {
  bool ofPhysicalDevice = !std::strncmp(name, "vkGetPhysicalDevice", 19) ||
                          !std::strcmp(name, "vkEnumerateDeviceExtensionProperties") ||
                          !std::strcmp(name, "vkCreateDevice");
  return ofPhysicalDevice ? find(name) : nullptr;
}
}
