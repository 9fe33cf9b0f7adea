//===- Drivers.h - the drivers that this build has --------------------------===//
// Only this file and its source list all drivers. `Registry::global()` calls `registerDrivers`
// once. A test may call it for a separate registry.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Registry.h"

namespace pumice {

/// Adds every driver. Between equal devices, earlier drivers are preferred. Starts no driver.
Status registerDrivers(hal::Registry &registry);

} // namespace pumice
