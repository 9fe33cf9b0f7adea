//===- Accesses.h - which memory accesses may be reordered ----------------===//
// This depends on the memory that is accessed, and on how offsets are computed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower::tiles {

struct LoopLimits;

/// Returns whether two accesses may share a loop: they access the same elements in the same order,
/// or different memory. One lane's operations on one element stay in order, provided that no two
/// elements share a place. Different arguments are different memory, unless an observed launch
/// shared memory between them.
bool mayShareLoop(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
/// Returns whether two accesses that may share a loop reach different memory.
bool isOtherMemory(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
bool accessesMemory(mlir::Operation *op);
/// Returns true unless operations are known to read only. Volatile accesses count as writes, since
/// they must keep their place.
bool writesMemory(mlir::Operation *op);

} // namespace pumice::lower::tiles
