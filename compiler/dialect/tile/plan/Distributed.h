//===- Distributed.h - a tensor in the registers of one workgroup -----------===//
// Splits a layout into its three inputs and checks them, which is the first step of all plans.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

/// Places of two layouts, and what is received besides, are unknowns of one system of 64 bits.
inline constexpr unsigned mostPlaceBits = 21;

/// A number that each lane computes from its own number and its subgroup's: the XOR of those
/// entries whose bit is set.
struct LaneNumber {
  std::vector<uint64_t> byLane, bySubgroup;

  uint64_t operator()(uint64_t lane, uint64_t subgroup) const {
    return combine(byLane, lane) ^ combine(bySubgroup, subgroup);
  }
  /// The same in all lanes of all subgroups: zero.
  bool isZero() const { return rank() == 0; }
  /// How many bits of it differ from lane to lane, independently.
  unsigned rank() const;
};

/// The images of the bits of each input: the elements that they stand for, as numbers.
struct Distributed {
  std::span<const uint64_t> registers, lanes, subgroups;

  explicit Distributed(const LinearLayout &layout)
      : registers(layout.columns(registerSpace)), lanes(layout.columns(laneSpace)),
        subgroups(layout.columns(subgroupSpace)) {}
};

/// Errors: inputs other than register, lane and subgroup, in this order; elements that nobody
/// holds; other outputs than a tensor's dimensions.
Status checkDistributed(const LinearLayout &layout);

/// Errors: as above, or tensors of different shapes, or other numbers of lanes or subgroups.
Status checkConvertible(const LinearLayout &from, const LinearLayout &to);

} // namespace pumice::tile
