//===- Reduction.h - how a dimension of a tensor is reduced -----------------===//
// In three steps, of which each may be left out:
//
//   1. each lane combines registers that differ along the dimension only
//   2. lanes combine what they have with what other lanes have: shuffles by XOR, each of which
//      halves the number of different partial results; afterwards all of them hold the same
//   3. subgroups exchange their partial results through workgroup memory, and each combines all
//
// What is held several times is combined once. Elements are not combined in their order: the
// operation must be associative and commutative, as Triton's are.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Conversion.h"

#include <optional>

namespace pumice::tile {

/// The third step. Each subgroup's partial results, as a tensor that has their number as a new
/// first dimension, go to where each lane holds all those of its results in its lowest registers.
struct AcrossSubgroups {
  LinearLayout from, to;
  Conversion conversion;
};

struct Reduction {
  /// Of each result register the registers that are combined to it in the first step.
  std::vector<std::vector<uint64_t>> registers;
  /// Register r is combined with register r ^ registerXor of the lane number ^ laneXor; all
  /// registers at once.
  struct Step {
    uint64_t laneXor, registerXor;
  };
  std::vector<Step> steps;
  /// Result register r is then the combination of registers r · 2^n … r · 2^n + 2^n - 1 of what
  /// arrives, for the 2^n partial results.
  std::optional<AcrossSubgroups> across;
  unsigned partialResults = 1;

  /// The tensor without the dimension; every lane that took part has the result.
  LinearLayout result;
};

/// Errors: as Axis::of, and as planConversion for the third step.
Result<Reduction> planReduction(const LinearLayout &layout, unsigned dimension,
                                unsigned elementBytes, const WorkgroupMemory &memory = {});

/// For people: "registers: 8 to 2; shuffles: 5 steps".
std::string describe(const Reduction &reduction);

} // namespace pumice::tile
