//===- Workarounds.h - does a module do what a driver gets wrong? -----------===//
// `DeviceInfo::workarounds` names what code for the device goes without. The module itself says
// whether it does: no file needs to, so that of every compiler, and of every age, is judged alike.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvWords.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::hal {

/// Ok where the module does without; else Unsupported, with what it does and the way out. Looks at
/// the module only for devices that have workarounds. Names that this build does not know are for
/// the compiler alone.
Status keepsWorkarounds(const DeviceInfo &device, const executable::SpirvWords &module);

} // namespace pumice::hal
