//===- VectorMoves.h - operations that move elements of vectors --------------===//
#pragma once

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace pumice::lower {

/// Each element of the result is one of an operand, whatever its type: as true of integers that
/// have been cut as of these before.
inline bool movesElements(mlir::Operation *op) {
  using namespace mlir::vector;
  return llvm::isa<ToElementsOp, FromElementsOp, BroadcastOp, ExtractOp, InsertOp, ShuffleOp,
                   ShapeCastOp, ExtractStridedSliceOp, InsertStridedSliceOp>(op);
}

} // namespace pumice::lower
