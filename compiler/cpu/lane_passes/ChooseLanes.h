//===- ChooseLanes.h - chooses the number of lanes of a subgroup ------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Returns the lane count of a subgroup. This is `workgroup.lanes`, which fills a register, or 2 or
/// 4 times as many. More lanes are chosen if they are faster and the kernel cannot observe the
/// difference.
unsigned chooseLanes(mlir::func::FuncOp kernel, const WorkgroupShape &workgroup);

} // namespace pumice::cpu
