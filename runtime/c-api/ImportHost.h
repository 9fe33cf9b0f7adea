//===- ImportHost.h - the caller's memory as a buffer, at any address -------===//
#pragma once

#include "runtime/c-api/Handles.h"

namespace pumice::capi {

/// Imports memory. `release` runs when the buffer and the work that uses it are destroyed, but not
/// if this call fails. Work that writes a `readOnly` buffer is rejected.
Result<pumice_buffer *> importHost(pumice_device *device, void *memory, uint64_t bytes,
                                   std::function<void()> release, bool readOnly = false);

} // namespace pumice::capi
