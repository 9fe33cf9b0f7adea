//===- Elementwise.h - operations on each lane's values alone ---------------===//
// Scalars stay scalars: a vector is made only if the result varies.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitElementwise(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation of one result on one invocation's values.
mlir::Value emitScalarCopy(LaneBuilder &b, mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> operands);
/// Emits a constant, or what holds for the whole launch (isLeaf).
mlir::Value emitLeaf(SimdEmitter &e, mlir::Operation *op);
/// Emits the lanes' numbers in the workgroup.
mlir::Value linearNumbers(SimdEmitter &e);

// Special cases: each returns false for what it does not cover.
bool emitDivision(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation whose operands are scalars or blocks' firsts.
bool emitInBlocks(SimdEmitter &e, mlir::Operation *op);
/// Gets or sets a variable of blocks' firsts that does not outlive its segment.
bool emitVariableInBlocks(SimdEmitter &e, mlir::Operation *op);

} // namespace pumice::cpu
