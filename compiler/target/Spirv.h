//===- Spirv.h - SPIR-V declarations that an environment allows -----------===//
// The tables say which SPIR-V an environment allows. For errors, they also say which Vulkan feature
// a capability comes from. Names are SPIR-V's, as MLIR spells them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/SpirvNeeds.h"

namespace pumice::target {

/// Returns every capability that a module for the environment may declare, sorted. It includes
/// those that Vulkan always has for compute (Shader, Matrix), but not those that they imply.
std::vector<std::string_view> spirvCapabilities(const TargetEnv &env);
bool allowsCapability(const TargetEnv &env, std::string_view capability);

/// Returns every SPIR-V extension that a module for the environment may declare, sorted.
std::vector<std::string_view> spirvExtensions(const TargetEnv &env);
bool allowsSpirvExtension(const TargetEnv &env, std::string_view extension);

/// Returns the features that provide a capability. There are none for Shader and for subgroup
/// operations.
std::vector<Feature> featuresFor(std::string_view capability);

/// Returns the feature that provides a capability, or the first of several.
std::optional<Feature> featureFor(std::string_view capability);

// Returns what a target must have for a capability or extension, in Vulkan's words. Examples are
// "shaderFloat64", "shaderBufferInt64Atomics or shaderSharedInt64Atomics", and "subgroup operation
// 'ballot' (subgroupFeatures bit 3)". Returns "" if these tables know no Vulkan device with it.
using executable::whatBringsCapability, executable::whatBringsSpirvExtension;

} // namespace pumice::target
