//===- Checksums.h - checksums that detect damage -------------------------===//
// A file has a checksum of each variant's code and one of all its bytes. They detect accidents (a
// bad disk, a broken transfer), but not attackers, who can compute them too. The reader's other
// checks do not rely on them.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>

namespace pumice::executable {

/// Returns 64 bits that always change if one word of eight bytes changes, and nearly always
/// otherwise. Continues from `state`, so that data can be summed up part by part.
uint64_t checksum(std::span<const uint8_t> bytes, uint64_t state = 0);

/// Returns the whole file's checksum, with the eight bytes at `hole` taken as zero.
uint64_t checksumAround(std::span<const uint8_t> file, size_t hole);

/// Writes the size and all checksums of a file with a sound structure. Returns false for other
/// files, whose bytes may then have changed. It is the writer's last step. Tests and the fuzzer use
/// it to get broken contents past the checksums.
bool seal(std::span<uint8_t> file);

} // namespace pumice::executable
