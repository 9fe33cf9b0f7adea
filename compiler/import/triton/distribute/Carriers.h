//===- Carriers.h - how values cross the borders of regions -----------------===//
// A carrier describes how a loop's variable, or a condition's result, is carried as one or several
// values. A scalar is one value, and a tensor is carried in one layout. For a pointer, only the
// part that changes is carried; its base stays the same.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/distribute/Distribution.h"

namespace pumice::triton::distribute {

struct Carrier {
  enum Kind { Scalar, Tile, Place } kind = Scalar;
  mlir::Location loc;
  mlir::Type element; // the element type of a scalar or tensor
  Shape shape;
  /// The layout of a tensor, or of a pointer's offsets if they are carried. A tensor that begins as
  /// a recipe has no layout at first. The loop is then built once without this tensor, to learn the
  /// layout of the value that the loop yields. If that value is also a recipe, the tensor gets the
  /// layout of its shape.
  std::optional<Layout> layout;
  /// The constant part of a pointer. It excludes the offset that all elements share, and also
  /// `offset` if that is carried.
  Pointer frame;
  bool carriesOffset = false;
};

using Carriers = std::vector<Carrier>;

/// Returns the initial carrier of a value.
Carrier carrierOf(mlir::Location loc, const Distributed &value);

/// Extends the carrier so that it can also carry this value. Returns whether the carrier changed.
/// Fails if a pointer points to other memory.
mlir::FailureOr<bool> adapt(Distribution &d, Carrier &carrier, const Distributed &value);

/// Gives tensors without a layout the layout of their shape.
mlir::LogicalResult settle(Distribution &d, Carrier &carrier);

/// Makes the carrier also carry its offsets, if operations in `region` created them.
mlir::LogicalResult carryFromWithin(Distribution &d, Carrier &carrier, mlir::Operation *region);

llvm::SmallVector<mlir::Type> typesOf(mlir::OpBuilder &b, llvm::ArrayRef<Carrier> carriers);

mlir::FailureOr<llvm::SmallVector<mlir::Value>>
pack(Distribution &d, llvm::ArrayRef<Carrier> carriers, llvm::ArrayRef<Distributed> values);

/// Reverses pack(), at the builder's position.
llvm::SmallVector<Distributed> unpack(Distribution &d, llvm::ArrayRef<Carrier> carriers,
                                      mlir::ValueRange values);

} // namespace pumice::triton::distribute
