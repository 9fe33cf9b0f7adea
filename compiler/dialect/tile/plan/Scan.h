//===- Scan.h - how a tensor is scanned along a dimension -------------------===//
// An inclusive scan gives each element the combination of all elements up to it, in their order.
// The operation must be associative. The bits of the coordinate are handled one by one, from the
// lowest:
//
//   1. Runs are the lowest bits, as far as they are bits of registers. Each lane scans each of its
//      runs by itself. The last result is the run's total.
//   2. Levels are one bit each. Blocks of totals are combined with the totals of the neighbouring
//      block, from another register or lane. This gives blocks of twice the size. The upper half
//      remembers what precedes it.
//   3. Subgroups send the totals of all remaining blocks through workgroup memory to the lanes that
//      need them. Each of these lanes scans them by itself.
//   4. Each element is combined with everything that precedes its run.
//
// The bits may be anywhere: every layout can be scanned without a conversion.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Reduction.h"

namespace pumice::tile {

struct Scan {
  /// The registers of each run, in the order in which they are scanned. Every run has a total.
  /// Every run but the first of its block has a preceding value. Any of a run's registers gives its
  /// place in the later steps.
  std::vector<std::vector<uint64_t>> runs;

  /// Combines total[i] of this lane with total[i ^ runXor] of lane ^ laneXor. If `isUpper`, the
  /// other total comes first, and is also part of what precedes run i.
  struct Level {
    uint64_t runXor, laneXor;
    PlaceBit isUpper;
  };
  std::vector<Level> levels;

  /// The totals as a tensor whose dim0 is the block's number. The lowest registers of the received
  /// tensor have all totals. Each lane scans them, without the last, and picks what comes before
  /// its block.
  struct Subgroups {
    AcrossSubgroups totals;
    unsigned blocks = 1;
    LaneExchange pick;              // from totals.to to totals.from, within each lane
    std::vector<PlaceBit> notFirst; // one of them holds unless the block is the first
  };
  std::optional<Subgroups> subgroups;

  /// Scans from the last element to the first. Runs and blocks are in that order.
  bool reverse = false;
  /// Register r holds a copy of register combine(original, r), which is in a run.
  std::vector<uint64_t> original;
};

/// Plans a scan. The result has the layout of the operand. Returns errors of planReduction.
Result<Scan> planScan(const LinearLayout &layout, unsigned dimension, bool reverse,
                      unsigned elementBytes, const WorkgroupMemory &memory = {});

/// Describes the plan for people: "4 runs of 8; shuffles: 5 steps".
std::string describe(const Scan &scan);

} // namespace pumice::tile
