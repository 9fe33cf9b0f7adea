//===- Instance.h - the connection to Vulkan's loader -----------------------===//
// Several instances may exist at once, on any threads, because each has its own function pointers
// and does not use volk's globals. PUMICE_VULKAN_VALIDATION=1 enables the validation layer, whose
// messages go to stderr.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Call.h"
#include "support/ForkSafety.h"
#include "support/Ref.h"
#include "support/Status.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

/// The functions of an instance and of its physical devices that the driver calls.
struct InstanceFunctions {
#define PUMICE_VK_INSTANCE_FUNCTIONS(each)                                                         \
  each(vkDestroyInstance) each(vkEnumeratePhysicalDevices) each(vkGetPhysicalDeviceProperties)     \
      each(vkGetPhysicalDeviceProperties2) each(vkGetPhysicalDeviceFeatures2)                      \
          each(vkGetPhysicalDeviceQueueFamilyProperties) each(vkGetPhysicalDeviceMemoryProperties) \
              each(vkGetPhysicalDeviceMemoryProperties2)                                           \
                  each(vkGetPhysicalDeviceExternalBufferProperties)                                \
                      each(vkEnumerateDeviceExtensionProperties) each(vkCreateDevice)
#define PUMICE_VK_MEMBER(name) PFN_##name name = nullptr;
  PUMICE_VK_INSTANCE_FUNCTIONS(PUMICE_VK_MEMBER)
#undef PUMICE_VK_MEMBER
  // These are null if the loader does not provide them.
  PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT = nullptr;
  PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT = nullptr;
  GetCooperativeMatrixProperties vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

struct InstanceOptions {
  bool validation = false;

  /// Reads PUMICE_VULKAN_VALIDATION. Errors: InvalidArgument unless it is 0, 1, or not set.
  static Result<InstanceOptions> fromEnvironment();
};

/// The advice in errors that occur in a forked child process.
constexpr char aroundFork[] =
    "open Vulkan devices in the child alone, or start it as a process of its "
    "own (Python's multiprocessing: 'spawn')";

/// Locks the loader. This is required to create or destroy an instance or a device, and to look up
/// a device's functions. Loaders (1.3.239) search for the device in lists that other threads may be
/// changing.
std::unique_lock<std::mutex> holdLoader();

class Instance final : public RefCounted {
public:
  /// Creates an instance. Errors: NotFound if the loader or a driver is missing. Unsupported if
  /// Vulkan is older than 1.1, or if the validation layer is requested but not installed.
  static Result<Ref<Instance>> create(const InstanceOptions &options);

  /// Uses an instance that the application created for Vulkan `version`. It is never destroyed
  /// here. `getProcAddr` is the application's loader, or null for the installed one. Errors: as
  /// above.
  static Result<Ref<Instance>> adopt(VkInstance instance, uint32_t version,
                                     PFN_vkGetInstanceProcAddr getProcAddr);

  VkInstance handle() const { return instance; }
  /// Returns the newest version that devices may use, which was requested from the loader.
  uint32_t version() const { return apiVersion; }
  Result<std::vector<VkPhysicalDevice>> physicalDevices() const;
  /// Returns whether this process was forked after devices of this instance had been opened.
  /// Drivers do not work in such a child.
  bool isLeftBehind() const {
    uint32_t opened = openedAfter;
    return opened != never && opened != forksSoFar();
  }
  void noteOpened() { openedAfter = forksSoFar(); }

  /// Returns vkGetDeviceProcAddr of the application's own loader, or null for the installed loader.
  PFN_vkGetDeviceProcAddr getDeviceProcAddr() const { return deviceProcAddr; }

  bool validates() const { return messenger != VK_NULL_HANDLE; }

  /// Returns the number of messages of validation layers in this process so far. It should be 0.
  static uint64_t validationMessages();

  InstanceFunctions vk;

private:
  Instance() = default;
  ~Instance() override;
  Status start(const InstanceOptions &options);
  Status loadFunctions(PFN_vkGetInstanceProcAddr getProcAddr);

  static constexpr uint32_t never = UINT32_MAX;
  std::atomic<uint32_t> openedAfter = never; // the number of forks before a device was opened
  bool owned = true;
  PFN_vkGetDeviceProcAddr deviceProcAddr = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  uint32_t apiVersion = VK_API_VERSION_1_1;
};

/// Calls `list(&count, items)`, as Vulkan's enumerations require, until the list no longer changes.
template <typename T, typename List>
VkResult enumerate(std::vector<T> &items, List list, const T &blank = T()) {
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    if (result = list(&count, nullptr); result != VK_SUCCESS && result != VK_INCOMPLETE)
      return result;
    items.assign(count, blank);
    result = list(&count, items.data());
    items.resize(std::min<size_t>(count, items.size()));
  }
  return result;
}

} // namespace pumice::vulkan
