//===- Loops.h - emits loops ----------------------------------------------===//
// Emits loops for OpenCL kernels, and for kernels that are `lane.unmarked` for another reason. A
// rule may end its block and continue in another one: the branches need no marks, because
// pumice-find-merges adds them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu {

using LoopCondition = llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)>;
using LoopBody = llvm::function_ref<Scalars(llvm::ArrayRef<mlir::Value>)>;

/// Replaces the carried values by the body's results while the condition holds for them. Returns
/// the values for which the condition fails.
Scalars loopWhile(Lowering &l, mlir::ValueRange first, LoopCondition condition, LoopBody body);

/// Runs the body for i32 numbers from `begin` up to, but not including, `end`. The number comes
/// before the carried values.
Scalars loopBelow(Lowering &l, mlir::Value begin, mlir::Value end, mlir::Value step,
                  mlir::ValueRange first, LoopBody body);

} // namespace pumice::cpu
