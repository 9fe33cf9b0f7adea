//===- AdoptDevice.h - the runtime on an application's Vulkan objects -------===//
// The C API's pumice_vulkan.h calls it. The application's handles are used, never destroyed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/EnabledFeatures.h"
#include "runtime/drivers/vulkan/Timeline.h"

namespace pumice::vulkan {

/// Where the application's device comes from.
struct LentInstance {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  uint32_t version = 0;                            // VkApplicationInfo::apiVersion
  PFN_vkGetInstanceProcAddr getProcAddr = nullptr; // null: of the installed loader
};

struct LentDevice {
  LentInstance from;
  VkDevice device = VK_NULL_HANDLE;
  const VkDeviceCreateInfo *create = nullptr; // read during the call
  uint32_t queueFamily = 0, queueIndex = 0;
  QueueLock lock;
  std::function<void()> released; // the last use of the device is over
};

/// Lists what a VkDevice should be made with; see `wishesOf`. Errors: InvalidArgument, Unsupported.
Result<Wishes> wishesFor(const LentInstance &from, void *own);

/// Errors: InvalidArgument, by what is wrong; Unsupported, by the feature that is missing.
Result<Ref<hal::Device>> adoptDevice(LentDevice lent);

/// The device as this driver's. Errors: Unsupported for other drivers'.
Result<VulkanDevice *> asVulkan(hal::Device &device);

} // namespace pumice::vulkan
