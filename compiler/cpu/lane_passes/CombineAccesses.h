//===- CombineAccesses.h - combines accesses to neighbouring scalars of a lane -===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Combines loads or stores of neighbouring scalars in a block into one access, if the accesses of
/// all lanes together are then contiguous. Returns whether anything changed. If so, `analysis` is
/// invalid.
bool combineAccesses(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

} // namespace pumice::cpu
