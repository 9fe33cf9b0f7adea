//===- Carriers.h - how values cross the borders of regions -----------------===//
// A loop's variable, or a condition's result, is one value or a few: a scalar; a tensor in one
// layout; of a pointer what changes, while its base does not.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/distribute/Distribution.h"

namespace pumice::triton::distribute {

struct Carrier {
  enum Kind { Scalar, Tile, Place } kind = Scalar;
  mlir::Location loc;
  mlir::Type element; // of a scalar or tensor
  Shape shape;
  /// Of a tensor, or of a pointer's offsets where these are carried. A tensor's is not known as
  /// long as nothing says where it should be held; then it is not carried: such a loop is built
  /// only to learn it.
  std::optional<Layout> layout;
  /// What a pointer keeps on the way: all but what all elements are offset by, and the offsets if
  /// these are carried.
  Pointer frame;
  bool carriesOffset = false;
};

using Carriers = std::vector<Carrier>;

/// The first guess for a value.
Carrier carrierOf(mlir::Location loc, const Distributed &value);

/// Makes the carrier one for this value as well, and says whether that changed it. Errors: a
/// pointer into other memory.
mlir::FailureOr<bool> adapt(Distribution &d, Carrier &carrier, const Distributed &value);

/// Tensors of which nothing said where they should be get the layout of their shape.
mlir::LogicalResult settle(Distribution &d, Carrier &carrier);

/// Offsets that were made in `region` must be carried out of it.
mlir::LogicalResult carryFromWithin(Distribution &d, Carrier &carrier, mlir::Operation *region);

llvm::SmallVector<mlir::Type> typesOf(mlir::OpBuilder &b, llvm::ArrayRef<Carrier> carriers);

mlir::FailureOr<llvm::SmallVector<mlir::Value>>
pack(Distribution &d, llvm::ArrayRef<Carrier> carriers, llvm::ArrayRef<Distributed> values);

/// The reverse, where the builder stands.
llvm::SmallVector<Distributed> unpack(Distribution &d, llvm::ArrayRef<Carrier> carriers,
                                      mlir::ValueRange values);

} // namespace pumice::triton::distribute
