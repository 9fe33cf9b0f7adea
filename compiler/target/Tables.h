//===- Tables.h - the tables of features, limits and extensions -------------===//
// Provides Limits.def and Workarounds.def as arrays, together with queries for the compiler. The
// runtime knows the features and extensions as well (executable/SpirvNeeds.h). SPIR-V capabilities
// and extensions are names here; dialect/vk turns them into MLIR's enums.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/SpirvNeeds.h"

#include <span>
#include <variant>

namespace pumice::target {

// Tables that compiler and runtime share, in the order of `Feature`.
using executable::allExtensions, executable::allFeatures, executable::allSubgroupOperations;
using executable::ExtensionInfo, executable::FeatureInfo, executable::SubgroupOperationInfo;
using executable::isKnownExtension, executable::never, executable::splitWords;
using executable::subgroupOperationText;

const FeatureInfo &infoOf(Feature feature);
/// Returns the feature of an element of `allFeatures`.
Feature featureOf(const FeatureInfo &info);

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
  bool alwaysPrinted, mayBeZero;
  Member member;
};
std::span<const LimitInfo> allLimits();
const LimitInfo *findLimit(std::string_view name);

} // namespace pumice::target
