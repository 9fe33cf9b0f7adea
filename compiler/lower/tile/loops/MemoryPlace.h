//===- MemoryPlace.h - where elements of a block are in memory --------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Slices.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::lower::tiles {

/// Describes where a tensor is in one-dimensional memory.
struct MemoryPlace {
  Sizes strides; // of each dimension; 0: the dimension is ignored
  uint64_t first = 0;
};

/// Describes a tensor stored row after row.
MemoryPlace rowMajor(mlir::RankedTensorType type);

mlir::Value i32(mlir::ImplicitLocOpBuilder &b, uint64_t number);

/// Returns the coordinate of each element in one dimension.
mlir::Value coordinates(mlir::ImplicitLocOpBuilder &b, const tile::LinearLayout &layout,
                        unsigned dimension);

/// Returns the sum of `base` and of each coordinate times its stride: the offsets of elements.
mlir::Value placesOf(mlir::ImplicitLocOpBuilder &b, const tile::LinearLayout &layout,
                     const MemoryPlace &place, mlir::Value base);

/// Returns the offset of a block that begins at these coordinates (null: 0).
mlir::Value startOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> starts,
                    const MemoryPlace &place);

} // namespace pumice::lower::tiles
