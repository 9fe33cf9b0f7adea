//===- Loops.h - emits loops ------------------------------------------------===//
// Emits loops for OpenCL kernels, and for other kernels that are `lane.unmarked`. A rule may end
// its block and continue in another one. The branches need no marks, because pumice-find-merges
// adds them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu {

using LoopCondition = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)>;
using LoopBody = llvm::function_ref<Scalars(llvm::ArrayRef<mlir::Value>)>;

/// Emits a loop that replaces the carried values by the results of the body, as long as the
/// condition holds for them. Returns the first values for which it does not hold.
Scalars loopWhile(Lowering &l, mlir::ValueRange first, LoopCondition condition, LoopBody body);

/// Emits a loop over the i32 numbers from `begin` to `end`, without `end` itself. The body gets the
/// number first, and then the carried values.
Scalars loopBelow(Lowering &l, mlir::Value begin, mlir::Value end, mlir::Value step,
                  mlir::ValueRange first, LoopBody body);

} // namespace pumice::cpu
