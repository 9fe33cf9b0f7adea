//===- ChooseLanes.h - how many invocations a subgroup holds ----------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// `workgroup.lanes` fill a register: that many, or 2 or 4 times as many where it pays that several
/// registers are in flight, and the kernel cannot tell.
unsigned chooseLanes(mlir::func::FuncOp kernel, const WorkgroupShape &workgroup);

} // namespace pumice::cpu
