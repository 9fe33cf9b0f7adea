//===- LoopMasks.h - masks and indices in a loop ----------------------------===//
// Scalars before a loop are enough to decide in which iterations a mask holds, if it compares
// indices with a limit. The indices of a loop with constant bounds are an interval plus terms that
// are the same in all iterations.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace pumice::lower::tiles {

/// The range of an index over all elements and iterations. The index is the sum of `terms`, which
/// the loop does not change, and a number in an interval. If the bounds of the loop are not
/// constant, its variable is added `turns` times. Integers wrap in their type.
struct Span {
  llvm::SmallVector<mlir::Value> terms;
  int64_t low = 0, high = 0, turns = 0;

  bool isOne() const { return low == high; }
};

/// A comparison of indices with a limit, which is a scalar.
struct Bound {
  Span index, limit;
  mlir::arith::CmpIPredicate predicate;
  mlir::Type type;
  mlir::Location loc;
};

/// Selects how a loop's own variable appears in spans.
enum class Turns {
  Interval,  // as its interval; loops without constant bounds have none
  IfDynamic, // as `turns`, if the bounds of the loop are not constant
  Always,    // as `turns`
};

/// Computes bounds of the indices in one loop.
class LoopBounds {
public:
  explicit LoopBounds(mlir::scf::ForOp loop, Turns turns = Turns::Interval)
      : loop(loop), b(loop), turns(turns) {}

protected:
  bool isOutside(mlir::Value value) const {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  std::optional<Span> spanOf(mlir::Value value) const;
  std::optional<Span> spanOfTurns(mlir::BlockArgument variable) const;
  std::optional<Bound> boundOf(mlir::arith::CmpIOp compare) const;
  std::optional<Bound> boundWithTurns(mlir::arith::CmpIOp compare) const;
  mlir::Value number(const Span &span, int64_t offset, const Bound &bound);
  mlir::Value holds(const Bound &bound);
  mlir::Value holdsInAllTurns(const Bound &bound);

  mlir::scf::ForOp loop;
  mlir::OpBuilder b;

private:
  Turns turns;
};

/// Finds the conditions for the masks of a loop, and removes masks from a copy of it.
class LoopMasks : protected LoopBounds {
public:
  using LoopBounds::LoopBounds;

protected:
  /// Conditions that together make all elements of a mask true.
  struct Conditions {
    llvm::SmallVector<Bound> bounds;
    llvm::SmallVector<mlir::Value> scalars;
  };

  /// Collects the masks of loads and stores that scalars decide. With `onlyBounds`, masks with
  /// other conditions than bounds stay as they are.
  llvm::MapVector<mlir::Value, Conditions> collectMasks(bool onlyBounds);
  /// Removes the collected masks from a copy of the loop, where all their elements are true.
  void removeMasks(mlir::Operation *copy, const mlir::IRMapping &map) const;

private:
  bool collect(mlir::Value mask, Conditions &conditions);

  llvm::SetVector<mlir::Value> full; // masks, and their operands
};

/// Returns whether a loop is small enough to be emitted twice, and contains nothing that waits for
/// other lanes.
bool mayBeTwice(mlir::scf::ForOp loop);

} // namespace pumice::lower::tiles
