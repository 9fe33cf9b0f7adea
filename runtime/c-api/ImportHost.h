//===- ImportHost.h - the caller's memory as a buffer, at any address -------===//
#pragma once

#include "runtime/c-api/Handles.h"

namespace pumice::capi {

/// Imports memory. `release` runs after the buffer and all work that uses it are destroyed. It does
/// not run if this call fails. Work that writes to a `readOnly` buffer is rejected.
Result<pumice_buffer *> importHost(pumice_device *device, void *memory, uint64_t bytes,
                                   std::function<void()> release, bool readOnly = false);

} // namespace pumice::capi
