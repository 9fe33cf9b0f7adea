//===- UnrollMatrixLoops.cpp - puts arrays of matrices into registers -------===//
//   before: lane.loop { … %i < 4 …; %a = lane.array_get %as[%i]; lane.matrix_product … }
//   after: its body four times, with a constant %i in each; the arrays become lane.vars
// Kernels loop over small arrays of matrix fragments, and rely on the compiler to unroll these
// loops. Needs: structured lane code.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/lane_passes/LaneAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_UNROLLMATRIXLOOPS
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {
struct UnrollMatrixLoops final : cpu::impl::UnrollMatrixLoopsBase<UnrollMatrixLoops> {
  void runOnOperation() override;
};

/// The values that variables are known to have at one point: those set last.
struct KnownVariables {
  llvm::DenseMap<Value, Value> values;

  void pass(Operation *op) {
    if (auto set = dyn_cast<lane::SetOp>(op))
      values[set.getSlot()] = set.getValue();
    if (auto reset = dyn_cast<lane::ResetOp>(op))
      values.erase(reset.getSlot());
    if (op->getNumRegions())
      forgetWhatChanges(op);
  }
  void forgetWhatChanges(Operation *op) {
    op->walk([&](Operation *inner) {
      if (isa<lane::SetOp, lane::ResetOp>(inner))
        values.erase(inner->getOperand(0));
    });
  }
};
} // namespace

/// The limits of unrolling: iterations of a loop, and operations of all its iterations.
static constexpr unsigned mostTurns = 32, mostOperations = 20000;

static bool isOnlyEnd(Region &region) { return isa<lane::EndOp>(region.front().front()); }

/// Returns the test at the top of a loop: an `if` with an exit in one arm, and nothing in the
/// other.
static lane::IfOp testOf(lane::LoopOp loop) {
  for (auto test : loop.getBody().front().getOps<lane::IfOp>()) {
    Region &yes = test.getThenRegion(), &no = test.getElseRegion();
    for (auto [exits, stays] : {std::pair{&yes, &no}, std::pair{&no, &yes}}) {
      auto exit = dyn_cast<lane::ExitOp>(exits->front().front());
      if (exit && isOnlyEnd(*stays) && cpu::constructAt(exit, exit.getDepth()) == loop)
        return test;
    }
  }
  return {};
}

/// Returns whether only the test leaves the loop, and every iteration runs to its end.
static bool leavesByTest(lane::LoopOp loop, lane::IfOp test) {
  return !loop.walk([&](Operation *op) {
                Operation *target = nullptr;
                if (auto exit = dyn_cast<lane::ExitOp>(op))
                  target = cpu::constructAt(op, exit.getDepth());
                else if (auto next = dyn_cast<lane::ContinueOp>(op))
                  target = cpu::constructAt(op, next.getDepth());
                bool inside = !target || loop->isProperAncestor(target);
                bool plain = inside || test->isAncestor(op);
                return plain ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

namespace {
/// Unrolls a loop completely. If a condition turns out not to be constant, or there are too many
/// iterations, undoes everything.
class Unroller {
public:
  Unroller(lane::LoopOp loop, lane::IfOp test) : loop(loop), test(test), builder(loop) {
    for (Operation &op : loop->getBlock()->getOperations()) {
      if (&op == loop)
        break;
      known.pass(&op);
    }
  }

  bool run() {
    for (unsigned turn = 0; turn <= mostTurns && made.size() <= mostOperations; ++turn) {
      IRMapping map;
      for (Region *region : {&loop.getBody(), &loop.getContinuing()})
        for (Operation &op : region->front()) {
          if (&op == test) {
            APInt condition;
            if (!matchPattern(map.lookupOrDefault(test.getCondition()), m_ConstantInt(&condition)))
              return undo();
            bool leaves =
                isOnlyEnd(condition.isZero() ? test.getThenRegion() : test.getElseRegion());
            if (leaves) {
              loop.erase();
              return true;
            }
            continue;
          }
          if (!isa<lane::EndOp>(op))
            copy(op, map);
        }
    }
    return undo();
  }

private:
  bool undo() {
    for (Operation *op : llvm::reverse(made))
      op->erase();
    return false;
  }

  void copy(Operation &op, IRMapping &map) {
    if (auto get = dyn_cast<lane::GetOp>(op))
      if (Value value = known.values.lookup(get.getSlot()))
        return map.map(get.getValue(), value);
    Operation *copied = builder.clone(op, map);
    SmallVector<Value> folded;
    SmallVector<Operation *> constants;
    if (copied->getNumResults() == 1 && succeeded(builder.tryFold(copied, folded, &constants)) &&
        !folded.empty()) {
      llvm::append_range(made, constants);
      map.map(op.getResult(0), folded.front());
      copied->erase();
      return;
    }
    made.push_back(copied);
    known.pass(copied);
  }

  lane::LoopOp loop;
  lane::IfOp test;
  OpBuilder builder;
  KnownVariables known;
  SmallVector<Operation *> made;
};
} // namespace

static bool holdsProducts(Operation *op) {
  return op->walk([](lane::MatrixProductOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Unrolls inner loops first, and then outer ones, which are longer by then.
static void unrollLoops(func::FuncOp function) {
  SmallVector<lane::LoopOp> loops;
  function.walk([&](lane::LoopOp loop) { loops.push_back(loop); });
  for (lane::LoopOp loop : loops) {
    // Also unrolls loops without products, because such loops fill and read arrays of fragments.
    lane::IfOp test = testOf(loop);
    if (test && leavesByTest(loop, test))
      Unroller(loop, test).run();
  }
}

//===-------------------------------------------------------------------------===//
// Arrays and variables that become values
//===-------------------------------------------------------------------------===//

static std::optional<uint64_t> elementOf(Operation *access, lane::ArrayOp array) {
  APInt index;
  if (!isa<lane::ArrayGetOp, lane::ArraySetOp>(access) ||
      !matchPattern(access->getOperand(1), m_ConstantInt(&index)) || index.uge(array.getCount()))
    return std::nullopt;
  return index.getZExtValue();
}

/// Replaces an array by variables, if all its indices are constant. The variables are zero at
/// first, like the array.
static void splitArray(lane::ArrayOp array) {
  for (Operation *user : array->getUsers())
    if (!elementOf(user, array))
      return;
  OpBuilder b(array);
  SmallVector<Value> slots;
  Value zero = arith::ConstantOp::create(b, array.getLoc(), b.getZeroAttr(array.getType()));
  for (uint64_t i = 0; i < array.getCount(); ++i) {
    slots.push_back(
        lane::VarOp::create(b, array.getLoc(), array.getArray().getType(), array.getType()));
    lane::SetOp::create(b, array.getLoc(), slots.back(), zero);
  }
  for (Operation *user : llvm::make_early_inc_range(array->getUsers())) {
    b.setInsertionPoint(user);
    Value slot = slots[*elementOf(user, array)];
    if (auto get = dyn_cast<lane::ArrayGetOp>(user))
      get.getValue().replaceAllUsesWith(
          lane::GetOp::create(b, get.getLoc(), get.getValue().getType(), slot));
    else
      lane::SetOp::create(b, user->getLoc(), slot, user->getOperand(2));
    user->erase();
  }
  array.erase();
}

/// Replaces reads of variables by the values that were set earlier, in this block or an enclosing
/// one. Removes sets that are overwritten before any read.
static void forwardSets(Block &block, KnownVariables known) {
  llvm::DenseMap<Value, Operation *> unread;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto get = dyn_cast<lane::GetOp>(op)) {
      if (Value value = known.values.lookup(get.getSlot())) {
        get.getValue().replaceAllUsesWith(value);
        get.erase();
        continue;
      }
      unread.erase(get.getSlot());
    }
    if (isa<lane::LoopOp, lane::SwitchOp>(op)) // another iteration or case may have run
      known.forgetWhatChanges(&op);
    for (Region &region : op.getRegions())
      forwardSets(region.front(), known);
    if (op.getNumRegions())
      unread.clear();
    known.pass(&op);
    if (auto set = dyn_cast<lane::SetOp>(op)) {
      Operation *&last = unread[set.getSlot()];
      if (last)
        last->erase();
      last = set;
    }
  }
}

void UnrollMatrixLoops::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!holdsProducts(function) || !function.getBody().hasOneBlock())
    return;
  unrollLoops(function);
  for (auto array : llvm::make_early_inc_range(function.getBody().front().getOps<lane::ArrayOp>()))
    splitArray(array);
  forwardSets(function.getBody().front(), KnownVariables());
}
