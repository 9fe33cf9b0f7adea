//===- PipelinedFactors.h - factors of products in a loop -------------------===//
// Says what PipelineProducts.cpp can pipeline, and where the pieces of a factor are in workgroup
// memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/lower/tile/FragmentProducts.h"

#include <map>

namespace pumice::lower::tiles::pipeline {

/// A factor of a product in a loop.
struct Factor {
  /// Loaded an iteration ahead, or the same in all iterations.
  enum Kind { Loaded, Fixed } kind = Loaded;
  unsigned which = 0;
  mlir::Value operand;
  tile::LoadOp load;                          // of a loaded factor
  llvm::SmallVector<mlir::Operation *> chain; // from the load to the operand, without the load
  uint64_t depth = 0;                         // of the product
  uint64_t pieceDepth = 0;
  uint64_t lines = 0, bytes = 0; // the lines of a fragment's other dimension; of an element
  bool isTransposed = false;
  StagedPiece place;
  uint64_t slotVectors = 0; // the size of a slot in vectors of 4 words; 0 if there is only one slot
  int32_t number = 0;
  mlir::Value carried; // this iteration's tensor, as bits

  uint64_t pieces() const { return depth / pieceDepth; }
  uint64_t pieceLines() const { return (which == 0) == isTransposed ? pieceDepth : lines; }
  uint64_t lineElements() const { return (which == 0) == isTransposed ? lines : pieceDepth; }
  uint64_t strideWords() const { return (lineElements() * bytes + 16) / 4; }
  uint64_t pieceVectors() const { return pieceLines() * strideWords() / 4; }
};

using Fragments = std::map<uint64_t, mlir::Value>; // by the number of the first row or column

struct Product {
  tile::DotOp op;
  tile::ProductFragment fragment;
  tile::LinearLayout fragments;
  Factor factors[2];
  std::vector<Fragments> fixed[2]; // by steps

  uint64_t steps() const { return factors[0].depth / fragment.shape.depth; }
  uint64_t count() const { return uint64_t(1) << fragments.input(tile::registerSpace).bits; }
  uint64_t placeOf(unsigned which, uint64_t f) const {
    return fragments.output(tile::dimensionName(which))
        .of(tile::combine(fragments.columns(tile::registerSpace), f));
  }
};

/// Returns whether an innermost loop has one product, and multiplies fragments.
bool isProductLoop(mlir::scf::ForOp loop);

/// Returns the product if it can be pipelined. At least one of its factors is loaded by the loop.
std::optional<Product> productOf(tile::DotOp op, mlir::scf::ForOp loop);

/// Returns the least depth of pieces that contain whole registers.
uint64_t leastPiece(const Factor &factor, uint64_t step);

} // namespace pumice::lower::tiles::pipeline
