//===- ModuleNeeds.h - has a device what a SPIR-V module declares? ----------===//
// For code that comes without an executable's requirements, and before any driver sees it: drivers
// may crash on modules that need what was not switched on.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Ok where the device, as a Vulkan device, may be given the module; else Unsupported, naming its
/// version, and every capability and extension that it lacks, with what would bring them.
Status meetsModule(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
