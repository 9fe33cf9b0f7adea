//===- MemoryBackedValues.h - values with long arrays -----------------------===//
// Such values are kept in memory instead of scalars; see `Whole` and MemoryBackedValues.cpp.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::wholes {

/// Returns whether a value of this type is too long to be kept as scalars.
bool isLong(const Types &types, mlir::Type type);

/// The alignments that the instructions state for the accesses; 0 if they state none.
struct Alignments {
  unsigned to = 0, from = 0;
};

/// Copies a value whose layout may differ between the two sides. Loops copy long arrays. The two
/// sides must not overlap unless they are the same.
mlir::LogicalResult copy(Lowering &l, const Pointer &to, const Pointer &from,
                         Alignments alignments);

/// Lowers OpLoad of a long type. Its result stays in memory.
mlir::LogicalResult load(Lowering &l, mlir::Operation *op, const Pointer &from, unsigned alignment);
/// Stores any value. Uses loops for long values, and for constants.
mlir::LogicalResult store(Lowering &l, const Pointer &to, mlir::Value value, unsigned alignment);
mlir::LogicalResult store(Lowering &l, const Pointer &to, llvm::ArrayRef<mlir::Value> scalars,
                          unsigned alignment);

/// Allocates memory for a value of one invocation. It is undefined at first.
mlir::FailureOr<Pointer> room(Lowering &l, mlir::Type type);

/// Returns whether a block's arguments of long types may be in memory. For this, all branches to it
/// must have one or two successors.
bool mayReceive(mlir::Block &block);
/// Passes a branch's operands to such arguments (pairs of argument and operand) along one of its
/// successors.
mlir::LogicalResult pass(Lowering &l, mlir::Operation *branch, unsigned successor,
                         llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> passed);

/// Lowers OpSelect between values of a long type by one condition.
mlir::LogicalResult select(Lowering &l, mlir::Operation *op);

/// Lowers OpCompositeConstruct with at least one `Whole` among the operands.
mlir::LogicalResult construct(Lowering &l, mlir::Operation *op);

// Lower OpCompositeExtract from a `Whole`, and OpCompositeInsert into one.
mlir::LogicalResult extract(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);
mlir::LogicalResult insert(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);

} // namespace pumice::cpu::wholes
