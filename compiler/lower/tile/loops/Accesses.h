//===- Accesses.h - which memory accesses may be reordered ------------------===//
// Accesses may be reordered depending on the memory that they access, and on how their offsets are
// computed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower::tiles {

struct LoopLimits;

/// Returns whether two accesses may share a loop. They must access the same elements in the same
/// order, or different memory. One lane's accesses to an element stay in order, provided that no
/// two elements share a place. Different arguments count as different memory, unless an observed
/// launch passed overlapping arguments.
bool mayShareLoop(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
/// Returns whether two accesses that may share a loop reach different memory.
bool isOtherMemory(mlir::Operation *a, mlir::Operation *b, const LoopLimits &limits);
bool accessesMemory(mlir::Operation *op);
/// Returns whether an operation may write memory. Volatile accesses count as writes, since they
/// must keep their place.
bool writesMemory(mlir::Operation *op);

} // namespace pumice::lower::tiles
