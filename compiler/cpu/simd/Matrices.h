//===- Matrices.h - matrices of a subgroup, held in vectors ---------------===//
// Element e of a matrix, counted row by row, is lane e % W of vector e / W.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// The factors of a product in memory, row by row. a has `depth` columns, and b has `columns`.
struct MatrixFactors {
  // One instruction multiplies one of these: single elements, pairs or quads of them, or tiles.
  enum Kind { Each, BrainPairs, ByteQuads, BrainTiles, ByteTiles } kind = Each;
  mlir::Value a, b;
  mlir::Type element, sum;
  int64_t depth = 0, columns = 0;
  unsigned width = 0; // the number of elements in a vector of sums
  unsigned step = 1;  // the number of elements of each row that an instruction adds up
  bool leftSigned = false, rightSigned = false;
  bool rightFirst = false;                 // the right factor has the unsigned bytes
  llvm::SmallVector<mlir::Value> groups{}; // b's vectors, if they are interleaved
};

/// The sums that a product is added to. These are vectors, `across` for each row, or the memory of
/// the variables that hold the sums, if nothing else reads them.
struct MatrixSums {
  llvm::SmallVector<mlir::Value> vectors;
  mlir::Value memory;
  int64_t rows = 0, across = 0;
};

/// State that the products of one kernel share.
struct MatrixState {
  bool usesTiles = false; // the kernel has configured the registers of AMX
};

/// Returns vectors that are valid in all lanes, so that inactive lanes hold no poison.
llvm::SmallVector<mlir::Value> wholeVectors(SimdEmitter &e, mlir::ValueRange elements);
/// Copies a matrix to memory, row by row.
mlir::Value matrixInMemory(LaneBuilder &b, llvm::ArrayRef<mlir::Value> vectors);
/// Loads `count` consecutive vectors of `width` elements.
llvm::SmallVector<mlir::Value> vectorsFrom(LaneBuilder &b, mlir::Value memory, mlir::Type element,
                                           unsigned width, int64_t count);

/// Places the variables that a product updates so that they form its matrix in memory. Call this
/// first.
void groupSums(SimdEmitter &e, lane::MatrixProductOp op);
/// Adds a product to its sums by AMX.
void multiplyByTiles(SimdEmitter &e, const MatrixFactors &factors, MatrixSums &sums);
/// Releases the AMX registers wherever the function returns, if it uses them.
void releaseTiles(SimdEmitter &e);

} // namespace pumice::cpu
