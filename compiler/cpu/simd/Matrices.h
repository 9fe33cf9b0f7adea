//===- Matrices.h - matrices of a subgroup on vectors -----------------------===//
// Element e of a matrix, counted row by row, is lane e % W of vector e / W.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// Holds the factors of a product in memory, row by row: a of `depth` columns, b of `columns`.
struct MatrixFactors {
  // What one instruction multiplies.
  enum Kind { Each, BrainPairs, ByteQuads, BrainTiles, ByteTiles } kind = Each;
  mlir::Value a, b;
  mlir::Type element, sum;
  int64_t depth = 0, columns = 0;
  unsigned width = 0; // elements of a vector of sums
  unsigned step = 1;  // elements of each row that an instruction adds up
  bool leftSigned = false, rightSigned = false;
  bool rightFirst = false;                 // the right factor's bytes are the unsigned ones
  llvm::SmallVector<mlir::Value> groups{}; // b's vectors, if they are interleaved
};

/// Holds what a product is added to: vectors, `across` a row, or the memory of the variables that
/// hold it, if nothing else reads them.
struct MatrixSums {
  llvm::SmallVector<mlir::Value> vectors;
  mlir::Value memory;
  int64_t rows = 0, across = 0;
};

/// Holds what the products of one kernel share.
struct MatrixState {
  bool usesTiles = false; // the kernel has configured the registers of AMX
};

/// Returns whole vectors, of all lanes. Absent lanes hold no poison.
llvm::SmallVector<mlir::Value> wholeVectors(SimdEmitter &e, mlir::ValueRange elements);
/// Copies a matrix to memory, row by row.
mlir::Value matrixInMemory(LaneBuilder &b, llvm::ArrayRef<mlir::Value> vectors);
/// Loads `count` vectors of `width` elements that lie in a row.
llvm::SmallVector<mlir::Value> vectorsFrom(LaneBuilder &b, mlir::Value memory, mlir::Type element,
                                           unsigned width, int64_t count);

/// Places the variables that a product updates in memory as its matrix. Call this first.
void groupSums(SimdEmitter &e, lane::MatrixProductOp op);
/// Adds a product to its sums by AMX.
void multiplyByTiles(SimdEmitter &e, const MatrixFactors &factors, MatrixSums &sums);
/// Releases the registers of AMX wherever the function returns, if it uses them.
void releaseTiles(SimdEmitter &e);

} // namespace pumice::cpu
