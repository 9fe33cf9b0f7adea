//===- ImportHost.h - the caller's memory as a buffer, at any address -------===//
#pragma once

#include "runtime/c-api/Handles.h"

namespace pumice::capi {

/// `release` runs when the buffer and the work that uses it are gone; not when this fails. Work
/// that writes a buffer that is `readOnly` is refused.
Result<pumice_buffer *> importHost(pumice_device *device, void *memory, uint64_t bytes,
                                   std::function<void()> release, bool readOnly = false);

} // namespace pumice::capi
