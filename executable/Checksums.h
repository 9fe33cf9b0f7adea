//===- Checksums.h - checksums that detect damage ---------------------------===//
// A file has a checksum of the code of each variant, and one of all its bytes. Checksums detect
// accidents (a bad disk, a broken transfer), but not attacks, because attackers can compute
// checksums, too. The other checks of the reader do not rely on them.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>

namespace pumice::executable {

/// Returns a checksum of 64 bits. A change of one word of eight bytes always changes the checksum,
/// and any other change nearly always does. The checksum continues from `state`, so that data can
/// be processed part by part.
uint64_t checksum(std::span<const uint8_t> bytes, uint64_t state = 0);

/// Returns the checksum of the whole file. The eight bytes at `hole` count as zero.
uint64_t checksumAround(std::span<const uint8_t> file, size_t hole);

/// Writes the size and all checksums of a file whose structure is sound. Returns false for other
/// files, whose bytes may have changed by then. This is the writer's last step. Tests and the
/// fuzzer also use it, so that checksums do not hide other errors.
bool seal(std::span<uint8_t> file);

} // namespace pumice::executable
