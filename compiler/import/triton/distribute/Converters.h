//===- Converters.h - one operation of a kernel as tiles --------------------===//
// By family, a file each. Dispatch.cpp has the table.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/distribute/Distribution.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pumice::triton::distribute {

// ConvertElementwise.cpp: arith and math, and the element-wise operations of tt.
mlir::LogicalResult convertElementwise(Distribution &d, mlir::Operation *op);
mlir::LogicalResult convertConstant(Distribution &d, mlir::Operation *op);
/// f(x) element by element with the bits as they are, for values of equal width.
mlir::FailureOr<Distributed> bitcast(Distribution &d, mlir::Location loc, const Distributed &value,
                                     mlir::Type element);

// ConvertShapes.cpp: what makes tensors, and views of them.
mlir::LogicalResult convertShape(Distribution &d, mlir::Operation *op);
/// The view that `op` (expand_dims, broadcast, reshape, trans) takes of its operand, of another
/// tensor of that shape: a pointer's offsets.
mlir::FailureOr<TensorRef> viewOf(Distribution &d, mlir::Operation *op, const TensorRef &source);
bool isView(mlir::Operation *op);

// ConvertPointers.cpp: what makes pointers of pointers.
mlir::LogicalResult convertPointer(Distribution &d, mlir::Operation *op);
/// Adds all that one pointer's value may be made of: the kernel's arguments, and addresses (null).
void addRoots(mlir::Value pointer, llvm::DenseSet<mlir::Value> &seen,
              llvm::DenseSet<mlir::Value> &roots);
/// A tensor of i64 as another of i64 or i32.
mlir::FailureOr<TensorRef> extended(Distribution &d, mlir::Location loc, const TensorRef &integers);
/// All of a pointer's offset: of i64.
mlir::FailureOr<TensorRef> wholeOffset(Distribution &d, mlir::Location loc, const Pointer &pointer);
/// A pointer without a base as the number of its address, in bytes.
mlir::FailureOr<Distributed> addressOf(Distribution &d, mlir::Location loc, const Pointer &pointer);

// ConvertMemory.cpp: loads, stores, atomics.
mlir::LogicalResult convertMemory(Distribution &d, mlir::Operation *op);
/// Memory from where all elements are offset from. A pointer has no extent: the view's is as large
/// as an extent can be everywhere.
mlir::Value advance(Distribution &d, mlir::Location loc, mlir::Value base, mlir::Value uniform);

// ConvertDebug.cpp: print, assert.
mlir::LogicalResult convertDebug(Distribution &d, mlir::Operation *op);
/// "file.py:7: " where the kernel's line is known.
std::string placeOf(mlir::Location loc);
/// Returns the name that the kernel's author gave to a value. Returns "" if the value only has the
/// name of its statement.
llvm::StringRef nameOf(mlir::Value value, llvm::StringRef statement);

// ConvertCollective.cpp: reduce, scan, map, gather, histogram, dot.
mlir::LogicalResult convertCollective(Distribution &d, mlir::Operation *op);

// ConvertControl.cpp: scf.
mlir::LogicalResult convertControl(Distribution &d, mlir::Operation *op);

} // namespace pumice::triton::distribute
