//===- FragmentProducts.h - products of matrices by cooperative matrices ----===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower::tiles {

/// Returns the product that a subgroup computes at once, if fragments hold the result of `op`.
std::optional<tile::ProductFragment> fragmentOf(tile::DotOp op);
/// One of the kernel's products is such.
bool multipliesFragments(mlir::gpu::GPUFuncOp func);

/// A factor in workgroup memory: its lines follow each other at `stride` elements, and are rows or,
/// where lanes hold neighbours of a column, columns.
struct StagedFactor {
  bool isTransposed = false;
  uint64_t first = 0, stride = 0; // elements
};

/// How a product's factors go through workgroup memory: so much of the depth at once, both in one
/// piece of memory.
struct StagedProduct {
  uint64_t depth = 0, elements = 0;
  StagedFactor factors[2];
  /// Memory holds words of this many elements each. Lanes store whole words if they can.
  uint64_t wordElements = 1;
  mlir::Type word;
};
StagedProduct planStaging(tile::DotOp op, const tile::ProductFragment &fragment, uint64_t bytes);

/// Gives the function memory for its largest product of each type. Yields its bytes.
uint64_t addFragmentMemory(mlir::gpu::GPUFuncOp func, uint64_t bytes);

/// A tile.load whose values the next turn of its loop uses, and the accesses that it becomes.
inline constexpr llvm::StringLiteral prefetchedAttrName = "tile.prefetched";

/// Moves prefetched accesses between the stores to workgroup memory and the multiplications of the
/// preceding product. The accesses run during the multiplications, and nothing waits for them.
void placePrefetches(mlir::gpu::GPUFuncOp func);

/// Fragments that a loop carries as registers of lanes are carried as they are.
void carryFragments(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
