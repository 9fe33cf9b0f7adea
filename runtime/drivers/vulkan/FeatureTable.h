//===- FeatureTable.h - where Vulkan keeps its boolean features -------------===//
// One table says which structure holds each feature, and which version or extension provides that
// structure. Asking a device, deciding, and enabling features all follow it. It lists every feature
// that target environments know, and a few more that the driver itself asks for.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvNeeds.h"
#include "runtime/drivers/vulkan/Vulkan.h"

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace pumice::vulkan {

using NameSet = std::set<std::string, std::less<>>;

/// One VkBool32, under Vulkan's own name.
struct FeatureFlag {
  const char *name;
  size_t offset; // in its structure
};

/// One of Vulkan's structures, queried whole. Only those of single extensions are used, never
/// VulkanNNFeatures: so every version from 1.1 on is asked the same way.
struct FeatureStructure {
  VkStructureType type;
  const char *extension; // that brings it; null: Vulkan 1.0 has it
  uint32_t core;         // Vulkan 1.<core> has it without the extension; `executable::never`
  bool property;         // read with the properties; nothing to switch on
  bool ours;             // asked by the driver; no part of target environments
  std::span<const FeatureFlag> flags;
};
std::span<const FeatureStructure> featureStructures();

/// The structures that hold the features of a whole version, VkPhysicalDeviceVulkan11Features and
/// so on. They are never asked; applications that open devices use them.
std::span<const FeatureStructure> versionStructures();

/// A feature that means nothing without another.
struct FeatureNeed {
  const char *feature, *needed;
};
std::span<const FeatureNeed> featureNeeds();

/// Names a bug of a driver, as target environments call it. Compilers then avoid what it affects.
struct DriverWorkaround {
  const char *name;
  VkDriverId driver;
};
std::span<const DriverWorkaround> driverWorkarounds();

/// Whether target environments know an extension: kernels may require it.
bool isTargetExtension(std::string_view name);
/// Whether it is worth switching on: those, and the few that only the driver itself uses.
bool isUsedExtension(std::string_view name);

/// A pNext chain of feature structures, zeroed.
class FeatureChain {
public:
  /// Chains the structures for which `wanted` returns true.
  explicit FeatureChain(const std::function<bool(const FeatureStructure &)> &wanted);
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  /// Returns the first structure, or null for an empty chain. VkPhysicalDeviceFeatures2 comes first
  /// if it is in the chain.
  void *first() { return blocks.empty() ? nullptr : blocks.data(); }
  /// The last structure, for who links more behind it; null for an empty chain.
  void *last() { return blocks.empty() ? nullptr : &blocks.back(); }
  void addTo(NameSet &names) const; // flags that are on
  void set(const NameSet &names);   // switches flags on

private:
  struct Block { // every structure is a type, a link and a row of VkBool32
    VkStructureType type;
    void *next = nullptr;
    VkBool32 flags[60] = {};
  };
  std::vector<Block> blocks;
  std::vector<const FeatureStructure *> structures; // beside the blocks
};

} // namespace pumice::vulkan
