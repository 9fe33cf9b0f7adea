//===- CountedLoops.h - how loops repeat: until someone wants them to stop ----===//
// A loop that counts tests between pieces of many turns whether the launch was cancelled, and
// others test in every turn. Loops that are known to be short never test.
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
  /// At the exit of a loop that counts in pieces, goes on here only after the last piece.
  void leaveForGood(lane::ExitOp exit);
  /// Emits the comparison that ends a piece; false if `op` is none.
  bool emitCount(mlir::Operation *op);

private:
  /// A loop that counts to a bound in pieces.
  struct Pieces {
    mlir::arith::CmpIPredicate goesOn = {}; // while it holds for counter and bound
    mlir::Value limit;                      // where the piece ends, in memory
    mlir::Block *next = nullptr;
  };
  void emitFixed(mlir::Value value, lane::LoopOp loop);

  SimdEmitter &e;
  llvm::DenseMap<mlir::Operation *, Pieces> counted; // by loop, comparison and exit
};

} // namespace pumice::cpu
