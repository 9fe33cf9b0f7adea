//===- MemoryPlace.h - places of a block's elements in memory ---------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Slices.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::lower::tiles {

/// The place of a tensor in one-dimensional memory.
struct MemoryPlace {
  Sizes strides; // of each dimension; 0 means that the dimension is ignored
  uint64_t first = 0;
};

/// Returns the place of a tensor that is stored in row-major order.
MemoryPlace rowMajor(mlir::RankedTensorType type);

mlir::Value i32(mlir::ImplicitLocOpBuilder &b, uint64_t number);

/// Returns the coordinate of each element in one dimension.
mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b, const tile::LinearLayout &layout,
                        unsigned dimension);

/// Returns the offsets of elements: the sum of `base` and each coordinate times its stride.
mlir::Value placesOf(mlir::ImplicitLocOpBuilder &b, const tile::LinearLayout &layout,
                     const MemoryPlace &place, mlir::Value base);

/// Returns the offset of a block that begins at the coordinates `starts`. A null coordinate counts
/// as 0.
mlir::Value startOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> starts,
                    const MemoryPlace &place);

} // namespace pumice::lower::tiles
