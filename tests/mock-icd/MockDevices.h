//===- MockDevices.h - the devices that the mock Vulkan driver plays --------===//
// Each is plain data under Vulkan's own names. Nothing here is shared with Pumice's driver: what
// reads a device is tested against what was written down here.
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
  std::string name;                      // what PUMICE_MOCK_DEVICES calls it
  VkPhysicalDeviceProperties properties; // with the limits
  std::string driverName, driverInfo;    // empty: VK_KHR_driver_properties is not there
  std::map<std::string, uint32_t> extensions;
  std::set<std::string> features; // VkBool32 members that are true, those of properties included
  VkPhysicalDeviceSubgroupProperties subgroup;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes;
  uint64_t maxMemoryAllocationSize, maxBufferSize, hostImportAlignment;
  uint32_t independence; // of both float controls
  std::vector<VkQueueFamilyProperties> families;
  VkPhysicalDeviceMemoryProperties memory;
  std::vector<Shape> shapes;
};

/// The device called `name`; null for unknown names.
const Device *findDevice(const std::string &name);

/// Writes the chain of structures that follows VkPhysicalDeviceFeatures2.
void writeFeatures(const Device &device, void *chain);
/// The same for VkPhysicalDeviceProperties2.
void writeProperties(const Device &device, void *chain);
/// A flag of VkPhysicalDeviceFeatures by name, for both directions.
void writeCoreFeatures(const Device &device, VkPhysicalDeviceFeatures &features);

/// Whether a device may be created with the chain of VkDeviceCreateInfo: structures that the
/// device has, flags that it has.
VkResult checkFeatures(const Device &device, const void *chain);

} // namespace mock
