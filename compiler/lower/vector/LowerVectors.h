//===- LowerVectors.h - the vector dialect, one family of operations a file --===//
// Shared by the files of pumice-lower-vectors. Each function lowers the operations of its family
// and replaces them; it fails, with a located error, on what it refuses. `mask` is that of the
// `vector.mask` around the operation, or null.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace pumice::lower {

/// transfer_read and transfer_write, load and store.
mlir::LogicalResult lowerTransfer(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                  mlir::Value mask);

/// maskedload, maskedstore, expandload, compressstore, gather, scatter.
mlir::LogicalResult lowerMaskedAccess(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                      mlir::Value mask);

/// type_cast, when every access through its result is a memref.load or memref.store.
mlir::LogicalResult lowerTypeCast(mlir::RewriterBase &rewriter, mlir::vector::TypeCastOp op);

/// contract, outerproduct, reduction, multi_reduction, scan, fma.
mlir::LogicalResult lowerReduction(mlir::RewriterBase &rewriter, mlir::Operation *op,
                                   mlir::Value mask);

/// create_mask, constant_mask, step.
mlir::LogicalResult lowerMask(mlir::RewriterBase &rewriter, mlir::Operation *op);

//===-------------------------------------------------------------------------===//
// Shared helpers
//===-------------------------------------------------------------------------===//

/// Calls `visit` with the coordinates of every element of `shape`, in row-major order.
void forEach(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The element or part of `vector` at `position`; `vector` itself if there is nothing to take off.
mlir::Value extract(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
                    llvm::ArrayRef<int64_t> position);

/// The bit of `mask` at `position`: null if it is known to be set. No mask: always set.
mlir::Value maskBit(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value mask,
                    llvm::ArrayRef<int64_t> position);

/// Both conditions; null stands for one that always holds.
mlir::Value both(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

/// Returns the result of `then` if `condition` holds, else `otherwise`. Without a condition,
/// returns the result of `then`.
mlir::Value valueIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
                    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> then,
                    llvm::function_ref<mlir::Value(mlir::OpBuilder &)> otherwise);

/// Does `then` if `condition` holds.
void doIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value condition,
          llvm::function_ref<void(mlir::OpBuilder &)> then);

/// `index + offset`.
mlir::Value addConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                        int64_t offset);

/// The alignment, in bytes, `offset` elements after an address with `alignment`; null is unknown.
/// Sizes that depend on the target count as the smallest that they can be.
mlir::IntegerAttr alignmentAfter(mlir::IntegerAttr alignment, mlir::Type element, int64_t offset);

} // namespace pumice::lower
