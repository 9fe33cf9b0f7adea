//===- Matrices.h - matrices of a subgroup, held in vectors -----------------===//
// Element e of a matrix, counted row by row, is in lane e % W of vector e / W, for W lanes.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// The factors of a product in memory, row by row. a has `depth` columns, and b has `columns`
/// columns.
struct MatrixFactors {
  // The unit that one instruction multiplies: single elements, pairs or quads of elements, or
  // tiles.
  enum Kind { Each, BrainPairs, ByteQuads, BrainTiles, ByteTiles } kind = Each;
  mlir::Value a, b;
  mlir::Type element, sum;
  int64_t depth = 0, columns = 0;
  unsigned width = 0; // the elements in a vector of sums
  unsigned step = 1;  // the elements of a row that one instruction adds up
  bool leftSigned = false, rightSigned = false;
  bool rightFirst = false;                 // whether the right factor has the unsigned bytes
  llvm::SmallVector<mlir::Value> groups{}; // the vectors of b, if they are interleaved
};

/// The sums to which a product is added. These are vectors, `across` for each row. If nothing else
/// reads the variables that hold the sums, this is their memory instead.
struct MatrixSums {
  llvm::SmallVector<mlir::Value> vectors;
  mlir::Value memory;
  int64_t rows = 0, across = 0;
};

/// State that the products of one kernel share.
struct MatrixState {
  bool usesTiles = false; // the kernel has configured the registers of AMX
};

/// Returns vectors without poison in inactive lanes, because a product uses the elements of all
/// lanes.
llvm::SmallVector<mlir::Value> wholeVectors(SimdEmitter &e, mlir::ValueRange elements);
/// Copies a matrix to memory, row by row.
mlir::Value matrixInMemory(LaneBuilder &b, llvm::ArrayRef<mlir::Value> vectors);
/// Loads `count` consecutive vectors of `width` elements.
llvm::SmallVector<mlir::Value> vectorsFrom(LaneBuilder &b, mlir::Value memory, mlir::Type element,
                                           unsigned width, int64_t count);

/// Places the variables that a product updates one after the other, so that they form its matrix in
/// memory. Must be called first.
void groupSums(SimdEmitter &e, lane::MatrixProductOp op);
/// Adds a product to its sums with AMX.
void multiplyByTiles(SimdEmitter &e, const MatrixFactors &factors, MatrixSums &sums);
/// Releases the AMX registers at each return of the function, if it uses them.
void releaseTiles(SimdEmitter &e);

} // namespace pumice::cpu
