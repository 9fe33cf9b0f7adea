//===- Slices.h - aligned blocks that all have the same layout --------------===//
// Suppose that register bits alone determine the highest bits of a tensor's coordinates, and
// determine nothing else. Then the tensor consists of equal blocks. The same lanes hold each block,
// in the same number of registers. A loop over these blocks handles the whole tensor with the code
// for one block.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace pumice::lower::tiles {

/// The size of a block in each dimension.
using Sizes = llvm::SmallVector<uint64_t>;

Sizes shapeOf(const tile::LinearLayout &layout);

/// Returns the smallest blocks that a loop over registers can handle one by one.
Sizes smallestSlice(const tile::LinearLayout &layout);

/// Returns a shape in which blocks can be smaller. It splits a dimension between two bits if
/// registers alone set the lower bit, but not the higher one. All layouts must have the same shape.
Sizes splitShape(llvm::ArrayRef<tile::LinearLayout> layouts);

/// Adjacent bits of a dimension. Either registers alone set each of them, or none of them is set by
/// registers alone.
struct Piece {
  unsigned bits;
  bool isRegisters;
};
/// Returns the pieces from the highest bits to the lowest.
llvm::SmallVector<Piece> piecesOf(const tile::LinearLayout &layout, unsigned dimension);

struct Slice {
  tile::LinearLayout layout; // of one block
  /// The registers of the whole tensor that hold block 0, in the order of the block's registers.
  llvm::SmallVector<uint64_t> registers;
  /// The register bits that number the blocks along each dimension, lowest first.
  llvm::SmallVector<llvm::SmallVector<unsigned>> numbers;
};

/// Returns how many registers hold a block.
uint64_t registersIn(const tile::LinearLayout &layout, llvm::ArrayRef<uint64_t> sizes);

/// Returns the slice. Returns an error if blocks of these sizes do not all have the same layout.
Result<Slice> sliceOf(const tile::LinearLayout &layout, llvm::ArrayRef<uint64_t> sizes);

/// Grows `sizes` along register bits of `layout`, lowest first, as long as a block has at most
/// `registers`. If `balanced`, all dimensions grow equally. Dimensions before `first` do not grow.
Sizes grow(const tile::LinearLayout &layout, Sizes sizes, uint64_t registers, bool balanced,
           unsigned first = 0);

} // namespace pumice::lower::tiles
