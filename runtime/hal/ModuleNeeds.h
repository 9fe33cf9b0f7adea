//===- ModuleNeeds.h - checks a SPIR-V module's requirements against a device -===//
// Checks code for which no executable states requirements, before a driver sees it. Drivers may
// crash on modules that need features which are not enabled.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Checks whether a Vulkan device with these properties can run the module. Errors: Unsupported;
/// the message names a SPIR-V version that is too new, and each missing capability and extension
/// with the Vulkan feature or extension that provides it.
Status meetsModule(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
