//===- ModuleNeeds.h - checks a SPIR-V module's requirements against a device -===//
// Checks code that comes without an executable's requirements, before any driver sees it. Drivers
// may crash on modules that need features that are not enabled.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Returns ok if the device, as a Vulkan device, may receive the module. Otherwise returns
/// Unsupported, which names the version, and each capability and extension that is missing, with
/// what would provide it.
Status meetsModule(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
