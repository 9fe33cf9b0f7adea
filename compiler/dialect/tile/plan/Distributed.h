//===- Distributed.h - a tensor in the registers of one workgroup -----------===//
// Splits a layout into its three inputs and checks them, which is the first step of all plans.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

/// The most bits of a place. One system with 64 unknown bits must hold the places of two layouts
/// and a received number.
inline constexpr unsigned mostPlaceBits = 21;

/// A number that each lane computes from its own number and its subgroup's number. It is the XOR of
/// one entry for each bit that is set in these.
struct LaneNumber {
  std::vector<uint64_t> byLane, bySubgroup;

  uint64_t operator()(uint64_t lane, uint64_t subgroup) const {
    return combine(byLane, lane) ^ combine(bySubgroup, subgroup);
  }
  /// Returns whether the number is zero in all lanes of all subgroups.
  bool isZero() const { return rank() == 0; }
  /// Returns log2 of the number of different values over all lanes and subgroups.
  unsigned rank() const;
};

/// A layout as the images of the bits of each input. The images are numbers of elements.
struct Distributed {
  std::span<const uint64_t> registers, lanes, subgroups;

  explicit Distributed(const LinearLayout &layout)
      : registers(layout.columns(registerSpace)), lanes(layout.columns(laneSpace)),
        subgroups(layout.columns(subgroupSpace)) {}
};

/// Checks a tensor's layout. Its inputs must be register, lane and subgroup, in this order. Each
/// element must have a holder, and the outputs must be a tensor's dimensions.
Status checkDistributed(const LinearLayout &layout);

/// Checks two layouts. They must also have the same shape, and the same numbers of lanes and
/// subgroups.
Status checkConvertible(const LinearLayout &from, const LinearLayout &to);

} // namespace pumice::tile
