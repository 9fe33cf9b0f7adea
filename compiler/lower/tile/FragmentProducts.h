//===- FragmentProducts.h - products of matrices by cooperative matrices ----===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower::tiles {

/// Returns the product that a subgroup computes at once, if fragments hold the result of `op`.
std::optional<tile::ProductFragment> fragmentOf(tile::DotOp op);
/// Returns whether the kernel has a product that fragments hold.
bool multipliesFragments(mlir::gpu::GPUFuncOp func);

/// A factor in workgroup memory. Its lines follow each other at a distance of `stride` elements.
/// They are rows, or columns if lanes hold neighbours of a column.
struct StagedFactor {
  bool isTransposed = false;
  uint64_t first = 0, stride = 0; // elements
};

/// Says how a product's factors go through workgroup memory: how much of the depth at once, with
/// both factors in one piece of memory.
struct StagedProduct {
  uint64_t depth = 0, elements = 0;
  StagedFactor factors[2];
  /// Memory holds words of this many elements each. Lanes store whole words if they can.
  uint64_t wordElements = 1;
  mlir::Type word;
};
StagedProduct planStaging(tile::DotOp op, const tile::ProductFragment &fragment, uint64_t bytes);

/// Gives the function memory for its largest product of each type. Returns the bytes.
uint64_t addFragmentMemory(mlir::gpu::GPUFuncOp func, uint64_t bytes);

/// Marks a tile.load whose values the next iteration of its loop uses, and the accesses that it
/// becomes.
inline constexpr llvm::StringLiteral prefetchedAttrName = "tile.prefetched";

/// Moves prefetched accesses between the stores to workgroup memory and the multiplications of the
/// preceding product. The accesses run during the multiplications, and nothing waits for them.
void placePrefetches(mlir::gpu::GPUFuncOp func);

/// Makes loops carry fragments directly instead of as registers of lanes.
void carryFragments(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
