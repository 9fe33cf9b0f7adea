//===- GenericPointers.h - finds the memory that a generic pointer leads to -===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu {

/// Lowers OpGenericPtrMemSemantics.
mlir::LogicalResult lowerMemorySemantics(Lowering &l, mlir::Operation *op);

/// Lowers OpGenericCastToPtrExplicit: returns the pointer, or null if it leads to memory of another
/// storage class.
mlir::LogicalResult lowerExplicitCast(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu
