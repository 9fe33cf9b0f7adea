//===- FeatureTable.h - the structures of Vulkan's boolean features -------===//
// One table says which structure holds each feature, and which version or extension provides that
// structure. Code that queries a device, decides, and enables features uses it. It lists every
// feature that target environments know, and a few more that the driver itself uses.
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
  size_t offset; // in the structure
};

/// One of Vulkan's structures, queried as a whole. Only those of single extensions are used, never
/// VulkanNNFeatures, so that every version from 1.1 on is queried in the same way.
struct FeatureStructure {
  VkStructureType type;
  const char *extension; // that provides it; null: Vulkan 1.0 has it
  uint32_t core;         // Vulkan 1.<core> has it without the extension; or `executable::never`
  bool property;         // read with the properties; it cannot be enabled
  bool ours;             // used by the driver only, and not in target environments
  std::span<const FeatureFlag> flags;
};
std::span<const FeatureStructure> featureStructures();

/// Returns the structures with the features of a whole version: VkPhysicalDeviceVulkan11Features
/// and so on. They are never queried, but applications that open devices use them.
std::span<const FeatureStructure> versionStructures();

/// A feature that has no effect without another.
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

/// Returns whether target environments know an extension. Kernels may then require it.
bool isTargetExtension(std::string_view name);
/// Returns whether an extension is worth enabling. Those are target extensions, and a few that only
/// the driver uses.
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
  /// Returns the last structure, to link more behind it, or null for an empty chain.
  void *last() { return blocks.empty() ? nullptr : &blocks.back(); }
  void addTo(NameSet &names) const; // adds flags that are set
  void set(const NameSet &names);   // sets flags

private:
  struct Block { // every structure is a type, a link and a row of VkBool32
    VkStructureType type;
    void *next = nullptr;
    VkBool32 flags[60] = {};
  };
  std::vector<Block> blocks;
  std::vector<const FeatureStructure *> structures; // for each block
};

} // namespace pumice::vulkan
