//===- ReservedRanges.h - addresses that stand for the device's memory ------===//
// A fixed table, so that the handler of segmentation faults can read it.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::run {

/// Places in the program, which must stay valid; null: unknown, and not freed.
struct RangePlaces {
  const char *allocated = nullptr, *freed = nullptr;
  const char *freedBy = "gpu.dealloc"; // the operation at `freed`
};

/// Pages that the host cannot reach: the device's, or freed.
void rememberRange(const std::byte *begin, uint64_t bytes, RangePlaces places);
void forgetRange(const std::byte *begin);
/// Whether `address` is in one, and whose. Async-signal-safe.
bool findRange(uintptr_t address, RangePlaces &places);

} // namespace pumice::run
