//===- LowerVectors.h - lowers families of vector operations ----------------===//
// The files of pumice-lower-vectors share this. Each function lowers the operations of its family
// and replaces them. It fails with a located error on operations that it rejects. `mask` is the
// mask of the `vector.mask` around the operation, or null.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace pumice::lower {

/// Lowers transfer_read and transfer_write, load and store.
mlir::LogicalResult lowerTransfer(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                  mlir::Value mask);

/// Lowers maskedload, maskedstore, expandload, compressstore, gather and scatter.
mlir::LogicalResult lowerMaskedAccess(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                      mlir::Value mask);

/// Lowers type_cast, if every access through its result is a memref.load or memref.store.
mlir::LogicalResult lowerTypeCast(mlir::RewriterBase &rewriter, mlir::vector::TypeCastOp op);

/// Lowers contract, outerproduct, reduction, multi_reduction, scan and fma.
mlir::LogicalResult lowerReduction(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                   mlir::Value mask);

/// Lowers create_mask, constant_mask and step.
mlir::LogicalResult lowerMask(mlir::RewriterBase &rewriter, mlir::Operation *op);

//===-------------------------------------------------------------------------===//
// Shared helpers
//===-------------------------------------------------------------------------===//

/// Calls `visit` with the coordinates of every element of `shape`, in row-major order.
void forEach(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// Returns the element or part of `vector` at `position`. Returns `vector` itself if `position` is
/// empty.
mlir::Value extract(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
                    llvm::ArrayRef<int64_t> position);

/// Returns the bit of `mask` at `position`. Returns null if the bit is known to be set, or if
/// `mask` is null.
mlir::Value maskBit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value mask,
                    llvm::ArrayRef<int64_t> position);

/// Returns the conjunction of two conditions. Null means a condition that always holds.
mlir::Value both(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

/// Returns the result of `then` if `condition` holds or is null, else `otherwise`.
mlir::Value valueIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> then,
                    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> otherwise);

/// Emits `then`, which runs if `condition` holds.
void doIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
          llvm::function_ref<void(mlir::OpBuilder &)> then);

/// Returns `index + offset`.
mlir::Value addConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                        int64_t offset);

/// Returns the alignment in bytes of the address that is `offset` elements after one with
/// `alignment`. Null means unknown. If an element's size depends on the target, the smallest
/// possible size is used.
mlir::IntegerAttr alignmentAfter(mlir::IntegerAttr alignment, mlir::Type element, int64_t offset);

} // namespace pumice::lower
