//===- MemoryBackedValues.h - values with long arrays -----------------------===//
// Long composites are kept in memory, instead of as scalars. See `Whole` and
// MemoryBackedValues.cpp.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::memory_backed {

/// Returns whether a value of this type is too long to be kept as scalars.
bool isLong(const Types &types, mlir::Type type);

/// The alignments that an instruction states for its two accesses, or 0.
struct Alignments {
  unsigned to = 0, from = 0;
};

/// Copies a value. Its layout may differ between source and target. Long arrays are copied by
/// loops. Source and target must not overlap, unless they are the same.
mlir::LogicalResult copy(Lowering &l, const Pointer &to, const Pointer &from,
                         Alignments alignments);

/// Lowers OpLoad of a long type. The loaded value stays in memory.
mlir::LogicalResult load(Lowering &l, mlir::Operation *op, const Pointer &from, unsigned alignment);
/// Stores a value of any type. Long values and constants are stored by loops.
mlir::LogicalResult store(Lowering &l, const Pointer &to, mlir::Value value, unsigned alignment);
mlir::LogicalResult store(Lowering &l, const Pointer &to, llvm::ArrayRef<mlir::Value> scalars,
                          unsigned alignment);

/// Allocates memory for one value per invocation. It is undefined at first.
mlir::FailureOr<Pointer> room(Lowering &l, mlir::Type type);

/// Returns whether arguments of long types of a block may be kept in memory. This requires that
/// every branch to the block has one or two successors.
bool mayReceive(mlir::Block &block);
/// Passes operands of a branch to block arguments that are kept in memory. The pairs are (argument,
/// operand), for one of the branch's successors.
mlir::LogicalResult pass(Lowering &l, mlir::Operation *branch, unsigned successor,
                         llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> passed);

/// Lowers OpSelect between values of a long type, with one condition for the whole value.
mlir::LogicalResult select(Lowering &l, mlir::Operation *op);

/// Lowers OpCompositeConstruct if at least one operand is a `Whole`.
mlir::LogicalResult construct(Lowering &l, mlir::Operation *op);

// Lower OpCompositeExtract from a `Whole`, and OpCompositeInsert into one.
mlir::LogicalResult extract(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);
mlir::LogicalResult insert(Lowering &l, mlir::Operation *op, llvm::ArrayRef<int32_t> path);

} // namespace pumice::cpu::memory_backed
