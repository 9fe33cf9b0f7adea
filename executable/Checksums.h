//===- Checksums.h - the checksums that notice damage ----------------------------===//
// A file carries a checksum of each variant's code and one of all its bytes. They find accidents
// (a bad disk, a broken transfer), not attackers, who can compute them too: every other check holds
// without them.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>

namespace pumice::executable {

/// 64 bits that change whenever one word of eight bytes changes, and nearly always otherwise.
/// Continues from `state`, so that something can be summed up part by part.
uint64_t checksum(std::span<const uint8_t> bytes, uint64_t state = 0);

/// The whole file's checksum, the eight bytes at `hole` taken as zero.
uint64_t checksumAround(std::span<const uint8_t> file, size_t hole);

/// Writes the size and all checksums of a file whose structure is sound; false, and no promise
/// about the bytes, for any other. The writer's last step; tests and the fuzzer use it to bring
/// broken contents past the checksums.
bool seal(std::span<uint8_t> file);

} // namespace pumice::executable
