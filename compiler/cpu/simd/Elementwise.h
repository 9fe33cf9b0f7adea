//===- Elementwise.h - operations on the values of single lanes -----------===//
// Scalars stay scalars. A vector is made only if the result varies between lanes.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitElementwise(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation with one result on the values of one invocation.
mlir::Value emitScalarCopy(LaneBuilder &b, mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> operands);
/// Emits a constant, or a value of the whole launch (isLeaf).
mlir::Value emitLeaf(SimdEmitter &e, mlir::Operation *op);
/// Emits the numbers of the lanes in the workgroup.
mlir::Value linearNumbers(SimdEmitter &e);

// Each of these handles a special case, and returns false if it does not apply.
bool emitDivision(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation whose operands are scalars, or the first lanes of blocks.
bool emitInBlocks(SimdEmitter &e, mlir::Operation *op);
/// Gets or sets a variable that holds the first lanes of blocks, and does not outlive its segment.
bool emitVariableInBlocks(SimdEmitter &e, mlir::Operation *op);

} // namespace pumice::cpu
