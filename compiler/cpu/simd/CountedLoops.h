//===- CountedLoops.h - loops that can be cancelled -------------------------===//
// A counting loop tests only between pieces of many iterations whether the launch was cancelled.
// Other loops test in every iteration. Loops that are known to be short never test.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

class CountedLoops {
public:
  explicit CountedLoops(SimdEmitter &e) : e(e) {}

  /// Returns the block with which a loop within a subgroup begins.
  mlir::Block *startLoop(lane::LoopOp loop, mlir::Block *body);
  /// Branches from a loop's end to its start.
  void repeatLoop(lane::LoopOp loop, mlir::Block *body);
  /// Emits the exit of a loop that counts in pieces. After each piece but the last, the code tests
  /// for cancellation and starts the next piece.
  void leaveForGood(lane::ExitOp exit);
  /// Emits a comparison that ends a piece. Returns false if `op` is not such a comparison.
  bool emitCount(mlir::Operation *op);

private:
  /// A loop that counts up to a bound in pieces.
  struct Pieces {
    // The loop continues while this predicate holds for the counter and the bound.
    mlir::arith::CmpIPredicate goesOn = {};
    mlir::Value limit; // the end of the piece, in memory
    mlir::Block *next = nullptr;
  };
  void emitFixed(mlir::Value value, lane::LoopOp loop);

  SimdEmitter &e;
  llvm::DenseMap<mlir::Operation *, Pieces> counted; // the keys are loops, comparisons and exits
};

} // namespace pumice::cpu
