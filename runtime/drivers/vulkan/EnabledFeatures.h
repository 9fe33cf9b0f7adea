//===- EnabledFeatures.h - features enabled in an application's VkDevice ----===//
// An application that lends its VkDevice decides what is enabled in it. The driver must treat
// everything else as if the device lacked it. These functions work on plain data, so they can be
// tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <memory>

namespace pumice::vulkan {

/// Those parts of a VkDeviceCreateInfo that matter to the driver.
struct EnabledParts {
  NameSet extensions, features;
};
EnabledParts enabledBy(const VkDeviceCreateInfo &create);

/// Returns the facts about a device that has only what is `enabled`, and queues of one family.
DeviceFacts restrictFacts(DeviceFacts facts, const EnabledParts &enabled, uint32_t queueFamily);

/// Lists what an application should enable for Pumice.
struct Wishes {
  std::vector<std::string> extensions;
  std::unique_ptr<FeatureChain> features; // features for which `own` has no structure
  uint32_t queueFamily = 0;
};

/// Enables what `plan` needs. Uses the structures of `own`, which is the application's chain or
/// null, and returns the rest as another chain. Vulkan allows each structure only once. It also
/// forbids a structure if a VkPhysicalDeviceVulkanNNFeatures has the same flags.
Wishes wishesOf(const DevicePlan &plan, void *own);

} // namespace pumice::vulkan
