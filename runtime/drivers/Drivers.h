//===- Drivers.h - the drivers that this build has --------------------------===//
// Only this file and its source name all drivers. `Registry::global()` calls `registerDrivers`
// once. Tests may call it for a separate registry.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Registry.h"

namespace pumice {

/// Adds every driver, in order of preference between equal devices. Starts none of them.
Status registerDrivers(hal::Registry &registry);

} // namespace pumice
