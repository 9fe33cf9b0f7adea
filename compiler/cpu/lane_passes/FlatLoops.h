//===- FlatLoops.h - brings the loops of a flat function to one form --------===//
//   before → header → … → latch → header
// Control enters a loop only through `before` and `header`, and repeats it only from `latch`.
// `before` and `latch` contain only a branch. A cycle with several entries gets one entry that
// dispatches by a number. If other blocks also reach the target of a loop's exit, the exit goes
// through a block of its own.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

namespace pumice::cpu {

struct FlatLoop {
  FlatLoop *parent = nullptr;
  mlir::Block *before = nullptr; // belongs to the parent loop
  mlir::Block *header = nullptr, *latch = nullptr;
};

class FlatLoops {
public:
  /// Changes the region to this form. Drops unreachable blocks, labels and marks. Afterwards, a
  /// block with only one incoming edge has no arguments. No terminator has two edges to one block
  /// that pass different values.
  explicit FlatLoops(mlir::Region &region);

  /// Returns the innermost loop that contains the block, or null.
  FlatLoop *innermost(mlir::Block *block) const { return loopOf.lookup(block); }
  bool contains(const FlatLoop *loop, mlir::Block *block) const;
  /// Returns all loops. Outer loops come before inner ones.
  llvm::ArrayRef<std::unique_ptr<FlatLoop>> all() const { return loops; }

private:
  using Blocks = llvm::SetVector<mlir::Block *>;

  void forgetMarks();
  void separateReturns();
  void separateEqualWays();
  void find(const Blocks &blocks, FlatLoop *parent);
  void make(Blocks cycle, FlatLoop *parent);
  mlir::Block *dispatch(llvm::ArrayRef<mlir::Block *> entries);
  void separateExit(FlatLoop &loop);
  mlir::Block *newBlock(mlir::TypeRange arguments, mlir::Location loc);
  void branch(mlir::Block *from, mlir::Block *to);

  mlir::Region &region;
  mlir::OpBuilder builder;
  std::vector<std::unique_ptr<FlatLoop>> loops;
  llvm::DenseMap<mlir::Block *, FlatLoop *> loopOf;
};

} // namespace pumice::cpu
