//===- Reduction.h - how a dimension of a tensor is reduced -----------------===//
// A reduction has three steps, each of which may be absent:
//
//   1. Each lane combines registers that differ along the dimension only.
//   2. Lanes combine their values with those of other lanes, by shuffles with XOR. Each shuffle
//      halves the number of different partial results. Afterwards all lanes hold the same.
//   3. Subgroups exchange their partial results through workgroup memory, and each combines all.
//
// An element that is held several times is combined once. Elements are not combined in order, so
// the operation must be associative and commutative, as Triton's are.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Conversion.h"

#include <optional>

namespace pumice::tile {

/// Describes the third step. The subgroups' partial results form a tensor with the number of the
/// partial result as a new first dimension. This tensor is converted to a layout in which the
/// lowest registers of each lane hold all partial results for its results.
struct AcrossSubgroups {
  LinearLayout from, to;
  Conversion conversion;
};

struct Reduction {
  /// The registers that the first step combines, for each result register.
  std::vector<std::vector<uint64_t>> registers;
  /// Combines register r with register r ^ registerXor of the lane whose number is this lane's
  /// number ^ laneXor, for all registers at once.
  struct Step {
    uint64_t laneXor, registerXor;
  };
  std::vector<Step> steps;
  /// The result register r is the combination of the received registers r · 2^n … r · 2^n + 2^n -
  /// 1, for 2^n partial results.
  std::optional<AcrossSubgroups> across;
  unsigned partialResults = 1;

  /// The layout of the result, without the dimension. Every lane that took part has the result.
  LinearLayout result;
};

/// Plans a reduction. Returns errors of Axis::of, and for the third step errors of planConversion.
Result<Reduction> planReduction(const LinearLayout &layout, unsigned dimension,
                                unsigned elementBytes, const WorkgroupMemory &memory = {});

/// Describes the plan for people: "registers: 8 to 2; shuffles: 5 steps".
std::string describe(const Reduction &reduction);

} // namespace pumice::tile
