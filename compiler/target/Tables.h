//===- Tables.h - the tables of features, limits and extensions -------------===//
// Provides Limits.def and Workarounds.def as arrays, together with queries for the compiler. The
// runtime has the features and extensions, too (executable/SpirvNeeds.h). Here, SPIR-V capabilities
// and extensions are names. dialect/vk turns them into MLIR's enums.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/SpirvNeeds.h"

#include <span>
#include <variant>

namespace pumice::target {

// Tables that compiler and runtime share. They are in the order of `Feature`.
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
  std::string_view name, driver; // VkDriverId, as a name
  uint32_t driverId;             // VkDriverId, as a number
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
