//===- Accesses.h - which memory accesses may change places --------------------===//
// Decided by what is accessed, and by how offsets are made.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower::tiles {

struct LoopLimits;

/// Two accesses of the same elements in the same order, or of different memory, may share a loop:
/// what one lane does to one element stays in order, where no two elements are in one place. Memory
/// of different arguments is different, unless the launch was seen to have some that share it.
bool mayShareLoop(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
/// Of two that may.
bool isOtherMemory(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
bool accessesMemory(mlir::Operation *op);
/// Anything but operations that are known to read only; what is volatile keeps its place, too.
bool writesMemory(mlir::Operation *op);

} // namespace pumice::lower::tiles
