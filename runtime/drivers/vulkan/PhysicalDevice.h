//===- PhysicalDevice.h - facts that a Vulkan device reports ----------------===//
// All facts are read once, into plain data. Code that makes decisions or descriptions uses only
// this data, so it can be tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/FeatureTable.h"
#include "runtime/drivers/vulkan/Instance.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::vulkan {

struct DeviceFacts {
  VkPhysicalDevice handle = VK_NULL_HANDLE; // null for facts that a test made
  /// The version whose functions and structures may be used: the lower one of the device's and the
  /// instance's. Newer functions are available only through extensions.
  uint32_t version = VK_API_VERSION_1_1;
  VkPhysicalDeviceProperties properties{}; // `apiVersion` is that of the device
  NameSet extensions;
  /// The features, by their names in FeatureTable. A feature is listed only if the version or an
  /// extension provides it, and if all features that it requires are present.
  NameSet features;
  std::vector<VkQueueFamilyProperties> queueFamilies;
  VkPhysicalDeviceMemoryProperties memory{};

  // For values that the device does not report, these are Vulkan's required minimums, or 0.
  uint32_t subgroupSize = 1, subgroupStages = 0, subgroupOperations = 0;
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0, maxComputeWorkgroupSubgroups = 0;
  uint32_t requiredSubgroupSizeStages = 0;
  uint64_t maxMemoryAllocationSize = 1u << 30;
  uint32_t maxPerSetDescriptors = 1024;
  uint64_t maxBufferSize = 0;       // 0: limited only by allocations
  uint64_t hostImportAlignment = 0; // 0: the device cannot import
  uint32_t denormBehaviorIndependence = 2, roundingModeIndependence = 2;
  VkDriverId driver{};                // 0: not reported
  std::string driverName, driverInfo; // empty: not reported
  std::array<uint8_t, VK_UUID_SIZE> deviceUuid{}, driverUuid{};
  std::vector<CooperativeMatrixProperties> matrices; // VK_KHR_cooperative_matrix

  bool has(std::string_view feature) const { return features.contains(feature); }
  bool hasExtension(std::string_view name) const { return extensions.contains(name); }
  /// Returns whether Vulkan 1.`minor` or newer may be used.
  bool atLeast(uint32_t minor) const { return version >= VK_MAKE_API_VERSION(0, 1, minor, 0); }
};

/// Reads the facts. Errors: those of calls to the device; Unsupported for devices of Vulkan 1.0.
Result<DeviceFacts> readFacts(const Instance &instance, VkPhysicalDevice device);

/// Removes features if a feature that they need is missing.
void dropUnmetFeatures(NameSet &features);

/// Describes the device for the rest of the runtime. The driver sets `id`.
hal::DeviceInfo describe(const DeviceFacts &facts);

} // namespace pumice::vulkan
