//===- Carriers.h - how values cross the borders of regions -----------------===//
// A loop's variable, or a condition's result, is carried as one value or a few. A scalar is one
// value, and a tensor is carried in one layout. For a pointer, only the changing part is carried;
// its base stays.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/distribute/Distribution.h"

namespace pumice::triton::distribute {

struct Carrier {
  enum Kind { Scalar, Tile, Place } kind = Scalar;
  mlir::Location loc;
  mlir::Type element; // of a scalar or tensor
  Shape shape;
  /// The layout of a tensor, or of a pointer's offsets if they are carried. A tensor's layout is
  /// unknown until an operation determines it. Until then the tensor is not carried; such a loop is
  /// only built to determine the layout.
  std::optional<Layout> layout;
  /// What a pointer keeps: everything except the common offset of all elements, and except the
  /// offsets if these are carried.
  Pointer frame;
  bool carriesOffset = false;
};

using Carriers = std::vector<Carrier>;

/// Returns the first guess for a value.
Carrier carrierOf(mlir::Location loc, const Distributed &value);

/// Extends the carrier so that it can also carry this value. Returns whether that changed it.
/// Errors: a pointer into other memory.
mlir::FailureOr<bool> adapt(Distribution &d, Carrier &carrier, const Distributed &value);

/// Gives tensors without a layout the layout of their shape.
mlir::LogicalResult settle(Distribution &d, Carrier &carrier);

/// Makes the carrier carry offsets that were made in `region` out of it.
mlir::LogicalResult carryFromWithin(Distribution &d, Carrier &carrier, mlir::Operation *region);

llvm::SmallVector<mlir::Type> typesOf(mlir::OpBuilder &b, llvm::ArrayRef<Carrier> carriers);

mlir::FailureOr<llvm::SmallVector<mlir::Value>>
pack(Distribution &d, llvm::ArrayRef<Carrier> carriers, llvm::ArrayRef<Distributed> values);

/// Does the reverse, at the builder's position.
llvm::SmallVector<Distributed> unpack(Distribution &d, llvm::ArrayRef<Carrier> carriers,
                                      mlir::ValueRange values);

} // namespace pumice::triton::distribute
