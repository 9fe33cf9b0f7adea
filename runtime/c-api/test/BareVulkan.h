//===- BareVulkan.h - an application with Vulkan objects of its own ---------===//
// The objects of a program that uses Vulkan directly: an instance, a device with one queue, buffers
// and semaphores. If the validation layer is installed, it checks the calls of this program, and
// Pumice's calls on its device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "include/pumice/pumice_vulkan.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// Only the first member of Vulkan's structures is initialized explicitly. The rest is zero on
// purpose.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

namespace pumice::capi_test {

struct HostVisible { // a VkBuffer that is mapped
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t bytes = 0;
  VkBufferUsageFlags usage = 0;
  int32_t *values = nullptr;
};

class BareVulkan {
public:
  BareVulkan() = default;
  ~BareVulkan();
  BareVulkan(const BareVulkan &) = delete;
  BareVulkan &operator=(const BareVulkan &) = delete;

  /// Creates the instance, and chooses its first device that supports compute. If there is none,
  /// returns false and sets `why`.
  bool start();
  std::string why;

  pumice_vulkan_physical_device from() const;
  /// Creates the VkDevice with the features in `chain`. Returns false if Vulkan fails.
  bool makeDevice(const std::vector<const char *> &extensions, void *chain);
  /// Creates the VkDevice with everything that Pumice asks for.
  bool makeWishedDevice();
  /// Returns the options for pumice_vulkan_device_create.
  pumice_vulkan_device_options options() const;

  static constexpr VkBufferUsageFlags usualUsage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  HostVisible makeBuffer(uint64_t bytes, VkBufferUsageFlags usage = usualUsage);
  VkSemaphore makeSemaphore(uint64_t initial = 0);
  uint64_t valueOf(VkSemaphore semaphore) const;
  void signal(VkSemaphore semaphore, uint64_t value);
  bool waitFor(VkSemaphore semaphore, uint64_t value, uint64_t nanoseconds) const;

  struct Order { // the semaphore of a submission, and the values to wait for and to signal; 0: none
    VkSemaphore semaphore = VK_NULL_HANDLE;
    uint64_t waitFor = 0, signal = 0;
  };
  /// Records commands and submits them.
  void submit(const Order &order, const std::function<void(VkCommandBuffer)> &record);

  /// Returns all messages of the validation layer in this process so far.
  static const std::vector<std::string> &messages();

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;

private:
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  pumice_vulkan_wishes *wishes = nullptr;
  // The extensions with which the VkDevice was created.
  std::vector<const char *> extensions;
  VkDeviceQueueCreateInfo queueInfo{};
  VkDeviceCreateInfo create{};
  std::vector<HostVisible> buffers;
  std::vector<VkSemaphore> semaphores;
};

} // namespace pumice::capi_test
