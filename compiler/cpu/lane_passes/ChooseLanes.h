//===- ChooseLanes.h - how many invocations a subgroup holds ----------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Returns the lane count. `workgroup.lanes` lanes fill a register. Returns 2 or 4 times as many if
/// several registers in flight pay off and the kernel cannot observe the difference.
unsigned chooseLanes(mlir::func::FuncOp kernel, const WorkgroupShape &workgroup);

} // namespace pumice::cpu
