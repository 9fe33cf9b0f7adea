//===- Elementwise.h - operations on the values of single lanes -------------===//
// The result is a vector only if it varies between lanes. Scalars stay scalars.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitElementwise(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation with one result, for the values of one invocation.
mlir::Value emitScalarCopy(LaneBuilder &b, mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> operands);
/// Emits a constant, or a value that is the same for the whole launch (isLeaf).
mlir::Value emitLeaf(SimdEmitter &e, mlir::Operation *op);
/// Emits the numbers that the lanes have in the workgroup.
mlir::Value linearNumbers(SimdEmitter &e);

// Each of the following functions handles a special case. It returns false if the case does not
// apply.
bool emitDivision(SimdEmitter &e, mlir::Operation *op);
/// Emits an operation whose operands are scalars, or are held as the first lanes of blocks.
bool emitInBlocks(SimdEmitter &e, mlir::Operation *op);
/// Gets or sets a variable of which the first lanes of blocks are held. It must not outlive its
/// segment.
bool emitVariableInBlocks(SimdEmitter &e, mlir::Operation *op);

} // namespace pumice::cpu
