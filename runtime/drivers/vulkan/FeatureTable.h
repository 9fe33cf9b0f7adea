//===- FeatureTable.h - the structures of Vulkan's boolean features -------===//
// One table says which structure holds each feature, and which version or extension provides that
// structure. All code that queries, chooses or enables features uses this table. It lists every
// feature that target environments know, and a few more that only the driver uses.
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
  size_t offset; // its offset in the structure
};

/// One of Vulkan's feature structures, which is queried as a whole. The driver uses the structures
/// of single extensions, never VulkanNNFeatures. So it queries every version from 1.1 on in the
/// same way.
struct FeatureStructure {
  VkStructureType type;
  const char *extension; // the extension that provides it; null: Vulkan 1.0 does
  uint32_t core;         // Vulkan 1.<core> includes it; `executable::never`: no version does
  bool property;         // a property, which is only read and cannot be enabled
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

/// A driver bug, by its name in target environments. Compilers avoid code that it affects.
struct DriverWorkaround {
  const char *name;
  VkDriverId driver;
};
std::span<const DriverWorkaround> driverWorkarounds();

/// Returns whether target environments know an extension. Kernels may then require it.
bool isTargetExtension(std::string_view name);
/// Returns whether the driver enables an extension if it can. It does so for target extensions, and
/// for a few that only the driver uses.
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
  struct Block { // the layout of every structure: a type, a link, and the flags
    VkStructureType type;
    void *next = nullptr;
    VkBool32 flags[60] = {};
  };
  std::vector<Block> blocks;
  std::vector<const FeatureStructure *> structures; // the structure of each block
};

} // namespace pumice::vulkan
