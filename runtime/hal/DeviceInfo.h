//===- DeviceInfo.h - a device as plain data --------------------------------===//
// Holds what a driver reports about a device before anyone opens it. Choosing a device, choosing a
// variant, and making a target environment read only this. So all three are tested without a
// device.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pumice::hal {

enum class DeviceKind : uint8_t { Other, Integrated, Discrete, Virtual, Cpu };
/// Returns, for example, "discrete GPU".
std::string_view toString(DeviceKind kind);

/// The limits of a pipeline's layout. The defaults are Vulkan's required minimums.
struct DescriptorLimits {
  uint32_t sets = 4;                 // maxBoundDescriptorSets
  uint32_t stageStorageBuffers = 4;  // maxPerStageDescriptorStorageBuffers
  uint32_t stageUniformBuffers = 12; // maxPerStageDescriptorUniformBuffers
  uint32_t stageResources = 128;     // maxPerStageResources
  uint32_t layoutStorageBuffers = 24, layoutUniformBuffers = 72; // maxDescriptorSet…: of all sets
  uint32_t perSet = 1024;                                        // maxPerSetDescriptors
};

/// The limits that calls are checked against. Sizes are in bytes. 0 means that the device has none.
struct DeviceLimits {
  std::array<uint32_t, 3> maxGroups{65535, 65535, 65535}; // of one command; larger grids are split
  std::array<uint32_t, 3> maxWorkgroupSize{128, 128, 64};
  uint32_t maxWorkgroupInvocations = 128;
  uint32_t maxWorkgroupMemoryBytes = 16384;
  uint32_t maxPushConstantBytes = 128;
  DescriptorLimits descriptors;
  uint32_t subgroupSize = 1, minSubgroupSize = 1, maxSubgroupSize = 1;
  bool subgroupSizeControl = false; // a kernel may require a size between min and max
  bool fullSubgroups = false;       // a kernel may require full subgroups
  uint64_t maxBufferBytes = 0;      // of one buffer; a driver may still reject smaller ones
  uint64_t maxBindingBytes = 0;     // of one storage-buffer descriptor
  uint64_t maxUniformBytes = 0;     // of one uniform-buffer descriptor
  uint64_t bindingAlignment = 4;    // of a storage-buffer descriptor's offset
  uint64_t uniformAlignment = 4;    // of a uniform-buffer descriptor's offset
  uint64_t hostImportAlignment = 0; // of imported host memory, address and size
  double timestampNanoseconds = 0;  // a tick of the device's clock
};

struct DeviceInfo {
  std::string id;                        // "vulkan:0"; PUMICE_DEVICE and `open` take it
  std::string driver;                    // "vulkan"
  std::string name;                      // the device's own: "NVIDIA H200"
  std::string vendor;                    // "NVIDIA"
  std::string driverName, driverVersion; // "NVIDIA", "580.159.04"
  DeviceKind kind = DeviceKind::Other;
  uint64_t memoryBytes = 0; // of the largest heap that is the device's own
  bool bufferAddresses = false;
  DeviceLimits limits;

  // These are compared with `executable::Requirements`. The names are Vulkan's.
  std::vector<executable::VariantKind> kinds; // code that the device runs, best first
  uint32_t versionMajor = 1, versionMinor = 0, versionPatch = 0;
  std::set<std::string, std::less<>> extensions, features;
  std::vector<std::string> workarounds; // known faults of its driver, sorted: "noPointerCasts"
  uint32_t subgroupOperations = 0;      // VkSubgroupFeatureFlagBits
  std::vector<std::string> cooperativeMatrices; // as in Requirements
  // As text; none: not measured yet (Device does it).
  std::optional<std::vector<std::string>> fragmentMaps;
  std::string architecture; // native code: "x86-64-v4"; empty: runs none

  /// Returns whether the device lists the extension, or its Vulkan version includes it.
  bool hasExtension(std::string_view extension) const;

  /// Every limit of a target environment, by Vulkan's name. Booleans are 0 and 1.
  std::map<std::string, std::vector<int64_t>, std::less<>> namedLimits;
};

/// Returns the JSON form of the target environment that describes this device, as `--target` takes
/// it.
std::string targetEnvironmentJson(const DeviceInfo &info);

} // namespace pumice::hal
