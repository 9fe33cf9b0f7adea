//===- FragmentProducts.h - products of fragments ---------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower::tiles {

/// Returns the product that a subgroup computes at once, if the result of `op` consists of
/// fragments. A fragment is the part of a matrix that one cooperative matrix holds.
std::optional<tile::ProductFragment> fragmentOf(tile::DotOp op);
/// Returns whether the kernel has a product whose result consists of fragments.
bool multipliesFragments(mlir::gpu::GPUFuncOp func);

/// A factor in workgroup memory. It consists of lines that begin `stride` elements apart. Lines are
/// columns if lanes hold neighbours in a column, else rows.
struct StagedFactor {
  bool isTransposed = false;
  uint64_t first = 0, stride = 0; // in elements
};

/// Describes how a product's factors go through workgroup memory. One array holds a piece of the
/// depth of both factors at a time.
struct StagedProduct {
  uint64_t depth = 0, elements = 0;
  StagedFactor factors[2];
  /// Memory consists of words of this many elements. If it is more than one, lanes store whole
  /// words.
  uint64_t wordElements = 1;
  mlir::Type word;
};
StagedProduct planStaging(tile::DotOp op, const tile::ProductFragment &fragment, uint64_t bytes);

/// Adds arrays for the function's largest product of each type. Returns their size in bytes.
uint64_t addFragmentMemory(mlir::gpu::GPUFuncOp func, uint64_t bytes);

/// Marks a tile.load whose values the next iteration of its loop uses, and the accesses to which it
/// is lowered.
inline constexpr llvm::StringLiteral prefetchedAttrName = "tile.prefetched";

/// Moves prefetched accesses between the preceding product's stores to workgroup memory and its
/// multiplications. The multiplications then hide the latency of the accesses.
void placePrefetches(mlir::gpu::GPUFuncOp func);

/// Makes loops carry fragments directly, instead of as registers of lanes.
void carryFragments(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
