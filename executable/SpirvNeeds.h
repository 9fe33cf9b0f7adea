//===- SpirvNeeds.h - what of Vulkan brings what SPIR-V modules declare -----===//
// The tables Features.def, Extensions.def and Capabilities.def as arrays, for both sides. The
// compiler asks what a module for a target may declare. The runtime asks what a module needs of a
// device. Names are those of Vulkan and SPIR-V.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::executable {

/// In place of a version: no version has it built in.
inline constexpr uint32_t never = 99;

/// One line of Features.def, which explains the columns.
struct FeatureInfo {
  std::string_view name, member, structure, extensions;
  uint32_t core;
  std::string_view capabilities, spirvExtension;
  uint32_t spirvCore;
};
std::span<const FeatureInfo> allFeatures();

/// One line of Extensions.def, or an extension that a line of Features.def names.
struct ExtensionInfo {
  std::string_view name;
  uint32_t core;
  std::string_view spirvExtension, capabilities;
};
/// Every Vulkan extension that is known, sorted by name; a name may have several entries, one for
/// each SPIR-V extension that it brings.
std::span<const ExtensionInfo> allExtensions();
bool isKnownExtension(std::string_view name);
/// Vulkan 1.N has the extension built in; `never` where none does, or the name is not known.
uint32_t promotedIn(std::string_view extension);
/// Whether Vulkan `major.minor` has built in what came with 1.`core`, which may be `never`.
constexpr bool hasBuiltIn(uint32_t major, uint32_t minor, uint32_t core) {
  return core != never && (major > 1 || (major == 1 && minor >= core));
}

/// One bit of VkSubgroupFeatureFlagBits.
struct SubgroupOperationInfo {
  uint32_t bit;
  std::string_view name, capability;
};
std::span<const SubgroupOperationInfo> allSubgroupOperations();

/// The words of a table's column.
std::vector<std::string_view> splitWords(std::string_view words);

/// For messages: "VK_KHR_8bit_storage or Vulkan 1.2".
std::string extensionOrVersion(std::string_view extension);

/// For messages: "subgroup operation 'ballot' (subgroupFeatures bit 3)".
std::string subgroupOperationText(uint32_t bit);

/// Returns what provides the capability, for messages: "VK_KHR_8bit_storage or Vulkan 1.2". Returns
/// an empty text if nothing known does.
std::string whatBringsCapability(std::string_view capability);
std::string whatBringsSpirvExtension(std::string_view extension);

/// Whether every Vulkan 1.1 device takes modules that declare it.
bool isAlwaysThere(std::string_view capability);

/// Empty for numbers that are not in Capabilities.def.
std::string_view capabilityName(uint32_t number);

/// The newest SPIR-V 1.N that Vulkan `major.minor` takes; `hasSpirv14`: with VK_KHR_spirv_1_4.
uint32_t newestSpirvMinor(uint32_t major, uint32_t minor, bool hasSpirv14);

} // namespace pumice::executable
