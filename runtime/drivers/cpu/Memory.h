//===- Memory.h - allocates, copies and fills memory of buffers -------------===//
#pragma once

#include "runtime/drivers/cpu/WorkerPool.h"

#include <cstddef>
#include <cstdint>

namespace pumice::cpu_driver {

inline constexpr uint64_t memoryAlignment = 64; // a cache line, and the widest register

/// Allocates at least `bytes` of aligned memory, in whole cache lines. Its contents are undefined.
/// Large allocations use large pages if the system has them. Returns null if no memory is left.
void *allocateMemory(uint64_t bytes);
void freeMemory(void *memory);

/// The side on which buffers have guard pages. Any access to a guard page faults.
enum class Guards { None, Begin, End };
/// Like `allocateMemory`, but an access beyond the last 16 bytes (End), or before the first byte
/// (Begin), faults. Returns ordinary memory if the system does not support guard pages.
void *allocateGuarded(uint64_t bytes, Guards guards);
void freeGuarded(void *memory, uint64_t bytes, Guards guards);

/// Copies bytes. A large copy uses several threads and bypasses the caches.
void copyBytes(WorkerPool &pool, std::byte *to, const std::byte *from, uint64_t bytes);
/// Fills memory. Byte i of `to` becomes byte i % 4 of the pattern.
void fillBytes(WorkerPool &pool, std::byte *to, uint64_t bytes, uint32_t pattern);

} // namespace pumice::cpu_driver
