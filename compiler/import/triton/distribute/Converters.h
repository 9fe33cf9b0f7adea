//===- Converters.h - converts operations of a kernel to tiles --------------===//
// Each family of operations has its own file. Dispatch.cpp has the table.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/distribute/Distribution.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pumice::triton::distribute {

// ConvertElementwise.cpp: arith and math, and the element-wise operations of tt.
mlir::LogicalResult convertElementwise(Distribution &d, mlir::Operation *op);
mlir::LogicalResult convertConstant(Distribution &d, mlir::Operation *op);
/// Reinterprets the bits of each element as another type of the same width.
mlir::FailureOr<Distributed> bitcast(Distribution &d, mlir::Location loc, const Distributed &value,
                                     mlir::Type element);

// ConvertShapes.cpp: operations that make tensors, and views of them.
mlir::LogicalResult convertShape(Distribution &d, mlir::Operation *op);
/// Applies the view `op` (expand_dims, broadcast, reshape, trans) to another tensor that has the
/// shape of its operand, such as the offsets of a pointer.
mlir::FailureOr<TensorRef> viewOf(Distribution &d, mlir::Operation *op, const TensorRef &source);
bool isView(mlir::Operation *op);

// ConvertPointers.cpp: operations that make pointers from pointers.
mlir::LogicalResult convertPointer(Distribution &d, mlir::Operation *op);
/// Adds all roots from which a pointer may come: arguments of the kernel, or null for addresses.
void addRoots(mlir::Value pointer, llvm::DenseSet<mlir::Value> &seen,
              llvm::DenseSet<mlir::Value> &roots);
/// Converts a tensor of i64 to one of i64 or i32.
mlir::FailureOr<TensorRef> extended(Distribution &d, mlir::Location loc, const TensorRef &integers);
/// Returns the whole offset of a pointer, as i64.
mlir::FailureOr<TensorRef> wholeOffset(Distribution &d, mlir::Location loc, const Pointer &pointer);
/// Returns the address of a pointer that has no base, as a number of bytes.
mlir::FailureOr<Distributed> addressOf(Distribution &d, mlir::Location loc, const Pointer &pointer);

// ConvertMemory.cpp: loads, stores, atomics.
mlir::LogicalResult convertMemory(Distribution &d, mlir::Operation *op);
/// Returns a view of memory that begins at the offset that all elements share. A pointer does not
/// state an extent, so the view has the largest possible one.
mlir::Value advance(Distribution &d, mlir::Location loc, mlir::Value base, mlir::Value uniform);

// ConvertDebug.cpp: print, assert.
mlir::LogicalResult convertDebug(Distribution &d, mlir::Operation *op);
/// Returns "file.py:7: " if the line in the kernel is known.
std::string placeOf(mlir::Location loc);
/// Returns the name that the kernel's author gave to a value. Returns "" if the value only has the
/// name of its statement.
llvm::StringRef nameOf(mlir::Value value, llvm::StringRef statement);

// ConvertCollective.cpp: reduce, scan, map, gather, histogram, dot.
mlir::LogicalResult convertCollective(Distribution &d, mlir::Operation *op);

// ConvertControl.cpp: scf.
mlir::LogicalResult convertControl(Distribution &d, mlir::Operation *op);

} // namespace pumice::triton::distribute
