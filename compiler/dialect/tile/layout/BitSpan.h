//===- BitSpan.h - XOR combinations of bit vectors --------------------------===//
// Implements linear algebra over F2 in one structure, to which up to 64 vectors can be added. A
// stored vector is in reduced form, together with the added vectors whose XOR it is. The structure
// answers questions of rank, membership, solutions of linear systems, and kernels.
//===-------------------------------------------------------------------------===//
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pumice::tile {

class BitSpan {
public:
  BitSpan() = default;
  explicit BitSpan(std::span<const uint64_t> vectors) {
    for (uint64_t vector : vectors)
      add(vector);
  }

  /// Adds the next vector, up to 64. Returns false if the earlier ones span it already. The vector
  /// and the ones whose XOR it is then form one of the relations.
  bool add(uint64_t vector);

  unsigned rank() const { return found; }
  bool contains(uint64_t vector) const { return reduce({vector, 0}).vector == 0; }

  /// Returns the vectors (bit i: the i-th added) whose XOR is `vector`. It prefers earlier ones: it
  /// never uses a vector that those before it span.
  std::optional<uint64_t> express(uint64_t vector) const;

  /// Returns a representative that is the same for all vectors that differ by a vector of the span.
  /// The highest bit of each stored vector is clear in it.
  uint64_t residue(uint64_t vector) const;

  /// Returns a basis of all sets of added vectors whose XOR is zero. This is the kernel of the
  /// matrix with the vectors as columns. The highest vector of each set is in no other set.
  const std::vector<uint64_t> &relations() const { return zeros; }

private:
  struct Entry {
    uint64_t vector = 0, made = 0; // `made`: the added vectors whose XOR is `vector`
  };
  Entry reduce(Entry entry) const;

  std::array<Entry, 64> byHighestBit; // no two entries have the same highest bit
  std::vector<uint64_t> zeros;
  unsigned added = 0, found = 0;
};

/// Returns a basis of the intersection of the spans of `a` and `b`. Vectors that are in both lists
/// come first, in the order of `a`.
std::vector<uint64_t> intersect(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// Returns the XOR of the `columns` whose bit is set in `which`. This applies a matrix to a vector.
inline uint64_t combine(std::span<const uint64_t> columns, uint64_t which) {
  uint64_t result = 0;
  for (; which; which &= which - 1)
    result ^= columns[std::countr_zero(which)];
  return result;
}

/// Returns 1 if an odd number of bits is set, else 0.
inline uint64_t parity(uint64_t bits) { return std::popcount(bits) & 1; }

} // namespace pumice::tile
