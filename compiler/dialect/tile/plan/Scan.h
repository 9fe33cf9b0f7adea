//===- Scan.h - how a tensor is scanned along a dimension -------------------===//
// An inclusive scan gives each element the combination of all elements up to it, in their order.
// The operation must be associative. The bits of the coordinate are handled one by one, from the
// lowest:
//
//   1. Runs are the lowest bits of the coordinate, as long as these are bits of registers. Each
//      lane scans each of its runs by itself. The last result is the run's total.
//   2. A level handles one further bit. It combines the totals of each block with those of the
//      neighbouring block, in another register or lane. Blocks double in size. The upper half
//      remembers the total that precedes it.
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
  /// Every run has a preceding value, except for the first run of its block. Any register of a run
  /// gives the run's place in the later steps.
  std::vector<std::vector<uint64_t>> runs;

  /// Combines total[i] of this lane with total[i ^ runXor] of the lane whose number is this lane's
  /// number ^ laneXor. If `isUpper`, the other total comes first, and also precedes run i.
  struct Level {
    uint64_t runXor, laneXor;
    PlaceBit isUpper;
  };
  std::vector<Level> levels;

  /// The totals as a tensor whose dim0 is the block's number. The lowest registers of the received
  /// tensor hold all totals. Each lane scans all totals but the last, and picks the one that
  /// precedes its block.
  struct Subgroups {
    AcrossSubgroups totals;
    unsigned blocks = 1;
    LaneExchange pick;              // from totals.to to totals.from, within each lane
    std::vector<PlaceBit> notFirst; // at least one holds unless the block is the first
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
