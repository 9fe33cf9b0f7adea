//===- HostAllocator.h - where large host memory comes from ----------------===//
// The program may replace the system's allocator. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstddef>

namespace pumice::hal {

/// Allocates and frees memory. Both functions may run on any thread.
struct HostAllocator {
  /// Returns `bytes` of memory at a multiple of `alignment`, which is a power of two, or null if no
  /// memory is left.
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory);
  void *user;
};

/// Replaces the system's allocator. Fails once memory was allocated, because that memory must go
/// back to where it came from.
Status setHostAllocator(const HostAllocator &allocator);

/// Returns null if no memory is left.
void *allocateHostMemory(size_t bytes, size_t alignment);
/// Frees memory of `allocateHostMemory`. Null is ignored.
void freeHostMemory(void *memory);

} // namespace pumice::hal
