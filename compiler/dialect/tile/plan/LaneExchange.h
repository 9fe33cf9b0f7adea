//===- LaneExchange.h - converts layouts within each subgroup ---------------===//
// An exchange has three steps, each of which may be absent:
//
//   1. Every lane reorders the registers that it sends: `before`.
//   2. In each round, every lane sends one register and reads one of another lane: a shuffle.
//   3. Every lane reorders what it received: `after`.
//
// Steps 1 and 3 XOR register numbers with a number that depends on the lane. They need one select
// per register for each independent bit of that number. Step 2 takes at least one round for each
// result register. It takes exactly one if both layouts hold the same elements in each subgroup.
// The order in which registers are sent ensures that no lane needs two registers of the same lane
// in one round.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Distributed.h"

namespace pumice::tile {

struct LaneExchange {
  struct Round {
    uint64_t sends;   // every lane sends its register number `sends` ^ before
    uint64_t laneXor; // and reads the register that lane number `fromLane` ^ laneXor sends
    bool operator==(const Round &) const = default;
  };
  LaneNumber before, fromLane, after;

  /// Result register r is received in round `r ^ after`. The number of rounds is a power of two,
  /// and may exceed the number of result registers.
  std::vector<Round> rounds;
  unsigned resultRegisters = 1, sourceRegisters = 1;

  /// Returns false if every lane reads what it sent itself in this round.
  bool moves(const Round &round) const;

  /// Returns the number of different shuffles among the rounds.
  unsigned shuffles() const;
  /// Returns the number of selects that steps 1 and 3 take.
  unsigned selects() const;
  /// Returns whether all registers stay where they are.
  bool isNothing() const;
};

/// Return whether each lane finds all its elements in its own registers, or in the registers of its
/// subgroup.
bool staysInLane(const LinearLayout &from, const LinearLayout &to);
bool staysInSubgroup(const LinearLayout &from, const LinearLayout &to);

/// Plans an exchange. Returns errors of checkConvertible, or an error if a subgroup needs elements
/// of another.
Result<LaneExchange> planLaneExchange(const LinearLayout &from, const LinearLayout &to);

} // namespace pumice::tile
