//===- JsonTarget.h - environments as JSON ----------------------------------===//
// Reads what other tools write about a device, and writes our own form. Bad input is an error that
// names the place ("capabilities.device.features.VkPhysicalDeviceFeatures.shaderInt64"), whatever
// the bytes are.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace pumice::vk {

/// Reads `vulkaninfo -j` output (2020 and later: profile form; before: structures at the top), a
/// Khronos profile, or toJson's form. `profile` chooses one if a file has several. Leaves out
/// features that the version and extensions do not provide, and extensions that the compiler never
/// uses. Cooperative-matrix shapes are read only from an array of that name (MatrixText.h).
Result<target::TargetEnv> readTargetJson(std::string_view text, std::string_view profile = {});

/// Returns {"pumiceTargetEnv": 1, "version": "1.3.230", "extensions": […], "limits": {…},
/// "features": […]}. It has every limit, and only the supported features.
std::string toJson(const target::TargetEnv &env);

/// Returns whether brackets nest deeper than in any target's description. Parsers recurse on them.
bool nestsTooDeep(std::string_view text);

} // namespace pumice::vk
