//===- EnabledFeatures.cpp - what an application enabled in its VkDevice ----===//
#include "runtime/drivers/vulkan/EnabledFeatures.h"

#include <algorithm>
#include <cstring>

namespace pumice::vulkan {
namespace {

VkBool32 *flagOf(void *structure, const FeatureFlag &flag) {
  return reinterpret_cast<VkBool32 *>(static_cast<std::byte *>(structure) + flag.offset);
}

/// Calls `see` with each structure of a chain that the tables describe, and with its description.
template <typename See> void forEachKnown(void *chain, See see) {
  for (auto *at = static_cast<VkBaseOutStructure *>(chain); at; at = at->pNext)
    for (std::span<const FeatureStructure> table : {featureStructures(), versionStructures()})
      for (const FeatureStructure &known : table)
        if (known.type == at->sType && !known.property)
          see(at, known);
}

} // namespace

EnabledParts enabledBy(const VkDeviceCreateInfo &create) {
  EnabledParts enabled;
  for (uint32_t i = 0; i < create.enabledExtensionCount; ++i)
    if (create.ppEnabledExtensionNames && create.ppEnabledExtensionNames[i])
      enabled.extensions.insert(create.ppEnabledExtensionNames[i]);
  // The chain is only read, although `forEachKnown` takes a pointer that is not const.
  forEachKnown(const_cast<void *>(create.pNext),
               [&](void *structure, const FeatureStructure &known) {
                 for (const FeatureFlag &flag : known.flags)
                   if (*flagOf(structure, flag))
                     enabled.features.insert(flag.name);
               });
  if (create.pEnabledFeatures) {
    VkPhysicalDeviceFeatures2 whole{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr,
                                    *create.pEnabledFeatures};
    forEachKnown(&whole, [&](void *structure, const FeatureStructure &known) {
      for (const FeatureFlag &flag : known.flags)
        if (*flagOf(structure, flag))
          enabled.features.insert(flag.name);
    });
  }
  return enabled;
}

DeviceFacts restrictFacts(DeviceFacts facts, const EnabledParts &enabled, uint32_t queueFamily) {
  facts.properties.apiVersion = facts.version; // kernels must not use newer SPIR-V
  std::erase_if(facts.extensions,
                [&](const std::string &name) { return !enabled.extensions.contains(name); });
  NameSet features;
  for (const FeatureStructure &structure : featureStructures())
    for (const FeatureFlag &flag : structure.flags)
      if (facts.has(flag.name) && (structure.property || enabled.features.contains(flag.name)))
        features.insert(flag.name);
  dropUnmetFeatures(features);
  facts.features = std::move(features);
  if (!facts.has("cooperativeMatrix"))
    facts.matrices.clear();
  for (uint32_t i = 0; i < facts.queueFamilies.size(); ++i)
    if (i != queueFamily)
      facts.queueFamilies[i].queueFlags = 0;
  return facts;
}

Wishes wishesOf(const DevicePlan &plan, void *own) {
  NameSet taken;
  std::vector<VkStructureType> present;
  forEachKnown(own, [&](void *structure, const FeatureStructure &known) {
    present.push_back(known.type);
    for (const FeatureFlag &flag : known.flags) {
      taken.insert(flag.name);
      if (plan.features.contains(flag.name))
        *flagOf(structure, flag) = VK_TRUE;
    }
  });
  Wishes wishes{.extensions = plan.extensions, .queueFamily = plan.queueFamily};
  wishes.features = std::make_unique<FeatureChain>([&](const FeatureStructure &structure) {
    if (structure.property || std::ranges::find(present, structure.type) != present.end())
      return false;
    return std::ranges::any_of(structure.flags, [&](const FeatureFlag &flag) {
      return plan.features.contains(flag.name) && !taken.contains(flag.name);
    });
  });
  wishes.features->set(plan.features);
  return wishes;
}

} // namespace pumice::vulkan
