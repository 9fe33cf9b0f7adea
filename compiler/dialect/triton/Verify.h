//===- Verify.h - checks shared by verifiers of the tt dialect --------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"

namespace pumice::triton {

/// Returns the dimensions of a tensor. A scalar has none.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
}

/// Checks that both types are scalars, or tensors of one shape. `first` and `second` describe them
/// in the error.
mlir::LogicalResult verifySameShape(mlir::Operation *op, llvm::StringRef first, mlir::Type a,
                                    llvm::StringRef second, mlir::Type b);

/// Checks that `given` is the type `expected`. `what` describes it in the error.
mlir::LogicalResult verifyType(mlir::Operation *op, llvm::StringRef what, mlir::Type given,
                               mlir::Type expected);

/// Checks that `axis` is a dimension of a tensor of this rank.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);

} // namespace pumice::triton
