//===- ReservedRanges.h - addresses that stand for the device's memory ------===//
// A fixed table, so that the handler of segmentation faults can read it.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::run {

void rememberReserved(const std::byte *begin, uint64_t bytes);
void forgetReserved(const std::byte *begin);

/// Where the program is: what the handler names. Must stay valid; null: unknown.
void setAllocationPlace(const std::byte *begin, const char *place);

} // namespace pumice::run
