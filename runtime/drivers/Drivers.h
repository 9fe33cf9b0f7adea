//===- Drivers.h - the drivers that this build has --------------------------===//
// The one place that names them all. `Registry::global()` calls it once; tests that want a registry
// of their own may too.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Registry.h"

namespace pumice {

/// Adds every driver, the one to prefer between equals first. Nothing is started by it.
Status registerDrivers(hal::Registry &registry);

} // namespace pumice
