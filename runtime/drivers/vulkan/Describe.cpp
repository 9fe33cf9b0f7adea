//===- Describe.cpp - from facts to what the runtime sees of a device -------===//
#include "runtime/drivers/vulkan/DevicePlan.h"

#include <algorithm>
#include <cstdio>

namespace pumice::vulkan {
namespace {

/// The subgroup operations that Vulkan defines, from VK_SUBGROUP_FEATURE_BASIC_BIT to
/// …_ROTATE_CLUSTERED_BIT.
constexpr uint32_t knownSubgroupOperations = (1u << 11) - 1;

hal::DeviceKind kindOf(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return hal::DeviceKind::Integrated;
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return hal::DeviceKind::Discrete;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return hal::DeviceKind::Virtual;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return hal::DeviceKind::Cpu;
  default:
    return hal::DeviceKind::Other;
  }
}

constexpr uint32_t nvidia = 0x10de;

std::string vendorName(uint32_t id) {
  constexpr std::pair<uint32_t, const char *> known[] = {
      {nvidia, "NVIDIA"},          {0x1002, "AMD"},
      {0x8086, "Intel"},           {0x13b5, "Arm"},
      {0x5143, "Qualcomm"},        {0x1010, "Imagination"},
      {0x106b, "Apple"},           {0x14e4, "Broadcom"},
      {0x144d, "Samsung"},         {0x1414, "Microsoft"},
      {0x1ae0, "Google"},          {0x19e5, "Huawei"},
      {VK_VENDOR_ID_MESA, "Mesa"}, {VK_VENDOR_ID_POCL, "PoCL"}};
  for (auto [vendor, name] : known)
    if (vendor == id)
      return name;
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", id);
  return text;
}

/// Returns the version text of the driver. If there is none, returns its version number, decoded in
/// the way of its vendor.
std::string driverVersion(const DeviceFacts &facts) {
  if (!facts.driverInfo.empty())
    return facts.driverInfo;
  uint32_t number = facts.properties.driverVersion;
  auto join = [](std::initializer_list<uint32_t> parts) {
    std::string text;
    for (uint32_t part : parts)
      text += (text.empty() ? "" : ".") + std::to_string(part);
    return text;
  };
  if (facts.properties.vendorID == nvidia)
    return join({number >> 22, (number >> 14) & 0xff, (number >> 6) & 0xff});
  return join(
      {VK_API_VERSION_MAJOR(number), VK_API_VERSION_MINOR(number), VK_API_VERSION_PATCH(number)});
}

const char *componentName(uint32_t type) {
  constexpr const char *names[] = {"f16", "f32", "f64", "s8",  "s16", "s32",
                                   "s64", "u8",  "u16", "u32", "u64"};
  if (type < std::size(names))
    return names[type];
  return type == 1000141000 ? "bf16" : nullptr; // VK_COMPONENT_TYPE_BFLOAT16_KHR
}

const char *scopeName(uint32_t scope) {
  constexpr const char *names[] = {nullptr,    "device", "workgroup",
                                   "subgroup", nullptr,  "queuefamily"};
  return scope < std::size(names) ? names[scope] : nullptr;
}

/// Returns a text such as "16x16x16 f16 f16 f32 f32 subgroup", or "" for unknown types.
std::string matrixText(const CooperativeMatrixProperties &shape) {
  std::string text =
      std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
  for (const char *word : {componentName(shape.a), componentName(shape.b), componentName(shape.c),
                           componentName(shape.result), scopeName(shape.scope)}) {
    if (!word)
      return {};
    text += std::string(" ") + word;
  }
  return shape.saturating ? text + " saturating" : text;
}

uint64_t largestDeviceHeap(const VkPhysicalDeviceMemoryProperties &memory) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max(largest, memory.memoryHeaps[i].size);
  return largest;
}

void describeLimits(const DeviceFacts &facts, hal::DeviceInfo &info) {
  const VkPhysicalDeviceLimits &from = facts.properties.limits;
  hal::DeviceLimits &limits = info.limits;
  std::ranges::copy(from.maxComputeWorkGroupCount, limits.maxGroups.begin());
  std::ranges::copy(from.maxComputeWorkGroupSize, limits.maxWorkgroupSize.begin());
  limits.maxWorkgroupInvocations = from.maxComputeWorkGroupInvocations;
  limits.maxWorkgroupMemoryBytes = from.maxComputeSharedMemorySize;
  limits.maxPushConstantBytes = from.maxPushConstantsSize;
  limits.descriptors = {.sets = from.maxBoundDescriptorSets,
                        .stageStorageBuffers = from.maxPerStageDescriptorStorageBuffers,
                        .stageUniformBuffers = from.maxPerStageDescriptorUniformBuffers,
                        .stageResources = from.maxPerStageResources,
                        .layoutStorageBuffers = from.maxDescriptorSetStorageBuffers,
                        .layoutUniformBuffers = from.maxDescriptorSetUniformBuffers,
                        .perSet = facts.maxPerSetDescriptors};
  limits.subgroupSize = facts.subgroupSize;
  limits.subgroupSizeControl = facts.has("subgroupSizeControl") &&
                               (facts.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
  limits.minSubgroupSize = facts.minSubgroupSize ? facts.minSubgroupSize : facts.subgroupSize;
  limits.maxSubgroupSize = facts.maxSubgroupSize ? facts.maxSubgroupSize : facts.subgroupSize;
  limits.fullSubgroups = facts.has("computeFullSubgroups");
  // Drivers may accept larger allocations than maxMemoryAllocationSize. For example, an H200 that
  // reports 4 GiB has accepted 120 GiB. If an allocation is too large, the driver rejects it.
  limits.maxBufferBytes = facts.maxBufferSize ? facts.maxBufferSize : facts.maxMemoryAllocationSize;
  if (info.memoryBytes)
    limits.maxBufferBytes = std::min(limits.maxBufferBytes, info.memoryBytes);
  limits.maxBindingBytes = from.maxStorageBufferRange;
  limits.maxUniformBytes = from.maxUniformBufferRange;
  limits.bindingAlignment = std::max<uint64_t>(from.minStorageBufferOffsetAlignment, 1);
  limits.uniformAlignment = std::max<uint64_t>(from.minUniformBufferOffsetAlignment, 1);
}

void nameLimits(const DeviceFacts &facts, hal::DeviceInfo &info) {
  const VkPhysicalDeviceLimits &limits = facts.properties.limits;
  auto set = [&](const char *name, uint64_t value) {
    // No real limit is as large as 2^63. Larger values, which mean "no limit", are clamped to 2^63
    // - 1.
    info.namedLimits[name] = {static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX))};
  };
  auto sizes = [&](const char *name, const uint32_t (&values)[3]) {
    info.namedLimits[name] = {values[0], values[1], values[2]};
  };
  set("maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize);
  set("maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations);
  sizes("maxComputeWorkGroupSize", limits.maxComputeWorkGroupSize);
  sizes("maxComputeWorkGroupCount", limits.maxComputeWorkGroupCount);
  set("maxPushConstantsSize", limits.maxPushConstantsSize);
  set("maxStorageBufferRange", limits.maxStorageBufferRange);
  set("maxUniformBufferRange", limits.maxUniformBufferRange);
  set("maxBoundDescriptorSets", limits.maxBoundDescriptorSets);
  set("maxPerStageDescriptorStorageBuffers", limits.maxPerStageDescriptorStorageBuffers);
  set("maxDescriptorSetStorageBuffers", limits.maxDescriptorSetStorageBuffers);
  set("minStorageBufferOffsetAlignment", info.limits.bindingAlignment);
  set("maxMemoryAllocationSize", facts.maxMemoryAllocationSize);
  // If a device does not report these, use the minimums that Vulkan 1.3 requires.
  set("maxBufferSize", facts.maxBufferSize ? facts.maxBufferSize : 1u << 30);
  set("subgroupSize", facts.subgroupSize);
  set("subgroupFeatures", facts.subgroupOperations & knownSubgroupOperations);
  set("subgroupSupportedStages", facts.subgroupStages & VK_SHADER_STAGE_COMPUTE_BIT);
  set("minSubgroupSize", info.limits.minSubgroupSize);
  set("maxSubgroupSize", info.limits.maxSubgroupSize);
  set("maxComputeWorkgroupSubgroups", facts.maxComputeWorkgroupSubgroups);
  set("requiredSubgroupSizeStages", facts.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
  set("denormBehaviorIndependence", facts.denormBehaviorIndependence);
  set("roundingModeIndependence", facts.roundingModeIndependence);
}

} // namespace

hal::DeviceInfo describe(const DeviceFacts &facts) {
  hal::DeviceInfo info;
  info.driver = "vulkan";
  info.name = facts.properties.deviceName;
  info.vendor = vendorName(facts.properties.vendorID);
  info.driverName = facts.driverName;
  info.driverVersion = driverVersion(facts);
  info.kind = kindOf(facts.properties.deviceType);
  info.memoryBytes = largestDeviceHeap(facts.memory);
  info.bufferAddresses = facts.has("bufferDeviceAddress");
  describeLimits(facts, info);
  if (Result<DevicePlan> plan = planDevice(facts); plan.isOk()) {
    if (plan->hostImport)
      info.limits.hostImportAlignment = facts.hostImportAlignment;
    if (plan->timestamps)
      info.limits.timestampNanoseconds =
          static_cast<double>(facts.properties.limits.timestampPeriod);
  }
  info.kinds = {executable::VariantKind::VulkanSpirv};
  info.versionMajor = VK_API_VERSION_MAJOR(facts.properties.apiVersion);
  info.versionMinor = VK_API_VERSION_MINOR(facts.properties.apiVersion);
  info.versionPatch = VK_API_VERSION_PATCH(facts.properties.apiVersion);
  for (const std::string &extension : facts.extensions)
    if (isTargetExtension(extension))
      info.extensions.insert(extension);
  for (const FeatureStructure &structure : featureStructures())
    for (const FeatureFlag &flag : structure.flags)
      if (!structure.ours && facts.has(flag.name))
        info.features.insert(flag.name);
  for (const DriverWorkaround &known : driverWorkarounds())
    if (facts.driver == known.driver)
      info.workarounds.push_back(known.name);
  if (facts.subgroupStages & VK_SHADER_STAGE_COMPUTE_BIT)
    info.subgroupOperations = facts.subgroupOperations & knownSubgroupOperations;
  for (const CooperativeMatrixProperties &shape : facts.matrices)
    if (std::string text = matrixText(shape);
        !text.empty() && std::ranges::find(info.cooperativeMatrices, text) ==
                             info.cooperativeMatrices.end()) // drivers may list a shape twice
      info.cooperativeMatrices.push_back(text);
  nameLimits(facts, info);
  return info;
}

} // namespace pumice::vulkan
