//===- MockDevices.h - the devices that the mock Vulkan driver plays --------===//
// Each is plain data under Vulkan's own names. Nothing here is shared with Pumice's driver, so
// tests compare what that driver reads with independent data.
//===-------------------------------------------------------------------------===//
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <vulkan/vulkan_beta.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace mock {

/// VkCooperativeMatrixPropertiesKHR, which the installed headers lack.
struct MatrixProperties {
  VkStructureType sType;
  void *pNext;
  uint32_t MSize, NSize, KSize, AType, BType, CType, ResultType;
  VkBool32 saturatingAccumulation;
  uint32_t scope;
};

struct Shape {
  uint32_t m, n, k, a, b, c, result;
};

struct Device {
  std::string name;                      // its name in PUMICE_MOCK_DEVICES
  VkPhysicalDeviceProperties properties; // with the limits
  std::string driverName, driverInfo;    // empty: no VK_KHR_driver_properties
  std::map<std::string, uint32_t> extensions;
  std::set<std::string> features; // VkBool32 members that are true, including those of properties
  VkPhysicalDeviceSubgroupProperties subgroup;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes;
  uint64_t maxMemoryAllocationSize, maxBufferSize, hostImportAlignment;
  uint32_t independence; // for both float controls
  std::vector<VkQueueFamilyProperties> families;
  VkPhysicalDeviceMemoryProperties memory;
  std::vector<Shape> shapes;
};

/// Returns the device called `name`, or null for unknown names.
const Device *findDevice(const std::string &name);

/// Writes the chain of structures that follows VkPhysicalDeviceFeatures2.
void writeFeatures(const Device &device, void *chain);
/// Writes the chain of structures that follows VkPhysicalDeviceProperties2.
void writeProperties(const Device &device, void *chain);
/// Returns a flag of VkPhysicalDeviceFeatures by name, for reading and writing.
void writeCoreFeatures(const Device &device, VkPhysicalDeviceFeatures &features);

/// Returns whether a device may be created with this chain of VkDeviceCreateInfo. The device must
/// have all its structures and flags.
VkResult checkFeatures(const Device &device, const void *chain);

} // namespace mock
