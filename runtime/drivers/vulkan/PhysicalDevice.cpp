//===- PhysicalDevice.cpp - reading a Vulkan device -------------------------===//
#include "runtime/drivers/vulkan/PhysicalDevice.h"

#include <algorithm>
#include <cstring>

namespace pumice::vulkan {
namespace {

bool isBrought(const DeviceFacts &facts, const FeatureStructure &structure) {
  return !structure.extension || facts.hasExtension(structure.extension) ||
         (structure.core != executable::never && facts.atLeast(structure.core));
}

Status readExtensions(const Instance &instance, DeviceFacts &facts) {
  std::vector<VkExtensionProperties> found;
  VkResult result = enumerate(found, [&](uint32_t *count, VkExtensionProperties *items) {
    return PUMICE_VK(instance.vk., vkEnumerateDeviceExtensionProperties, facts.handle, nullptr,
                     count, items);
  });
  PUMICE_RETURN_IF_ERROR(toStatus(result, "vkEnumerateDeviceExtensionProperties"));
  for (const VkExtensionProperties &extension : found)
    facts.extensions.insert(extension.extensionName);
  return Status::ok();
}

void readFeatures(const Instance &instance, DeviceFacts &facts) {
  FeatureChain features([&](const FeatureStructure &structure) {
    return !structure.property && isBrought(facts, structure);
  });
  instance.vk.vkGetPhysicalDeviceFeatures2(
      facts.handle, static_cast<VkPhysicalDeviceFeatures2 *>(features.first()));
  features.addTo(facts.features);

  FeatureChain properties([&](const FeatureStructure &structure) {
    return structure.property && isBrought(facts, structure);
  });
  VkPhysicalDeviceProperties2 query{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, properties.first(), {}};
  instance.vk.vkGetPhysicalDeviceProperties2(facts.handle, &query);
  properties.addTo(facts.features);
  dropUnmetFeatures(facts.features);
}

template <size_t N> std::string textOf(const char (&text)[N]) {
  return std::string(text, strnlen(text, N));
}

/// Reads limits from structures that are newer than Vulkan 1.0, if the device supports them.
void readNewerProperties(const Instance &instance, DeviceFacts &facts) {
  VkPhysicalDeviceProperties2 query{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  auto link = [&](auto &structure, bool there) {
    if (there) {
      structure.pNext = query.pNext;
      query.pNext = &structure;
    }
    return there;
  };
  auto brought = [&](const char *extension, uint32_t core) {
    return facts.hasExtension(extension) || (core != executable::never && facts.atLeast(core));
  };
  VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties maintenance3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceFloatControlsProperties floats{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT import{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  link(id, true);
  link(subgroup, true);
  link(maintenance3, true);
  bool hasMaintenance4 = link(maintenance4, brought("VK_KHR_maintenance4", 3));
  bool hasSizes = link(sizes, brought("VK_EXT_subgroup_size_control", 3));
  bool hasFloats = link(floats, brought("VK_KHR_shader_float_controls", 2));
  bool hasDriver = link(driver, brought("VK_KHR_driver_properties", 2));
  bool hasImport = link(import, brought("VK_EXT_external_memory_host", executable::never));
  instance.vk.vkGetPhysicalDeviceProperties2(facts.handle, &query);

  std::ranges::copy(id.deviceUUID, facts.deviceUuid.begin());
  std::ranges::copy(id.driverUUID, facts.driverUuid.begin());
  facts.subgroupSize = std::max(subgroup.subgroupSize, 1u);
  facts.subgroupStages = subgroup.supportedStages;
  facts.subgroupOperations = subgroup.supportedOperations;
  facts.maxMemoryAllocationSize = maintenance3.maxMemoryAllocationSize;
  facts.maxPerSetDescriptors = maintenance3.maxPerSetDescriptors;
  if (hasMaintenance4)
    facts.maxBufferSize = maintenance4.maxBufferSize;
  if (hasSizes) {
    facts.minSubgroupSize = sizes.minSubgroupSize;
    facts.maxSubgroupSize = sizes.maxSubgroupSize;
    facts.maxComputeWorkgroupSubgroups = sizes.maxComputeWorkgroupSubgroups;
    facts.requiredSubgroupSizeStages = sizes.requiredSubgroupSizeStages;
  }
  if (hasFloats) {
    facts.denormBehaviorIndependence = floats.denormBehaviorIndependence;
    facts.roundingModeIndependence = floats.roundingModeIndependence;
  }
  if (hasDriver) {
    facts.driver = driver.driverID;
    facts.driverName = textOf(driver.driverName);
    facts.driverInfo = textOf(driver.driverInfo);
  }
  if (hasImport)
    facts.hostImportAlignment = import.minImportedHostPointerAlignment;
}

Status readMatrices(const Instance &instance, DeviceFacts &facts) {
  if (!facts.has("cooperativeMatrix") ||
      !instance.vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)
    return Status::ok();
  VkResult result =
      enumerate(facts.matrices, [&](uint32_t *count, CooperativeMatrixProperties *items) {
        return PUMICE_VK(instance.vk., vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR,
                         facts.handle, count, items);
      });
  return toStatus(result, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
}

} // namespace

void dropUnmetFeatures(NameSet &features) {
  for (bool changed = true; changed;) { // a missing feature may be required by others
    changed = false;
    for (const FeatureNeed &need : featureNeeds())
      if (!features.contains(need.needed) && features.contains(need.feature)) {
        features.erase(features.find(need.feature));
        changed = true;
      }
  }
}

Result<DeviceFacts> readFacts(const Instance &instance, VkPhysicalDevice device) {
  DeviceFacts facts;
  facts.handle = device;
  instance.vk.vkGetPhysicalDeviceProperties(device, &facts.properties);
  std::string name = textOf(facts.properties.deviceName);
  facts.version = facts.properties.apiVersion;
  if (VK_API_VERSION_MINOR(facts.version) > VK_API_VERSION_MINOR(instance.version()))
    facts.version = instance.version();
  if (!facts.atLeast(1))
    return Status(StatusCode::Unsupported,
                  name + ": its driver has Vulkan 1.0; 1.1 or newer is needed");
  if (Status status = readExtensions(instance, facts); !status.isOk())
    return std::move(status).at(name);
  readFeatures(instance, facts);
  readNewerProperties(instance, facts);
  uint32_t families = 0;
  instance.vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &families, nullptr);
  facts.queueFamilies.resize(families);
  instance.vk.vkGetPhysicalDeviceQueueFamilyProperties(device, &families,
                                                       facts.queueFamilies.data());
  facts.queueFamilies.resize(families);
  instance.vk.vkGetPhysicalDeviceMemoryProperties(device, &facts.memory);
  if (Status status = readMatrices(instance, facts); !status.isOk())
    return std::move(status).at(name);
  return facts;
}

} // namespace pumice::vulkan
