//===- BareDevice.h - a Vulkan device with every feature on -----------------===//
// Tools and tests use this to examine how a driver handles a module. It opens an instance, a
// device, and a queue, with every extension and feature that compute code can use. Applications do
// not use it. VK_DRIVER_FILES and VK_ICD_FILENAMES tell the loader which driver to use.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "support/Status.h"

#include <memory>
#include <set>
#include <string>

namespace pumice::vulkan {

class BareDevice {
public:
  /// Opens the first device whose name contains `nameContains` (empty: the first device). Requires
  /// Vulkan 1.1. With Vulkan 1.2 or later, features beyond those of 1.0 are found.
  static Result<std::unique_ptr<BareDevice>> open(std::string_view nameContains = {});
  ~BareDevice();
  BareDevice(const BareDevice &) = delete;
  BareDevice &operator=(const BareDevice &) = delete;

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queueFamily = 0;

  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::set<std::string, std::less<>> extensions; // the enabled extensions
  bool bufferDeviceAddress = false;
  bool subgroupSizeControl = false, computeFullSubgroups = false;
  bool pipelineStatistics = false; // VK_KHR_pipeline_executable_properties
  uint32_t subgroupSize = 0, minSubgroupSize = 0, maxSubgroupSize = 0;

private:
  BareDevice() = default;
  Status createInstance();
  Status pickPhysical(std::string_view nameContains);
  Status createDevice();
};

} // namespace pumice::vulkan
