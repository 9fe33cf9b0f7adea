//===- TakeFullBlocks.cpp - loops without masks for full blocks -------------===//
//   before: scf.for %b = 0 to 1024 step 64 {
//             %i = range(0 to 64) + %b
//             %m = arith.cmpi slt, %i, %n
//             %v = tile.load from %x at %i mask %m
//           }
//   after:  %full = arith.cmpi slt, 1023, %n
//           scf.if %full { the loop, with %v = tile.load from %x at %i } else { the loop }
//
// Each access tests its mask for each block, although in most programs the mask holds for the whole
// tensor. Scalars are enough to decide this (LoopMasks.h).
//
// Checked kernels test for each access whether its place is inside memory (tile.inside). A
// condition before the loop tests this for all places at once, or for those that the kernel's own
// mask allows.
//
// Needs: nothing. Leaves: tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/LoopMasks.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/PipelinedFactors.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_TAKEFULLBLOCKS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using arith::CmpIPredicate;

namespace {

/// Emits a conditional with a loop in both branches. If the condition holds, a copy runs, which is
/// returned. If not, the original runs.
scf::ForOp choose(scf::ForOp loop, Value condition, IRMapping &map) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto choice =
      scf::IfOp::create(b, loc, loop.getResultTypes(), condition, /*withElseRegion=*/true);
  for (Block *block : {choice.thenBlock(), choice.elseBlock()})
    if (!block->empty())
      block->getTerminator()->erase();
  OpBuilder then = OpBuilder::atBlockBegin(choice.thenBlock());
  auto copy = cast<scf::ForOp>(then.clone(*loop, map));
  scf::YieldOp::create(then, loc, copy->getResults());
  loop.replaceAllUsesWith(choice.getResults());
  loop->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
  OpBuilder otherwise = OpBuilder::atBlockEnd(choice.elseBlock());
  scf::YieldOp::create(otherwise, loc, loop.getResults());
  return copy;
}

/// Removes masks of a loop if scalars prove that they hold.
class FullBlocks : LoopMasks {
public:
  using LoopMasks::LoopMasks;

  /// Emits the loop twice, if that removes a mask from the copy. With `mayWait`, the loop may
  /// contain barriers, so the condition must be the same in all lanes.
  void run(bool mayWait = false);
};

void FullBlocks::run(bool mayWait) {
  constexpr size_t mostBounds = 8;
  llvm::MapVector<Value, Conditions> masks = collectMasks(/*onlyBounds=*/mayWait);
  SmallVector<Bound> bounds;
  SmallVector<Value> conditions;
  for (auto &[mask, needed] : masks) {
    bounds.append(needed.bounds);
    conditions.append(needed.scalars);
  }
  if (masks.empty() || bounds.size() + conditions.size() > mostBounds)
    return;
  Location loc = loop.getLoc();
  for (const Bound &bound : bounds)
    conditions.push_back(holds(bound));
  Value all;
  for (Value condition : conditions)
    all = all ? arith::AndIOp::create(b, loc, all, condition).getResult() : condition;
  if (!all) // all masks are constants
    return;
  IRMapping map;
  scf::ForOp copy = choose(loop, all, map);
  removeMasks(copy, map);
}

/// Removes checks of accesses from a checked kernel's loop if all their elements are inside memory.
class SureChecks : LoopBounds {
public:
  using LoopBounds::LoopBounds;

  /// Emits the loop twice, if that removes a check from the copy. Returns the loop with fewer
  /// checks.
  scf::ForOp run();

private:
  Value conditionOf(arith::AndIOp inside);
  bool keptBy(Value mask, const Bound &bound, Value index, Value &condition);
  static void remove(arith::AndIOp inside);
};

//===-------------------------------------------------------------------------===//
// Checks that scalars prove to hold
//===-------------------------------------------------------------------------===//

static Value falseOf(OpBuilder &b, Value tensor) {
  return arith::ConstantOp::create(
      b, tensor.getLoc(),
      DenseElementsAttr::get(cast<RankedTensorType>(tensor.getType()), b.getBoolAttr(false)));
}

/// Returns whether an operation inverts a truth value.
static bool isInversion(Operation *op) {
  auto inverse = dyn_cast<arith::XOrIOp>(op);
  if (!inverse)
    return false;
  Value other = inverse.getRhs();
  if (auto splat = other.getDefiningOp<tile::SplatOp>())
    other = splat.getValue();
  return matchPattern(other, m_One());
}

static Value otherOperand(Operation *op, Value one) {
  return op->getOperand(op->getOperand(0) == one ? 1 : 0);
}

/// Returns whether a mask keeps the index within the bound, provided that a further condition
/// holds. Adds that condition to `condition`.
bool SureChecks::keptBy(Value mask, const Bound &bound, Value index, Value &condition) {
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op))
    return keptBy(op->getOperand(0), bound, index, condition) ||
           keptBy(op->getOperand(1), bound, index, condition);
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || compare.getLhs() != index || compare.getPredicate() != CmpIPredicate::slt)
    return false;
  std::optional<Span> end = spanOf(compare.getRhs());
  if (!end || !end->isOne())
    return false;
  Value limit = number(bound.limit, bound.limit.low, bound),
        last = number(*end, end->low - 1, bound);
  Value kept = arith::CmpIOp::create(b, bound.loc, CmpIPredicate::sle, last, limit);
  condition = condition ? arith::AndIOp::create(b, bound.loc, condition, kept).getResult() : kept;
  return true;
}

/// Returns the condition under which all places of an access are inside memory. Returns null if it
/// cannot be determined.
Value SureChecks::conditionOf(arith::AndIOp inside) {
  auto low = inside.getLhs().getDefiningOp<arith::CmpIOp>();
  auto high = inside.getRhs().getDefiningOp<arith::CmpIOp>();
  if (!low || !high || low.getPredicate() != CmpIPredicate::sge ||
      high.getPredicate() != CmpIPredicate::sle)
    return {};
  std::optional<Bound> first = boundOf(low), last = boundOf(high);
  if (!first || !last)
    return {};
  SmallVector<Value> masks;
  bool hasMasks = true;
  auto addMask = [&](Operation *user, Value operand) {
    if (isa<arith::AndIOp>(user))
      masks.push_back(otherOperand(user, operand));
    else
      hasMasks = false;
  };
  for (Operation *user : inside->getUsers()) {
    if (!isInversion(user)) {
      addMask(user, inside);
      continue;
    }
    for (Operation *next : user->getUsers())
      addMask(next, user->getResult(0));
  }
  Value below = holds(*last), byMasks;
  for (Value mask : masks)
    hasMasks = hasMasks && keptBy(mask, *last, high.getLhs(), byMasks);
  if (hasMasks && byMasks)
    below = arith::OrIOp::create(b, inside.getLoc(), below, byMasks);
  return arith::AndIOp::create(b, inside.getLoc(), holds(*first), below);
}

/// Removes a check that always holds: its users behave as if it were true.
void SureChecks::remove(arith::AndIOp inside) {
  OpBuilder here(inside);
  for (Operation *user : llvm::make_early_inc_range(inside->getUsers())) {
    if (isInversion(user)) {
      for (Operation *next : llvm::make_early_inc_range(user->getUsers()))
        if (isa<arith::AndIOp>(next))
          next->getResult(0).replaceAllUsesWith(falseOf(here, next->getResult(0)));
      user->getResult(0).replaceAllUsesWith(falseOf(here, user->getResult(0)));
    } else if (isa<arith::AndIOp>(user)) {
      user->getResult(0).replaceAllUsesWith(otherOperand(user, inside));
    } else if (auto load = dyn_cast<tile::LoadOp>(user)) {
      load.getMaskMutable().clear();
      load.getOtherMutable().clear();
    } else if (auto store = dyn_cast<tile::StoreOp>(user)) {
      store.getMaskMutable().clear();
    }
  }
}

scf::ForOp SureChecks::run() {
  SmallVector<arith::AndIOp> sure;
  Value all;
  loop.walk([&](arith::AndIOp inside) {
    if (!inside->hasAttr(tile::insideAttrName))
      return;
    Value condition = conditionOf(inside);
    if (!condition)
      return;
    sure.push_back(inside);
    all = all ? arith::AndIOp::create(b, inside.getLoc(), all, condition).getResult() : condition;
  });
  if (!all)
    return loop;
  IRMapping map;
  scf::ForOp copy = choose(loop, all, map);
  for (arith::AndIOp inside : sure)
    remove(cast<arith::AndIOp>(map.lookup(inside.getOperation())));
  copy.walk([](tile::AnyHeldOp op) {
    if (matchPattern(op.getTensor(), m_Zero())) {
      OpBuilder here(op);
      op.getResult().replaceAllUsesWith(
          arith::ConstantOp::create(here, op.getLoc(), here.getBoolAttr(false)).getResult());
    }
  });
  return copy;
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

struct TakeFullBlocks final : tiles::impl::TakeFullBlocksBase<TakeFullBlocks> {
  using TakeFullBlocksBase::TakeFullBlocksBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops, products;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (pipeline::isProductLoop(loop)) {
        products.push_back(loop);
        return WalkResult::skip();
      }
      if (!mayBeTwice(loop))
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForOp loop : loops) {
      scf::ForOp sure = SureChecks(loop).run();
      if (!onlyChecks)
        FullBlocks(sure).run();
    }
    for (scf::ForOp loop : products)
      FullBlocks(loop, Turns::IfDynamic).run(/*mayWait=*/true);
    getOperation().walk([](arith::AndIOp op) { op->removeAttr(tile::insideAttrName); });
  }
};

} // namespace
