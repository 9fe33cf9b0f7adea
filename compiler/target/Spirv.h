//===- Spirv.h - SPIR-V declarations that an environment allows -------------===//
// These tables list the SPIR-V that an environment allows. For errors, they also say which Vulkan
// feature provides a capability. Names are those of SPIR-V, as MLIR spells them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/SpirvNeeds.h"

namespace pumice::target {

/// Returns every capability that a module for the environment may declare, in sorted order. This
/// includes those that Vulkan always provides for compute (Shader, Matrix), but not those that they
/// imply.
std::vector<std::string_view> spirvCapabilities(const TargetEnv &env);
bool allowsCapability(const TargetEnv &env, std::string_view capability);

/// Returns every SPIR-V extension that a module for the environment may declare, in sorted order.
std::vector<std::string_view> spirvExtensions(const TargetEnv &env);
bool allowsSpirvExtension(const TargetEnv &env, std::string_view extension);

/// Returns the features that provide a capability. The result is empty for Shader and for subgroup
/// operations.
std::vector<Feature> featuresFor(std::string_view capability);

/// Returns a feature that provides a capability: the first one if there are several.
std::optional<Feature> featureFor(std::string_view capability);

/// Returns what a target needs for a capability, an extension or a subgroup operation, in the words
/// of its API. Examples are "shaderFloat64", "shaderBufferInt64Atomics or
/// shaderSharedInt64Atomics", "subgroup operation 'ballot' (subgroupFeatures bit 3)", and
/// "cl_khr_fp64". Returns "" if no device in these tables supports it.
std::string whatBringsCapability(const TargetEnv &env, std::string_view capability);
std::string whatBringsSpirvExtension(const TargetEnv &env, std::string_view extension);
std::string whatBringsSubgroupOperation(const TargetEnv &env, uint32_t bit);

} // namespace pumice::target
