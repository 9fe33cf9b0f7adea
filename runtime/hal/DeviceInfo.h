//===- DeviceInfo.h - a device as plain data --------------------------------===//
// The facts that a driver reports about a device. The device need not be open. Choosing a device,
// choosing a variant, and making a target environment need only this data, so all three can be
// tested without a device.
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
/// Returns a text such as "discrete GPU".
std::string_view toString(DeviceKind kind);

/// The limits for the layout of a pipeline. The defaults are Vulkan's required minimums.
struct DescriptorLimits {
  uint32_t sets = 4;                 // maxBoundDescriptorSets
  uint32_t stageStorageBuffers = 4;  // maxPerStageDescriptorStorageBuffers
  uint32_t stageUniformBuffers = 12; // maxPerStageDescriptorUniformBuffers
  uint32_t stageResources = 128;     // maxPerStageResources
  uint32_t layoutStorageBuffers = 24, layoutUniformBuffers = 72; // maxDescriptorSet…: for all sets
  uint32_t perSet = 1024;                                        // maxPerSetDescriptors
};

/// The limits that calls must respect. Sizes are in bytes. 0 means that the device does not have
/// the feature.
struct DeviceLimits {
  std::array<uint32_t, 3> maxGroups{65535, 65535, 65535}; // for one command; larger grids are split
  std::array<uint32_t, 3> maxWorkgroupSize{128, 128, 64};
  uint32_t maxWorkgroupInvocations = 128;
  uint32_t maxWorkgroupMemoryBytes = 16384;
  uint32_t maxPushConstantBytes = 128;
  DescriptorLimits descriptors;
  uint32_t subgroupSize = 1, minSubgroupSize = 1, maxSubgroupSize = 1;
  bool subgroupSizeControl = false; // whether a kernel may require a size from min to max
  bool fullSubgroups = false;       // whether a kernel may require full subgroups
  uint64_t maxBufferBytes = 0;      // for one buffer; drivers may still reject smaller ones
  uint64_t maxBindingBytes = 0;     // for one storage-buffer descriptor
  uint64_t maxUniformBytes = 0;     // for one uniform-buffer descriptor
  uint64_t bindingAlignment = 4;    // for the offset of a storage-buffer descriptor
  uint64_t uniformAlignment = 4;    // for the offset of a uniform-buffer descriptor
  uint64_t hostImportAlignment = 0; // for the address and size of imported host memory
  double timestampNanoseconds = 0;  // one tick of the device's clock
};

struct DeviceInfo {
  std::string id;                        // "vulkan:0"; PUMICE_DEVICE and `open` take it
  std::string driver;                    // "vulkan"
  std::string name;                      // the device's own: "NVIDIA H200"
  std::string vendor;                    // "NVIDIA"
  std::string driverName, driverVersion; // "NVIDIA", "580.159.04"
  DeviceKind kind = DeviceKind::Other;
  uint64_t memoryBytes = 0; // the largest heap of the device's own memory
  bool bufferAddresses = false;
  DeviceLimits limits;

  // The following members are compared with `executable::Requirements`. Names are those of Vulkan.
  std::vector<executable::VariantKind> kinds; // code that the device runs, best first
  uint32_t versionMajor = 1, versionMinor = 0, versionPatch = 0;
  // For devices that run OpenCL's code: the version of OpenCL whose kernels they run, and the
  // newest version of SPIR-V that they accept in them, 1.<openClSpirvMinor>. An OpenCL device has
  // the same version above; Pumice's CPU device has Vulkan's there.
  uint32_t openClMajor = 0, openClMinor = 0, openClSpirvMinor = 0;
  // What code for OpenCL may use on a device of another API, by the names of OpenclExtensions.def.
  // The features below describe the rest.
  std::set<std::string, std::less<>> openClExtensions;
  std::set<std::string, std::less<>> extensions, features;
  std::vector<std::string> workarounds; // known faults of its driver, sorted: "noPointerCasts"
  uint32_t subgroupOperations = 0;      // VkSubgroupFeatureFlagBits
  std::vector<std::string> cooperativeMatrices; // as in Requirements
  // The maps as text. Without a value, they have not been measured yet; Device does that.
  std::optional<std::vector<std::string>> fragmentMaps;
  std::string architecture; // such as "x86-64-v4"; empty: no native code

  /// Returns whether the device is one of OpenCL. Then versions and extensions are OpenCL's:
  /// extensions may be all names of executable/OpenclExtensions.def, and the features follow from
  /// them (executable/OpenclNeeds.h).
  bool isOpenCl() const;

  /// Returns whether the device lists the extension, or has a Vulkan version that includes it.
  bool hasExtension(std::string_view extension) const;

  /// All limits of a target environment, by their names in Vulkan. Booleans are 0 and 1.
  std::map<std::string, std::vector<int64_t>, std::less<>> namedLimits;
};

/// Returns the target environment that describes this device as JSON, in the form that `--target`
/// accepts.
std::string targetEnvironmentJson(const DeviceInfo &info);

} // namespace pumice::hal
