//===- FragmentProducts.h - products of fragments ---------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"
#include "compiler/lower/tile/LaneCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// A piece of a factor in workgroup memory, which consists of words of 32 bits.
struct StagedPiece {
  mlir::Value slot;                // i32: counts vectors of 4 words, and is added to `offset`
  uint64_t offset = 0, stride = 0; // in words, multiples of 4
  uint64_t elementBytes = 2;
};

/// Returns the index of the word that begins with an element of the piece. `along` is a multiple of
/// `elements`, which fill 4, 8 or 16 bytes.
mlir::Value wordOf(LaneCode &code, const StagedPiece &piece, mlir::Value line, mlir::Value along,
                   uint64_t elements);

/// Returns the piece of `depth` coordinates along `dimension` to which a register belongs in all
/// lanes. Returns nothing if lanes differ.
std::optional<uint64_t> pieceOfRegister(const tile::LinearLayout &layout,
                                        std::string_view dimension, uint64_t reg, uint64_t depth);

/// Convert registers to the matrices of a tensor, and matrices to registers.
llvm::SmallVector<mlir::Value> fragmentsFrom(LaneCode &code, llvm::ArrayRef<mlir::Value> registers,
                                             mlir::TypeRange types);
Registers registersFrom(LaneCode &code, mlir::ValueRange matrices, uint64_t registers);

/// Records that the kernel is correct only on devices with the same measured map.
void relyOn(mlir::gpu::GPUFuncOp func, const target::FragmentMap &map);

/// Returns the dimension along which a lane has the most contiguous registers.
unsigned contiguousDimension(const tile::LinearLayout &layout);
/// Returns the number of contiguous elements that a lane holds. Each group of them begins at a
/// multiple of that number.
uint64_t neighbours(const tile::LinearLayout &layout);

/// Adds arrays for the function's largest product of each type. Returns their size in bytes.
uint64_t addFragmentMemory(mlir::gpu::GPUFuncOp func, uint64_t bytes);

/// Returns whether the load's address in the next iteration can be computed in this one.
bool canPrefetch(tile::LoadOp load, mlir::scf::ForOp loop);
/// Returns whether the load's loop will load it an iteration ahead.
bool isLoadedAhead(tile::LoadOp load);
/// Returns whether the loop has effects other than loads.
bool writesMemory(mlir::scf::ForOp loop);
/// Returns the type in which a loop carries a tensor. Types that no target computes with are
/// carried as bits, since wider numbers would take twice the registers.
mlir::Type carriedType(mlir::Type type);

/// Marks a tile.load whose values the next iteration of its loop uses, and the accesses to which it
/// is lowered.
inline constexpr llvm::StringLiteral prefetchedAttrName = "tile.prefetched";

/// Marks a gpu.barrier that orders accesses to workgroup memory alone.
inline constexpr llvm::StringLiteral workgroupOnlyAttrName = "vk.workgroup_only";

/// Moves the accesses of pipelined loads to the places that tile.begin_loads marks.
void placePieces(mlir::gpu::GPUFuncOp func);

/// Moves prefetched accesses between the preceding product's stores to workgroup memory and its
/// multiplications. The multiplications then hide the latency of the accesses.
void placePrefetches(mlir::gpu::GPUFuncOp func);

/// Makes loops carry fragments directly, instead of as registers of lanes.
void carryFragments(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
