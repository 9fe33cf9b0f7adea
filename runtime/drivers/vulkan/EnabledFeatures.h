//===- EnabledFeatures.h - features enabled in an application's VkDevice ----===//
// An application that lends its VkDevice decides what is enabled there. The driver then treats
// everything else as missing from the device. These functions work on plain data, so they can be
// tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <memory>

namespace pumice::vulkan {

/// The parts of a VkDeviceCreateInfo that the driver uses.
struct EnabledParts {
  NameSet extensions, features;
};
EnabledParts enabledBy(const VkDeviceCreateInfo &create);

/// Returns the facts of a device that has only `enabled`, and queues of one family.
DeviceFacts restrictFacts(DeviceFacts facts, const EnabledParts &enabled, uint32_t queueFamily);

/// Lists what an application should enable for Pumice.
struct Wishes {
  std::vector<std::string> extensions;
  std::unique_ptr<FeatureChain> features; // the features that `own` has no structure for
  uint32_t queueFamily = 0;
};

/// Enables what `plan` needs in the structures of `own`, an application's chain or null. Returns
/// the rest as a chain. Vulkan allows each structure only once. It forbids a structure if
/// VkPhysicalDeviceVulkanNNFeatures holds the same flags.
Wishes wishesOf(const DevicePlan &plan, void *own);

} // namespace pumice::vulkan
