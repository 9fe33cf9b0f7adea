//===- ViewAlgebra.h - memref views as numbers ------------------------------===//
// A view consists of a buffer, an element offset, extents and strides. Every view operation of the
// memref dialect turns such a description into another. An access needs nothing but the
// description.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace pumice::lower {

struct View {
  mlir::Value buffer;        // the flattened root: rank 1, scalar elements, identity layout
  mlir::OpFoldResult offset; // in elements of the view's own type
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};

/// Returns how many scalars one element of a memref occupies. An element of memref<?xvector<3xf32>>
/// occupies four, because a vector's size in memory is rounded up to a power of two. A vector of
/// several dimensions is stored as rows.
int64_t scalarsPerElement(mlir::Type element);

class ViewAlgebra {
public:
  explicit ViewAlgebra(mlir::OpBuilder &builder) : builder(builder) {}

  /// Describes `memref` from the operations that created it. Emits index arithmetic right after
  /// them.
  mlir::FailureOr<View> describe(mlir::Value memref);

  /// Returns offset + Σ indices·strides, in elements.
  mlir::OpFoldResult linearize(mlir::Location loc, const View &view,
                               llvm::ArrayRef<mlir::OpFoldResult> indices);

  mlir::OpFoldResult add(mlir::Location loc, mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::Location loc, mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value materialize(mlir::Location loc, mlir::OpFoldResult value);

  /// The flattened value for each buffer that `describe` found.
  llvm::DenseMap<mlir::Value, mlir::Value> flattened;

private:
  mlir::FailureOr<View> describeUncached(mlir::Value memref);
  mlir::FailureOr<View> describeRoot(mlir::Value memref);

  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, View> known;
};

} // namespace pumice::lower
