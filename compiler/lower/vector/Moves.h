//===- Moves.h - operations that move elements of vectors -------------------===//
#pragma once

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace pumice::lower {

/// Returns whether each element of the result is an element of an operand, for any element type.
/// This also holds after integers have been split.
inline bool movesElements(mlir::Operation *op) {
  using namespace mlir::vector;
  return llvm::isa<ToElementsOp, FromElementsOp, BroadcastOp, ExtractOp, InsertOp, ShuffleOp,
                   ShapeCastOp, ExtractStridedSliceOp, InsertStridedSliceOp>(op);
}

} // namespace pumice::lower
