//===- SpirvNeeds.h - the parts of Vulkan that SPIR-V declarations need -----===//
// Features.def, Extensions.def and Capabilities.def as arrays. The compiler looks up what a module
// for a target may declare. The runtime looks up what a module needs from a device. Names are those
// of Vulkan and SPIR-V.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::executable {

/// The version number of a feature or extension that no version includes.
inline constexpr uint32_t never = 99;

/// One line of Features.def, where the columns are explained.
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
/// Returns all known Vulkan extensions, sorted by name. A name has several entries if it provides
/// several SPIR-V extensions.
std::span<const ExtensionInfo> allExtensions();
bool isKnownExtension(std::string_view name);
/// Returns N for the first version Vulkan 1.N that includes the extension. Returns `never` if no
/// version does, or if the name is unknown.
uint32_t promotedIn(std::string_view extension);
/// Returns whether Vulkan `major.minor` includes the features that Vulkan 1.`core` added. `core`
/// may be `never`.
constexpr bool hasBuiltIn(uint32_t major, uint32_t minor, uint32_t core) {
  return core != never && (major > 1 || (major == 1 && minor >= core));
}

/// One bit of VkSubgroupFeatureFlagBits.
struct SubgroupOperationInfo {
  uint32_t bit;
  std::string_view name, capability;
};
std::span<const SubgroupOperationInfo> allSubgroupOperations();

/// Splits a column of a table into words.
std::vector<std::string_view> splitWords(std::string_view words);

/// Returns a text for messages, such as "VK_KHR_8bit_storage or Vulkan 1.2".
std::string extensionOrVersion(std::string_view extension);

/// Returns a text for messages, such as "subgroup operation 'ballot' (subgroupFeatures bit 3)".
std::string subgroupOperationText(uint32_t bit);

/// Returns what provides the capability, for messages: "VK_KHR_8bit_storage or Vulkan 1.2". Returns
/// an empty text if nothing in these tables does.
std::string whatBringsCapability(std::string_view capability);
std::string whatBringsSpirvExtension(std::string_view extension);

/// Returns whether every Vulkan 1.1 device accepts modules that declare the capability.
bool isAlwaysThere(std::string_view capability);

/// Returns the name of the capability, or an empty text if Capabilities.def does not list the
/// number.
std::string_view capabilityName(uint32_t number);

/// Returns the minor version of the newest SPIR-V that Vulkan `major.minor` accepts. `hasSpirv14`
/// says whether the device has VK_KHR_spirv_1_4.
uint32_t newestSpirvMinor(uint32_t major, uint32_t minor, bool hasSpirv14);

} // namespace pumice::executable
