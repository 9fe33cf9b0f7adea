//===- HostAllocator.h - where large host memory comes from -----------------===//
// The allocator for host memory. The program may replace the system's allocator. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstddef>

namespace pumice::hal {

/// Allocates and frees memory. Any thread may call both functions.
struct HostAllocator {
  /// Returns `bytes` bytes of memory at a multiple of `alignment`, which is a power of two. Returns
  /// null if no memory is left.
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory);
  void *user;
};

/// Replaces the system's allocator. Fails after the first allocation, because memory must be freed
/// by the allocator that it came from.
Status setHostAllocator(const HostAllocator &allocator);

/// Returns aligned memory, or null if no memory is left.
void *allocateHostMemory(size_t bytes, size_t alignment);
/// Frees memory of `allocateHostMemory`. Does nothing for null.
void freeHostMemory(void *memory);

} // namespace pumice::hal
