//===- PhysicalDevice.h - what a Vulkan device says about itself ------------===//
// Everything is read once, into plain data; deciding and describing work on that, so both are
// tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/FeatureTable.h"
#include "runtime/drivers/vulkan/Instance.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::vulkan {

struct DeviceFacts {
  VkPhysicalDevice handle = VK_NULL_HANDLE; // null in facts that were made by hand
  /// The version whose calls and structures may be used: the lower of the device's and the
  /// instance's. Extensions provide what newer versions have.
  uint32_t version = VK_API_VERSION_1_1;
  VkPhysicalDeviceProperties properties{}; // `apiVersion`: the device's own
  NameSet extensions;
  /// By FeatureTable's names; only those that version and extensions bring, and whose needs are
  /// met.
  NameSet features;
  std::vector<VkQueueFamilyProperties> queueFamilies;
  VkPhysicalDeviceMemoryProperties memory{};

  // Each is Vulkan's required minimum, or 0, where the device does not say.
  uint32_t subgroupSize = 1, subgroupStages = 0, subgroupOperations = 0;
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0, maxComputeWorkgroupSubgroups = 0;
  uint32_t requiredSubgroupSizeStages = 0;
  uint64_t maxMemoryAllocationSize = 1u << 30;
  uint32_t maxPerSetDescriptors = 1024;
  uint64_t maxBufferSize = 0;       // 0: bounded by allocations only
  uint64_t hostImportAlignment = 0; // 0: cannot import
  uint32_t denormBehaviorIndependence = 2, roundingModeIndependence = 2;
  VkDriverId driver{};                // 0 where the device does not say
  std::string driverName, driverInfo; // empty there
  std::array<uint8_t, VK_UUID_SIZE> deviceUuid{}, driverUuid{};
  std::vector<CooperativeMatrixProperties> matrices; // VK_KHR_cooperative_matrix

  bool has(std::string_view feature) const { return features.contains(feature); }
  bool hasExtension(std::string_view name) const { return extensions.contains(name); }
  /// Vulkan 1.`minor` or newer may be used.
  bool atLeast(uint32_t minor) const { return version >= VK_MAKE_API_VERSION(0, 1, minor, 0); }
};

/// Errors: what the device's calls answer; Unsupported for devices of Vulkan 1.0.
Result<DeviceFacts> readFacts(const Instance &instance, VkPhysicalDevice device);

/// Features of `facts.features` that lack another they need are dropped.
void dropUnmetFeatures(NameSet &features);

/// The device as the rest of the runtime sees it; `id` is left to the driver.
hal::DeviceInfo describe(const DeviceFacts &facts);

} // namespace pumice::vulkan
