//===- CombineAccesses.h - neighbouring scalars of a lane at once -----------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

namespace pumice::cpu {

/// Combines a block's loads or stores of neighbouring scalars into one access, if the lanes'
/// accesses then follow each other in memory. Returns whether it changed anything; `analysis` is
/// then invalid.
bool combineAccesses(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

} // namespace pumice::cpu
