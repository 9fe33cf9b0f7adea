//===- CombineAccesses.h - combines accesses to neighbouring scalars of a lane -===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Combines a block's loads or stores of neighbouring scalars into one access, if the lanes'
/// accesses are then contiguous in memory. Returns whether it changed anything. `analysis` is then
/// invalid.
bool combineAccesses(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

} // namespace pumice::cpu
