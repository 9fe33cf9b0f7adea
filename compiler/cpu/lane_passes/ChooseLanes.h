//===- ChooseLanes.h - chooses the number of lanes of a subgroup ------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Returns the lane count of a subgroup. The smallest choice is `workgroup.lanes`, which fills one
/// register. Twice or four times as many are chosen if that is faster and the kernel cannot observe
/// the difference.
unsigned chooseLanes(mlir::func::FuncOp kernel, const WorkgroupShape &workgroup);

} // namespace pumice::cpu
