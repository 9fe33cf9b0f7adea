//===- ReservedRanges.h - addresses that represent the device's memory ------===//
// This is a fixed table, so that the handler of segmentation faults can read it.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::run {

/// Places in the program, whose texts must stay valid. Null if unknown, or if not freed.
struct RangePlaces {
  const char *allocated = nullptr, *freed = nullptr;
  const char *freedBy = "gpu.dealloc"; // the operation at `freed`
};

/// Remembers pages that the host cannot access, because they are the device's or were freed.
void rememberRange(const std::byte *begin, uint64_t bytes, RangePlaces places);
void forgetRange(const std::byte *begin);
/// Returns whether `address` is in such a range, and its places. Async-signal-safe.
bool findRange(uintptr_t address, RangePlaces &places);

} // namespace pumice::run
