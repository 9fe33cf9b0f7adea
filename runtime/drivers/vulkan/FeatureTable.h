//===- FeatureTable.h - the structures of Vulkan's boolean features ---------===//
// One table lists the structure of each feature, and the version or extension that provides the
// structure. All code that queries, chooses or enables features uses this table. It lists every
// feature that target environments know, and some more that only the driver uses.
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

/// One VkBool32, by its name in Vulkan.
struct FeatureFlag {
  const char *name;
  size_t offset; // its offset in the structure
};

/// One of Vulkan's feature structures. It is queried as a whole. The driver uses the structures of
/// single extensions, never VulkanNNFeatures. So it can query every version from 1.1 on in the same
/// way.
struct FeatureStructure {
  VkStructureType type;
  const char *extension; // null: Vulkan 1.0 provides it
  uint32_t core;         // Vulkan 1.<core> includes it; `executable::never`: none does
  bool property;         // whether it is a property, which cannot be enabled
  bool ours;             // whether target environments do not know it
  std::span<const FeatureFlag> flags;
};
std::span<const FeatureStructure> featureStructures();

/// Returns the structures that contain all features of a version, such as
/// VkPhysicalDeviceVulkan11Features. The driver never queries them, but applications that create
/// devices use them.
std::span<const FeatureStructure> versionStructures();

/// A feature that has no effect without another feature.
struct FeatureNeed {
  const char *feature, *needed;
};
std::span<const FeatureNeed> featureNeeds();

/// A driver bug, by its name in target environments. Compilers avoid code that triggers it.
struct DriverWorkaround {
  const char *name;
  VkDriverId driver;
};
std::span<const DriverWorkaround> driverWorkarounds();

/// Returns whether target environments know an extension. Only then may kernels require it.
bool isTargetExtension(std::string_view name);
/// Returns whether the driver enables an extension if the device has it. This holds for target
/// extensions, and for some that only the driver uses.
bool isUsedExtension(std::string_view name);

/// A pNext chain of feature structures. All flags are zero at first.
class FeatureChain {
public:
  /// Makes a chain of the structures for which `wanted` returns true.
  explicit FeatureChain(const std::function<bool(const FeatureStructure &)> &wanted);
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  /// Returns the first structure, or null if the chain is empty. VkPhysicalDeviceFeatures2 comes
  /// first if it is in the chain.
  void *first() { return blocks.empty() ? nullptr : blocks.data(); }
  /// Returns the last structure, to which more can be linked, or null if the chain is empty.
  void *last() { return blocks.empty() ? nullptr : &blocks.back(); }
  void addTo(NameSet &names) const; // adds the names of flags that are set
  void set(const NameSet &names);   // sets the flags with these names

private:
  struct Block { // the layout of every feature structure
    VkStructureType type;
    void *next = nullptr;
    VkBool32 flags[60] = {};
  };
  std::vector<Block> blocks;
  std::vector<const FeatureStructure *> structures; // for each block
};

} // namespace pumice::vulkan
