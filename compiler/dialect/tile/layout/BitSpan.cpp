//===- BitSpan.cpp - XOR combinations of bit vectors ------------------------===//
#include "compiler/dialect/tile/layout/BitSpan.h"

#include <algorithm>

using namespace pumice::tile;

BitSpan::Entry BitSpan::reduce(Entry entry) const {
  uint64_t rest = entry.vector;
  while (rest) {
    const Entry &known = byHighestBit[std::bit_width(rest) - 1];
    if (!known.vector)
      return entry;
    entry.vector ^= known.vector;
    entry.made ^= known.made;
    rest = entry.vector;
  }
  return entry;
}

bool BitSpan::add(uint64_t vector) {
  Entry entry = reduce({vector, uint64_t(1) << added++});
  if (!entry.vector) {
    zeros.push_back(entry.made);
    return false;
  }
  byHighestBit[std::bit_width(entry.vector) - 1] = entry;
  ++found;
  return true;
}

std::optional<uint64_t> BitSpan::express(uint64_t vector) const {
  Entry entry = reduce({vector, 0});
  if (entry.vector)
    return std::nullopt;
  return entry.made;
}

uint64_t BitSpan::residue(uint64_t vector) const {
  for (size_t bit = byHighestBit.size(); bit-- > 0;)
    if (vector >> bit & 1)
      vector ^= byHighestBit[bit].vector;
  return vector;
}

std::vector<uint64_t> pumice::tile::intersect(std::span<const uint64_t> a,
                                              std::span<const uint64_t> b) {
  std::vector<uint64_t> result;
  BitSpan known;
  for (uint64_t vector : a)
    if (std::find(b.begin(), b.end(), vector) != b.end() && known.add(vector))
      result.push_back(vector);
  // Adds the independent vectors of a, and then those of b. In each relation, the XOR of its
  // vectors from a equals the XOR of its vectors from b.
  std::vector<uint64_t> own;
  BitSpan both;
  for (uint64_t vector : a)
    if (both.add(vector))
      own.push_back(vector);
  BitSpan joined(own);
  for (uint64_t vector : b)
    joined.add(vector);
  for (uint64_t relation : joined.relations()) {
    uint64_t vector = combine(own, relation & ((uint64_t(1) << own.size()) - 1));
    if (known.add(vector))
      result.push_back(vector);
  }
  return result;
}
