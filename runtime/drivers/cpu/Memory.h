//===- Memory.h - allocates, copies and fills memory of buffers -----------===//
#pragma once

#include "runtime/drivers/cpu/WorkerPool.h"

#include <cstddef>
#include <cstdint>

namespace pumice::cpu_driver {

inline constexpr uint64_t memoryAlignment = 64; // a line of the cache, and the widest register

/// Allocates at least `bytes` of undefined contents, aligned, in whole cache lines. Large
/// allocations use large pages if the system has them. Returns null if no memory is left.
void *allocateMemory(uint64_t bytes);
void freeMemory(void *memory);

/// Says on which side buffers have guard pages, which nothing may touch.
enum class Guards { None, Begin, End };
/// Like `allocateMemory`, but an access beyond the last 16 bytes (End), or before the first byte
/// (Begin), faults. Returns plain memory if the system has no such pages.
void *allocateGuarded(uint64_t bytes, Guards guards);
void freeGuarded(void *memory, uint64_t bytes, Guards guards);

/// Copies bytes. Large copies use several threads, and bypass the caches.
void copyBytes(WorkerPool &pool, std::byte *to, const std::byte *from, uint64_t bytes);
/// Fills memory: byte i of `to` gets byte i % 4 of the word.
void fillBytes(WorkerPool &pool, std::byte *to, uint64_t bytes, uint32_t pattern);

} // namespace pumice::cpu_driver
