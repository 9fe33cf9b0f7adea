//===- StorageTypes.h - types that a target's memory can hold ---------------===//
// SPIR-V treats types in memory separately from types of arithmetic. For example, a device may load
// 16-bit elements but not add them, or support 8-bit types in buffers but not in workgroup memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pumice::lower {

/// The kinds of memory. Buffers have a layout that the host sees, unlike workgroup and private
/// memory.
enum class MemoryKind { Buffer, Workgroup, Private };

/// Returns the kind of a flattened memref. It depends on the memory space and on the operation that
/// created it.
MemoryKind memoryKindOf(mlir::Value memref);

/// Returns the size in bytes of an element in memory that the host sees. It is the size that LLVM
/// allocates. An i1 and an i4 take one byte, an i24 takes four, and an index takes eight. Returns 0
/// for a type without such a size.
unsigned storageBytes(mlir::Type element);

/// Returns whether memory can be declared with elements of `type`.
bool isNativeInMemory(mlir::Type type, MemoryKind kind, const target::TargetEnv &env);

/// Returns whether the target has one atomic operation for this update of `element`.
bool isNativeAtomic(mlir::arith::AtomicRMWKind update, mlir::Type element, MemoryKind kind,
                    const target::TargetEnv &env);

/// Emits the value that an atomic update stores.
mlir::Value emitUpdate(mlir::OpBuilder &b, mlir::Location loc, mlir::arith::AtomicRMWKind update,
                       mlir::Value old, mlir::Value operand);

/// Returns `element`, or a vector of `element` in the shape of `like`.
mlir::Type withShapeOf(mlir::Type like, mlir::Type element);

/// Convert between a value and the memory cell that holds it, for scalars and vectors. Integers in
/// wider cells are zero-extended. Floats in integer cells are stored as their bits. An i1 is true
/// for any value except zero.
mlir::Value fromCell(mlir::OpBuilder &b, mlir::Location loc, mlir::Value cell, mlir::Type element);
mlir::Value toCell(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type cell);

/// Emits "WHAT needs the feature F, which target 'NAME' lacks" at `op`.
mlir::LogicalResult refuseFor(mlir::Operation *op, const llvm::Twine &what, target::Feature feature,
                              const target::TargetEnv &env);

} // namespace pumice::lower
