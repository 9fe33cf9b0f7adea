//===- DevicePlan.cpp - what to enable, and the fallbacks -------------------===//
#include "runtime/drivers/vulkan/DevicePlan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace pumice::vulkan {
namespace {

/// Prefers a queue family that only supports compute, because its queues run at the same time as
/// desktop graphics. Families without timestamps come last.
Result<uint32_t> chooseFamily(const DeviceFacts &facts) {
  auto score = [](const VkQueueFamilyProperties &family) {
    bool draws = family.queueFlags & VK_QUEUE_GRAPHICS_BIT;
    return (family.timestampValidBits > 0 ? 2 : 0) + (draws ? 0 : 1);
  };
  int best = -1;
  uint32_t chosen = 0;
  for (uint32_t i = 0; i < facts.queueFamilies.size(); ++i) {
    const VkQueueFamilyProperties &family = facts.queueFamilies[i];
    if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) && family.queueCount > 0 &&
        score(family) > best) {
      best = score(family);
      chosen = i;
    }
  }
  if (best < 0)
    return Status(StatusCode::Unsupported,
                  std::string(facts.properties.deviceName) +
                      ": none of its queues supports compute (VK_QUEUE_COMPUTE_"
                      "BIT)");
  return chosen;
}

constexpr VkMemoryPropertyFlags onDevice = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
/// Memory types with other flags need features that are off, or cannot hold buffers.
constexpr VkMemoryPropertyFlags plainFlags = onDevice | visible | coherent | cached;

bool sharesMemory(const DeviceFacts &facts) {
  return facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
         facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/// Returns how suitable a memory type with these `flags` is. Negative means not at all.
int fitness(MemoryUse use, VkMemoryPropertyFlags flags, bool shared) {
  bool mapped = (flags & visible) && (flags & coherent);
  switch (use) {
  case MemoryUse::Device:
    // An integrated GPU may report a small heap of its own, but that is part of the same memory.
    if (!(flags & onDevice))
      return shared ? 0 : -1;
    // If host and device share memory, host-visible memory saves staging copies. On a discrete GPU,
    // it is small, and the host accesses it slowly over a bus.
    return shared ? 4 + (mapped ? 2 : 0) + (flags & cached ? 1 : 0) : 4 + (flags & visible ? 0 : 2);
  case MemoryUse::Host:
  case MemoryUse::Download:
    if (!mapped)
      return -1;
    return (flags & cached ? 4 : 0) + ((flags & onDevice) && !shared ? 0 : 1);
  case MemoryUse::Upload:
    if (!mapped)
      return -1;
    // Write-combined memory is as fast for sequential writes, and these do not evict data from the
    // caches.
    return ((flags & onDevice) && !shared ? 0 : 2) + (flags & cached ? 0 : 1);
  }
  return -1;
}

void planMemory(const DeviceFacts &facts, DevicePlan &plan) {
  const VkPhysicalDeviceMemoryProperties &memory = facts.memory;
  bool shared = sharesMemory(facts);
  for (size_t use = 0; use < memoryUses; ++use) {
    std::vector<uint32_t> &types = plan.memoryTypes[use];
    auto fit = [&](uint32_t type) {
      return fitness(static_cast<MemoryUse>(use), memory.memoryTypes[type].propertyFlags, shared);
    };
    auto heap = [&](uint32_t type) {
      return memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
    };
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type)
      if (!(memory.memoryTypes[type].propertyFlags & ~plainFlags) && fit(type) >= 0)
        types.push_back(type);
    // Vulkan orders types with the same flags by speed. Types of equal fitness keep that order.
    std::ranges::sort(types, std::greater(),
                      [&](uint32_t type) { return std::tuple(fit(type), heap(type), ~type); });
  }
  if (const std::vector<uint32_t> &types = plan.types(MemoryUse::Device); !types.empty()) {
    VkMemoryPropertyFlags flags = memory.memoryTypes[types.front()].propertyFlags;
    plan.deviceMemoryIsMapped = (flags & visible) && (flags & coherent);
  }
}

/// Returns whether an extension can be enabled. This also requires the extensions on which it
/// depends.
bool mayEnable(const DeviceFacts &facts, std::string_view extension) {
  if (extension == "VK_KHR_maintenance5") // needs dynamic rendering, which is core in 1.3
    return facts.atLeast(3);
  if (extension == "VK_EXT_external_memory_dma_buf")
    return facts.hasExtension("VK_KHR_external_memory_fd");
  if (extension == "VK_EXT_shader_atomic_float2")
    return facts.hasExtension("VK_EXT_shader_atomic_float");
  if (extension == "VK_NV_cooperative_matrix2")
    return facts.hasExtension("VK_KHR_cooperative_matrix");
  return true;
}

/// Returns whether Vulkan 1.1, the minimum version, already includes the extension. Then enabling
/// it has no effect.
bool isCoreAnyway(std::string_view extension) { return executable::promotedIn(extension) <= 1; }

} // namespace

Result<DevicePlan> planDevice(const DeviceFacts &facts, uint32_t queues, bool robustAccess) {
  DevicePlan plan;
  plan.robustBufferAccess = robustAccess && facts.has("robustBufferAccess");
  PUMICE_TRY(plan.queueFamily, chooseFamily(facts));
  const VkQueueFamilyProperties &family = facts.queueFamilies[plan.queueFamily];
  plan.queueCount = std::min(family.queueCount, queues);
  float tick = facts.properties.limits.timestampPeriod;
  plan.timestamps = family.timestampValidBits > 0 && tick > 0 && std::isfinite(tick);

  for (const std::string &extension : facts.extensions)
    if (isUsedExtension(extension) && !isCoreAnyway(extension) && mayEnable(facts, extension))
      plan.extensions.push_back(extension);
  auto enabled = [&](std::string_view extension) {
    return std::ranges::find(plan.extensions, extension) != plan.extensions.end();
  };
  for (const FeatureStructure &structure : featureStructures())
    for (const FeatureFlag &flag : structure.flags)
      if (!structure.property && facts.has(flag.name) &&
          (!structure.extension || isCoreAnyway(structure.extension) ||
           enabled(structure.extension) ||
           (structure.core != executable::never && facts.atLeast(structure.core))))
        plan.features.insert(flag.name);
  if (!plan.robustBufferAccess) {
    plan.features.erase("robustBufferAccess");
    plan.features.erase("cooperativeMatrixRobustBufferAccess"); // depends on the feature above
  }
  dropUnmetFeatures(plan.features);

  auto on = [&](const char *feature) { return plan.features.contains(feature); };
  plan.timelineSemaphores = on("timelineSemaphore");
  plan.bufferAddresses = on("bufferDeviceAddress");
  plan.subgroupSizeControl =
      on("subgroupSizeControl") && (facts.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
  plan.fullSubgroups = on("computeFullSubgroups");
  plan.synchronization2 = on("synchronization2");
  plan.hostImport = enabled("VK_EXT_external_memory_host") && facts.hostImportAlignment > 0;
  plan.memoryFd = enabled("VK_KHR_external_memory_fd");
  plan.hostQueryReset = on("hostQueryReset");
  plan.pushDescriptors = enabled("VK_KHR_push_descriptor");
  plan.pipelineStatistics = on("pipelineExecutableInfo");
  plan.cacheControl = on("pipelineCreationCacheControl");
  plan.memoryBudget = enabled("VK_EXT_memory_budget");
  plan.deviceFault = on("deviceFault");
  plan.portability = enabled("VK_KHR_portability_subset");
  plan.events = !plan.portability || on("events");
  planMemory(facts, plan);
  // This happens on null devices, which only compile, or if all memory types need features that are
  // off.
  for (MemoryUse use : {MemoryUse::Device, MemoryUse::Host})
    if (plan.types(use).empty())
      return Status(StatusCode::Unsupported,
                    std::string(facts.properties.deviceName) + ": it has no memory for buffers" +
                        (use == MemoryUse::Host ? " that the host can reach" : ""));
  return plan;
}

Result<uint32_t> chooseMemoryType(const DevicePlan &plan, MemoryUse use, uint32_t allowedTypes) {
  for (uint32_t type : plan.types(use))
    if (allowedTypes & (1u << type))
      return type;
  constexpr const char *names[] = {"device", "host", "upload", "download"};
  return Status(StatusCode::Unsupported,
                std::string("no memory type serves as ") + names[static_cast<size_t>(use)] +
                    " memory (allowed types: bit mask " + std::to_string(allowedTypes) + ")");
}

} // namespace pumice::vulkan
