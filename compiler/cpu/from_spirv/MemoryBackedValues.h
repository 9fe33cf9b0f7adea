//===- MemoryBackedValues.h - values with long arrays -----------------------===//
// Not scalars but memory: see `Whole` and MemoryBackedValues.cpp.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::wholes {

/// Whether a value of this type is too long to be kept scalar by scalar.
bool isLong(const Types &types, mlir::Type type);

/// The alignments that instructions state for the accesses, or 0.
struct Alignments {
  unsigned to = 0, from = 0;
};

/// Moves a value whose types on both sides may differ in layout; long arrays by loops. Both sides
/// are apart from each other, or the same.
mlir::LogicalResult copy(Lowering &l, const Pointer &to, const Pointer &from,
                         Alignments alignments);

/// OpLoad of a long type: its result stays in memory.
mlir::LogicalResult load(Lowering &l, mlir::Operation *op, const Pointer &from, unsigned alignment);
/// Any value, long ones and constants by loops.
mlir::LogicalResult store(Lowering &l, const Pointer &to, mlir::Value value, unsigned alignment);
mlir::LogicalResult store(Lowering &l, const Pointer &to, llvm::ArrayRef<mlir::Value> scalars,
                          unsigned alignment);

/// Room for a value of one invocation, undefined at first.
mlir::FailureOr<Pointer> room(Lowering &l, mlir::Type type);

/// Whether a block's arguments of long types may be memory: all branches to it go one way or two.
bool mayReceive(mlir::Block &block);
/// Passes a branch's operands to such arguments (pairs of argument and operand) along one of its
/// successors.
mlir::LogicalResult pass(Lowering &l, mlir::Operation *branch, unsigned successor,
                         llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> passed);

/// OpSelect between values of a long type by one condition.
mlir::LogicalResult select(Lowering &l, mlir::Operation *op);

/// OpCompositeConstruct of operands of which one is a `Whole`.
mlir::LogicalResult construct(Lowering &l, mlir::Operation *op);

// A part of an operand that is a `Whole`, and one with another part.
mlir::LogicalResult extract(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);
mlir::LogicalResult insert(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);

} // namespace pumice::cpu::wholes
