//===- Workarounds.h - finds modules that a driver handles wrongly --------===//
// `DeviceInfo::workarounds` names things that code for the device must avoid. The check reads the
// module itself. So it works for files of every compiler and every age.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Returns ok if the module avoids the device's problems. Otherwise returns Unsupported, which
/// names the problem and a solution. Reads the module only for devices that have workarounds.
/// Ignores names that this build does not know, since they concern only the compiler.
Status keepsWorkarounds(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
