//===- ModuleNeeds.h - checks a SPIR-V module's requirements against a device -===//
// Checks code for which no executable states requirements, before a driver sees it. Drivers may
// crash on modules that need features which are not enabled.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Returns ok if the device, as a Vulkan device, can run the module. Otherwise returns Unsupported,
/// which names the version, and each missing capability and extension, with what would provide it.
Status meetsModule(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
