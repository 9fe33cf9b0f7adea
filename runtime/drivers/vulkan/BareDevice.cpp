//===- BareDevice.cpp - a Vulkan device with every feature on ---------------===//
#include "runtime/drivers/vulkan/BareDevice.h"

#include "runtime/drivers/vulkan/Status.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace pumice::vulkan {
namespace {

/// The form of every feature structure: a type, a link, and a sequence of VkBool32.
struct FeatureBlock {
  VkStructureType type;
  void *next = nullptr;
  VkBool32 flags[60] = {};
};

/// A feature structure, and the extension or core version that provides it.
struct FeatureSource {
  VkStructureType type;
  const char *extension; // null: no extension
  uint32_t version;      // the core version that includes it; 0: none
};

constexpr VkStructureType vulkan12Features = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr FeatureSource featureSources[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, nullptr, VK_API_VERSION_1_2},
    {vulkan12Features, nullptr, VK_API_VERSION_1_2},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, nullptr, VK_API_VERSION_1_3},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     "VK_EXT_shader_atomic_float", 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
     "VK_EXT_shader_atomic_float2", 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
     "VK_KHR_workgroup_memory_explicit_layout", 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
     "VK_KHR_shader_subgroup_uniform_control_flow", 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, "VK_KHR_shader_clock", 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
     VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, 0},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV, "VK_NV_cooperative_matrix",
     0},
    {newerStructureType(cooperativeMatrixNumber), "VK_KHR_cooperative_matrix", 0},
    {newerStructureType(shaderBfloat16Number), "VK_KHR_shader_bfloat16", 0},
    {newerStructureType(subgroupRotateNumber), "VK_KHR_shader_subgroup_rotate", 0},
    {newerStructureType(maximalReconvergenceNumber), "VK_KHR_shader_maximal_reconvergence", 0},
    {newerStructureType(floatControls2Number), "VK_KHR_shader_float_controls2", 0},
    {newerStructureType(expectAssumeNumber), "VK_KHR_shader_expect_assume", 0},
};
/// Extensions without features.
constexpr const char *plainExtensions[] = {
    "VK_KHR_shader_non_semantic_info", "VK_KHR_portability_subset", "VK_EXT_external_memory_host"};

/// The index of a structure's member in FeatureBlock::flags.
#define FLAG(structure, member)                                                                    \
  ((offsetof(structure, member) - offsetof(FeatureBlock, flags)) / sizeof(VkBool32))

Result<std::set<std::string, std::less<>>> deviceExtensions(VkPhysicalDevice physical) {
  uint32_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr),
               "vkEnumerateDeviceExtensionProperties"));
  std::vector<VkExtensionProperties> found(count);
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, found.data()),
               "vkEnumerateDeviceExtensionProperties"));
  std::set<std::string, std::less<>> names;
  for (const VkExtensionProperties &extension : found)
    names.insert(extension.extensionName);
  return names;
}

} // namespace

Result<std::unique_ptr<BareDevice>> BareDevice::open(std::string_view nameContains) {
  std::unique_ptr<BareDevice> opened(new BareDevice());
  PUMICE_RETURN_IF_ERROR(opened->createInstance());
  PUMICE_RETURN_IF_ERROR(opened->pickPhysical(nameContains));
  PUMICE_RETURN_IF_ERROR(opened->createDevice());
  return opened;
}

BareDevice::~BareDevice() {
  if (device)
    vkDestroyDevice(device, nullptr);
  if (instance)
    vkDestroyInstance(instance, nullptr);
}

Status BareDevice::createInstance() {
  if (volkInitialize() != VK_SUCCESS)
    return Status(StatusCode::NotFound, "no Vulkan loader (libvulkan.so.1) is installed");
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "pumice";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pApplicationInfo = &application;

  // MoltenVK's devices are visible only to instances with this extension. Loaders from before 2022
  // do not know it.
  const char *portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
  create.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  create.enabledExtensionCount = 1;
  create.ppEnabledExtensionNames = &portability;
  VkResult result = vkCreateInstance(&create, nullptr, &instance);
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
    create.flags = 0;
    create.enabledExtensionCount = 0;
    result = vkCreateInstance(&create, nullptr, &instance);
  }
  PUMICE_RETURN_IF_ERROR(toStatus(result, "vkCreateInstance"));
  volkLoadInstance(instance);
  return Status::ok();
}

Status BareDevice::pickPhysical(std::string_view nameContains) {
  uint32_t count = 0;
  PUMICE_RETURN_IF_ERROR(toStatus(vkEnumeratePhysicalDevices(instance, &count, nullptr),
                                  "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> devices(count);
  PUMICE_RETURN_IF_ERROR(toStatus(vkEnumeratePhysicalDevices(instance, &count, devices.data()),
                                  "vkEnumeratePhysicalDevices"));
  std::string seen;
  for (VkPhysicalDevice candidate : devices) {
    vkGetPhysicalDeviceProperties(candidate, &properties);
    if (std::string_view(properties.deviceName).find(nameContains) != std::string_view::npos) {
      physical = candidate;
      vkGetPhysicalDeviceMemoryProperties(physical, &memory);
      return Status::ok();
    }
    seen += (seen.empty() ? "" : ", ") + std::string(properties.deviceName);
  }
  if (seen.empty())
    return Status(StatusCode::NotFound, "no Vulkan device: install a driver, or name one's file in "
                                        "VK_DRIVER_FILES");
  return Status(StatusCode::NotFound, "no Vulkan device has a name that contains '" +
                                          std::string(nameContains) + "'; there are: " + seen);
}

Status BareDevice::createDevice() {
  Result<std::set<std::string, std::less<>>> available = deviceExtensions(physical);
  if (!available.isOk())
    return available.status();

  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  std::vector<FeatureBlock> blocks;
  blocks.reserve(std::size(featureSources)); // pNext links point into the vector
  for (const FeatureSource &source : featureSources) {
    bool present = source.extension ? available->contains(source.extension)
                                    : properties.apiVersion >= source.version;
    if (!present)
      continue;
    if (source.extension)
      extensions.insert(source.extension);
    blocks.push_back({source.type, features.pNext});
    features.pNext = &blocks.back();
  }
  for (const char *name : plainExtensions)
    if (available->contains(name))
      extensions.insert(name);
  vkGetPhysicalDeviceFeatures2(physical, &features);
  // Robust access costs time and hides out-of-bounds accesses.
  features.features.robustBufferAccess = VK_FALSE;

  for (const FeatureBlock &block : blocks) {
    if (block.type == vulkan12Features)
      bufferDeviceAddress =
          block.flags[FLAG(VkPhysicalDeviceVulkan12Features, bufferDeviceAddress)];
    if (block.type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
      subgroupSizeControl =
          block.flags[FLAG(VkPhysicalDeviceVulkan13Features, subgroupSizeControl)];
      computeFullSubgroups =
          block.flags[FLAG(VkPhysicalDeviceVulkan13Features, computeFullSubgroups)];
    }
  }
  pipelineStatistics = extensions.contains(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);

  VkPhysicalDeviceSubgroupSizeControlProperties sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  subgroup.pNext = subgroupSizeControl ? &sizes : nullptr;
  VkPhysicalDeviceProperties2 more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroup, {}};
  vkGetPhysicalDeviceProperties2(physical, &more);
  subgroupSize = subgroup.subgroupSize;
  minSubgroupSize = subgroupSizeControl ? sizes.minSubgroupSize : subgroupSize;
  maxSubgroupSize = subgroupSizeControl ? sizes.maxSubgroupSize : subgroupSize;

  uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, nullptr);
  std::vector<VkQueueFamilyProperties> found(families);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, found.data());
  auto compute = std::ranges::find_if(
      found, [](const auto &family) { return family.queueFlags & VK_QUEUE_COMPUTE_BIT; });
  if (compute == found.end())
    return Status(StatusCode::Unsupported,
                  std::string(properties.deviceName) + " has no compute queue");
  queueFamily = static_cast<uint32_t>(compute - found.begin());

  float priority = 1;
  VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueFamilyIndex = queueFamily;
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  std::vector<const char *> names;
  for (const std::string &name : extensions)
    names.push_back(name.c_str());
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  create.pNext = &features;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queues;
  create.enabledExtensionCount = static_cast<uint32_t>(names.size());
  create.ppEnabledExtensionNames = names.data();
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice"));
  volkLoadDevice(device);
  vkGetDeviceQueue(device, queueFamily, 0, &queue);
  return Status::ok();
}

} // namespace pumice::vulkan
