//===- EnabledFeatures.h - what an application's VkDevice was made with -----===//
// An application that lends its VkDevice decides what is switched on there. The driver then works
// as on a device that has nothing else. Pure functions of plain data: tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <memory>

namespace pumice::vulkan {

/// Holds what a VkDeviceCreateInfo switches on, as far as the driver uses it.
struct EnabledParts {
  NameSet extensions, features;
};
EnabledParts enabledBy(const VkDeviceCreateInfo &create);

/// The facts of a device that has only `enabled` to offer, and queues of one family.
DeviceFacts restrictFacts(DeviceFacts facts, const EnabledParts &enabled, uint32_t queueFamily);

/// Lists what an application switches on for Pumice.
struct Wishes {
  std::vector<std::string> extensions;
  std::unique_ptr<FeatureChain> features; // what `own` did not take
  uint32_t queueFamily = 0;
};

/// Switches on what `plan` wants in the structures of `own`, an application's chain or null. The
/// rest comes as a chain. Vulkan allows each structure once, and none together with the structure
/// of a version that holds the same flags.
Wishes wishesOf(const DevicePlan &plan, void *own);

} // namespace pumice::vulkan
