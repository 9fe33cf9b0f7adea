//===- AdoptDevice.h - the runtime on an application's Vulkan objects -------===//
// The functions behind the C API's pumice_vulkan.h. They use the application's handles, but never
// destroy them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/EnabledFeatures.h"
#include "runtime/drivers/vulkan/Timeline.h"

namespace pumice::vulkan {

/// The application's objects from which its device was created.
struct LentInstance {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  uint32_t version = 0;                            // VkApplicationInfo::apiVersion
  PFN_vkGetInstanceProcAddr getProcAddr = nullptr; // null: the installed loader's function
};

struct LentDevice {
  LentInstance from;
  VkDevice device = VK_NULL_HANDLE;
  const VkDeviceCreateInfo *create = nullptr; // read during the call
  uint32_t queueFamily = 0, queueIndex = 0;
  QueueLock lock;
  std::function<void()> released; // called after the last use of the device
};

/// Lists what to enable in a VkDevice so that Pumice can use it; see `wishesOf`. Errors:
/// InvalidArgument, Unsupported.
Result<Wishes> wishesFor(const LentInstance &from, void *own);

/// Opens the device. Errors: InvalidArgument, which names the mistake; Unsupported, which names the
/// missing feature.
Result<Ref<hal::Device>> adoptDevice(LentDevice lent);

/// Casts a device to this driver's class. Errors: Unsupported if another driver made it.
Result<VulkanDevice *> asVulkan(hal::Device &device);

} // namespace pumice::vulkan
