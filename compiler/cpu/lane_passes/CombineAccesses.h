//===- CombineAccesses.h - neighbouring scalars of a lane at once -----------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Makes one load or store of those of a block that touch neighbouring scalars, where the lanes'
/// lie one after the other then. Whether there were any: `analysis` has to be made anew.
bool combineAccesses(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

} // namespace pumice::cpu
