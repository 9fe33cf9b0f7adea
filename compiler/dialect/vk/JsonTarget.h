//===- JsonTarget.h - environments as JSON ----------------------------------===//
// Reads what other tools write about a device, and writes our own form. Bad input is an error that
// names the place ("capabilities.device.features.VkPhysicalDeviceFeatures.shaderInt64"), whatever
// the bytes are.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace pumice::vk {

/// Any of: `vulkaninfo -j` output (of 2020 and later: profile form; before: structures at the top),
/// a Khronos profile, and toJson's form. `profile` chooses one of a file with several. Features
/// that the version and extensions do not bring are left out, as are extensions the compiler never
/// asks for. Cooperative-matrix shapes are there only when an array of that name is (MatrixText.h).
Result<target::TargetEnv> readTargetJson(std::string_view text, std::string_view profile = {});

/// {"pumiceTargetEnv": 1, "version": "1.3.230", "extensions": […], "limits": {…}, "features": […]}:
/// every limit, the features that are there.
std::string toJson(const target::TargetEnv &env);

/// Whether brackets nest deeper than any target's description does: parsers recurse on them.
bool nestsTooDeep(std::string_view text);

} // namespace pumice::vk
