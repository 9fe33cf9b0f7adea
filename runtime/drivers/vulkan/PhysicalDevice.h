//===- PhysicalDevice.h - facts that a Vulkan device reports --------------===//
// Everything is read once, into plain data. Code that decides and describes uses only this data, so
// that it is tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/FeatureTable.h"
#include "runtime/drivers/vulkan/Instance.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::vulkan {

struct DeviceFacts {
  VkPhysicalDevice handle = VK_NULL_HANDLE; // null in hand-made facts
  /// The version whose calls and structures may be used: the lower of the device's and the
  /// instance's. Anything from newer versions is available only through extensions.
  uint32_t version = VK_API_VERSION_1_1;
  VkPhysicalDeviceProperties properties{}; // `apiVersion`: the device's own
  NameSet extensions;
  /// The features, by FeatureTable's names. Holds only features that the version or an extension
  /// provides, and whose required features are present.
  NameSet features;
  std::vector<VkQueueFamilyProperties> queueFamilies;
  VkPhysicalDeviceMemoryProperties memory{};

  // If the device does not report these, each is Vulkan's required minimum, or 0.
  uint32_t subgroupSize = 1, subgroupStages = 0, subgroupOperations = 0;
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0, maxComputeWorkgroupSubgroups = 0;
  uint32_t requiredSubgroupSizeStages = 0;
  uint64_t maxMemoryAllocationSize = 1u << 30;
  uint32_t maxPerSetDescriptors = 1024;
  uint64_t maxBufferSize = 0;       // 0: limited only by allocations
  uint64_t hostImportAlignment = 0; // 0: cannot import
  uint32_t denormBehaviorIndependence = 2, roundingModeIndependence = 2;
  VkDriverId driver{};                // 0 if the device does not report it
  std::string driverName, driverInfo; // empty if the device does not report them
  std::array<uint8_t, VK_UUID_SIZE> deviceUuid{}, driverUuid{};
  std::vector<CooperativeMatrixProperties> matrices; // VK_KHR_cooperative_matrix

  bool has(std::string_view feature) const { return features.contains(feature); }
  bool hasExtension(std::string_view name) const { return extensions.contains(name); }
  /// Returns whether Vulkan 1.`minor` or newer may be used.
  bool atLeast(uint32_t minor) const { return version >= VK_MAKE_API_VERSION(0, 1, minor, 0); }
};

/// Reads the facts. Errors: those of the device's calls; Unsupported for devices of Vulkan 1.0.
Result<DeviceFacts> readFacts(const Instance &instance, VkPhysicalDevice device);

/// Removes features that need a missing one.
void dropUnmetFeatures(NameSet &features);

/// Describes the device for the rest of the runtime. The driver sets `id`.
hal::DeviceInfo describe(const DeviceFacts &facts);

} // namespace pumice::vulkan
