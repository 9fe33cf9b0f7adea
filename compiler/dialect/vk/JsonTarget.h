//===- JsonTarget.h - environments as JSON ----------------------------------===//
// Reads what other tools write about a device, and writes our own form. Any invalid input is
// reported as an error. The error names the place in the input
// ("capabilities.device.features.VkPhysicalDeviceFeatures.shaderInt64").
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace pumice::vk {

/// Reads `vulkaninfo -j` output, a Khronos profile, or toJson's form. The output of vulkaninfo may
/// have the profile form (2020 and later) or structures at the top (before 2020). `profile` chooses
/// one if a file has several. Leaves out features that the version and extensions do not provide,
/// and extensions that the compiler never uses. Cooperative-matrix shapes are read only from an
/// array of that name (MatrixText.h).
Result<target::TargetEnv> readTargetJson(std::string_view text, std::string_view profile = {});

/// Returns {"pumiceTargetEnv": 1, "version": "1.3.230", "extensions": […], "limits": {…},
/// "features": […]}. It has every limit, and only the supported features.
std::string toJson(const target::TargetEnv &env);

/// Returns whether brackets nest deeper than in any target's description. Parsers recurse on them.
bool nestsTooDeep(std::string_view text);

} // namespace pumice::vk
