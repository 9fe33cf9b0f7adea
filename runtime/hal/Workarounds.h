//===- Workarounds.h - finds modules that a driver handles wrongly ----------===//
// `DeviceInfo::workarounds` lists what code for the device must avoid. The check reads the module
// itself, so it works for files of any compiler and any age.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Returns ok if the module avoids the problems of the device. Otherwise returns Unsupported, which
/// names the problem and a solution. The module is read only if the device has workarounds. Unknown
/// names are ignored, because they only concern the compiler.
Status keepsWorkarounds(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
