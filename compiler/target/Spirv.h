//===- Spirv.h - what modules for an environment may declare ----------------===//
// The environment seen from SPIR-V's side, by the tables; and the way back, for errors: which
// Vulkan feature a capability comes from. Names are SPIR-V's, as MLIR spells them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/SpirvNeeds.h"

namespace pumice::target {

/// Every capability that a module for the environment may declare, sorted. The ones that Vulkan
/// always has for compute (Shader, Matrix) are among them; those they imply are not repeated.
std::vector<std::string_view> spirvCapabilities(const TargetEnv &env);
bool allowsCapability(const TargetEnv &env, std::string_view capability);

/// Every SPIR-V extension that a module for the environment may declare, sorted.
std::vector<std::string_view> spirvExtensions(const TargetEnv &env);
bool allowsSpirvExtension(const TargetEnv &env, std::string_view extension);

/// The features that bring a capability; none for Shader and for those of subgroup operations.
std::vector<Feature> featuresFor(std::string_view capability);

/// The one feature that brings a capability, or the first of them.
std::optional<Feature> featureFor(std::string_view capability);

// Returns what a target must have for a capability or extension, in Vulkan's words. Examples are
// "shaderFloat64", "shaderBufferInt64Atomics or shaderSharedInt64Atomics", and "subgroup operation
// 'ballot' (subgroupFeatures bit 3)". Returns "" if these tables know no Vulkan device with it.
using executable::whatBringsCapability, executable::whatBringsSpirvExtension;

} // namespace pumice::target
