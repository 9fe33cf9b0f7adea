//===- Axis.h - one dimension of a tensor, and the others -------------------===//
// Reductions, scans and gathers use this to find the places that differ along one dimension only.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Distributed.h"

namespace pumice::tile {

/// The numbers of a register, a lane and a subgroup, or the XOR difference of two places.
struct Place {
  uint64_t reg = 0, lane = 0, subgroup = 0;
  bool operator==(const Place &) const = default;
};

/// A condition on a place: an odd number of these bits is set, or an even number if `negated`.
struct PlaceBit {
  Place bits;
  bool negated = false;
  bool operator()(const Place &place) const {
    return (parity(place.reg & bits.reg) ^ parity(place.lane & bits.lane) ^
            parity(place.subgroup & bits.subgroup)) != uint64_t(negated);
  }
  bool isOfRegisters() const { return !bits.lane && !bits.subgroup; }
};

/// Moves bits 0, 1, 2… of `bits` to these positions.
inline uint64_t spreadBits(uint64_t bits, std::span<const uint64_t> positions) {
  uint64_t result = 0;
  for (size_t i = 0; i < positions.size(); ++i)
    result |= (bits >> i & 1) << positions[i];
  return result;
}

/// Moves the bits at these positions to 0, 1, 2…
inline uint64_t gatherBits(uint64_t bits, std::span<const uint64_t> positions) {
  uint64_t result = 0;
  for (size_t i = 0; i < positions.size(); ++i)
    result |= (bits >> positions[i] & 1) << i;
  return result;
}

class Axis {
public:
  /// Creates the axis. Returns errors of checkDistributed, or an error if the dimension does not
  /// exist.
  static Result<Axis> of(const LinearLayout &layout, unsigned dimension);

  unsigned bits() const { return field.bits; }
  unsigned registerBits() const { return registers; }

  /// Returns the images of register bits, then of lane bits, then of subgroup bits.
  std::span<const uint64_t> images() const { return columns; }
  /// Return the coordinate along the dimension, and the rest of an element's number.
  uint64_t along(uint64_t element) const { return field.of(element); }
  uint64_t others(uint64_t element) const { return element & ~field.mask(); }
  std::vector<uint64_t> otherImages() const;

  /// Returns the place whose bits, in the order of images(), are `bits`.
  Place place(uint64_t bits) const;
  uint64_t element(const Place &place) const;

  /// Returns the difference to the neighbour at a distance of 2^bit along the dimension. It differs
  /// in registers only if possible, else also in lanes, and else also in subgroups.
  Place neighbour(unsigned bit) const;
  /// Returns one bit of a place's coordinate along the dimension.
  PlaceBit coordinateBit(unsigned bit) const;

private:
  Field field;
  std::vector<uint64_t> columns;
  unsigned registers = 0, lanes = 0;
};

} // namespace pumice::tile
