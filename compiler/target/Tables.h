//===- Tables.h - the tables of features, limits and extensions -------------===//
// Features.def, Limits.def, Extensions.def and Workarounds.def as arrays, and the questions that
// the compiler asks them. SPIR-V capabilities and extensions are names here; dialect/vk turns them
// into MLIR's enums.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <span>
#include <variant>

namespace pumice::target {

/// In place of a version: no version has it built in.
inline constexpr uint32_t never = 99;

/// One line of Features.def, which explains the columns.
struct FeatureInfo {
  Feature feature;
  std::string_view name, member, structure, extensions;
  uint32_t core;
  std::string_view capabilities, spirvExtension;
  uint32_t spirvCore;
};
std::span<const FeatureInfo> allFeatures();
const FeatureInfo &infoOf(Feature feature);

/// One line of Workarounds.def.
struct WorkaroundInfo {
  Workaround workaround;
  std::string_view name, driver; // VkDriverId, by name
  uint32_t driverId;             // and as a number
};
std::span<const WorkaroundInfo> allWorkarounds();

/// One line of Limits.def.
struct LimitInfo {
  using Member = std::variant<uint32_t Limits::*, uint64_t Limits::*, Size3 Limits::*>;
  std::string_view name, structure, members;
  bool alwaysPrinted;
  Member member;
};
std::span<const LimitInfo> allLimits();
const LimitInfo *findLimit(std::string_view name);

/// One line of Extensions.def, or an extension that a line of Features.def names.
struct ExtensionInfo {
  std::string_view name;
  uint32_t core;
  std::string_view spirvExtension;
};
/// Every Vulkan extension the compiler knows, sorted by name; a name may have several entries, one
/// for each SPIR-V extension that it brings.
std::span<const ExtensionInfo> allExtensions();
bool isKnownExtension(std::string_view name);

/// The words of a table's column.
std::vector<std::string_view> splitWords(std::string_view words);

/// One bit of VkSubgroupFeatureFlagBits.
struct SubgroupOperationInfo {
  SubgroupOperation operation;
  std::string_view name, capability;
};
std::span<const SubgroupOperationInfo> allSubgroupOperations();

} // namespace pumice::target
