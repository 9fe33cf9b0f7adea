//===- Verify.h - what verifiers of the tt dialect share --------------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"

namespace pumice::triton {

/// The dimensions of a tensor; a scalar has none.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
}

/// Both are scalars, or tensors of one shape. `first` and `second` say what they are.
mlir::LogicalResult verifySameShape(mlir::Operation *op, llvm::StringRef first, mlir::Type a,
                                    llvm::StringRef second, mlir::Type b);

/// `given`, which is `what`, is the type `expected`.
mlir::LogicalResult verifyType(mlir::Operation *op, llvm::StringRef what, mlir::Type given,
                               mlir::Type expected);

/// `axis` counts a dimension of `rank`.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis, int64_t rank);

} // namespace pumice::triton
