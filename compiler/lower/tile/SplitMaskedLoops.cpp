//===- SplitMaskedLoops.cpp - loops that are split where their masks end ----===//
//   before: scf.for %b = 0 to 1024 step 64 {
//             %i = range(0 to 64) + %b
//             %m = arith.cmpi slt, %i, %n
//             %v = tile.load from %x at %i mask %m
//             tile.store %v to %y at %i mask %m
//           }
//   after:  scf.for %b = 0 to (%n / 64 * 64) step 64 { the same without %m }
//           scf.for %b = (%n / 64 * 64) to min((%n + 63) / 64 * 64, 1024) step 64 { the same }
//
// Rows whose lengths are no powers of two end within a block. Their masks hold in most of the
// block's iterations, and in some they hold for no element. Scalars before the loop decide in
// which, since the indices grow with the loop's variable.
//
// The second loop ends where all masks are false from there on, if such an iteration changes
// nothing. If it adds a constant to a sum, one of them runs: zero more than once is zero once.
//
// Needs: nothing. Leaves: tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/LoopMasks.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/PipelinedFactors.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_SPLITMASKEDLOOPS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using arith::CmpIPredicate;

namespace {

/// Emits arithmetic on integers of 64 bits, and folds constants.
class Scalars {
public:
  Scalars(OpBuilder &b, Location loc) : b(loc, b) {}

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)).getResult();
  }
  Value truth(bool value) { return arith::ConstantOp::create(b, b.getBoolAttr(value)).getResult(); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value subtract(Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
  Value multiply(Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(x, number(factor));
  }
  Value divide(Value x, int64_t divisor) {
    return b.createOrFold<arith::DivSIOp>(x, number(divisor));
  }
  Value least(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
  Value greatest(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(x, y); }
  Value both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); }
  Value choose(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(condition, x, y);
  }
  Value isAtLeast(Value x, int64_t limit) {
    return b.createOrFold<arith::CmpIOp>(CmpIPredicate::sge, x, number(limit));
  }
  Value isAtMost(Value x, int64_t limit) {
    return b.createOrFold<arith::CmpIOp>(CmpIPredicate::sle, x, number(limit));
  }
  Value widen(Value x) {
    if (x.getType().isIndex())
      return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), x);
    return x.getType().isInteger(64) ? x : b.createOrFold<arith::ExtSIOp>(b.getI64Type(), x);
  }
  Value narrow(Value x, Type type) {
    if (type.isIndex())
      return b.createOrFold<arith::IndexCastOp>(type, x);
    return type.isInteger(64) ? x : b.createOrFold<arith::TruncIOp>(type, x);
  }

private:
  ImplicitLocOpBuilder b;
};

/// Returns whether a bound ends at an iteration: it holds up to that one, and in none after it.
bool hasEnd(const Bound &bound) {
  return bound.index.turns > 0 && bound.limit.turns == 0 &&
         (bound.predicate == CmpIPredicate::slt || bound.predicate == CmpIPredicate::sle);
}

bool areEqual(Value x, Value y) {
  IntegerAttr number, other;
  return x == y || (matchPattern(x, m_Constant(&number)) && matchPattern(y, m_Constant(&other)) &&
                    number == other);
}

class SplitLoop : LoopMasks {
public:
  explicit SplitLoop(scf::ForOp loop) : LoopMasks(loop, Turns::Always), w(b, loop.getLoc()) {}

  void run();

private:
  enum class Idle { Changes, Repeats, Nothing };

  Value sumOf(const Span &span, int64_t offset);
  Value limitFits(const Bound &bound);
  Value iterationsOf(const Bound &bound, int64_t indexOffset);
  Value fullIterations(const llvm::MapVector<Value, Conditions> &masks);
  Idle idleIteration(const llvm::MapVector<Value, Conditions> &masks);
  Value usefulIterations(const llvm::MapVector<Value, Conditions> &masks);
  Value variableAfter(Value iterations);

  Scalars w;
  int64_t step = 0;
  Value first, trips; // the loop's first index, and the number of iterations
};

Value SplitLoop::sumOf(const Span &span, int64_t offset) {
  Value sum = w.number(offset);
  for (Value term : span.terms)
    sum = w.add(w.widen(term), sum);
  return sum;
}

/// Returns whether the sum that is the limit of a bound does not wrap.
Value SplitLoop::limitFits(const Bound &bound) {
  if (bound.limit.terms.size() + (bound.limit.low != 0) <= 1)
    return w.truth(true);
  Value limit = sumOf(bound.limit, bound.limit.low);
  return w.both(w.isAtLeast(limit, std::numeric_limits<int32_t>::min()),
                w.isAtMost(limit, std::numeric_limits<int32_t>::max()));
}

/// Returns in how many iterations the index plus an offset satisfies a bound with an end. The
/// result is in [0, trips], provided that no index wraps.
Value SplitLoop::iterationsOf(const Bound &bound, int64_t indexOffset) {
  int64_t growth = bound.index.turns * step;
  int64_t strict = bound.predicate == CmpIPredicate::slt ? 1 : 0;
  Value index = w.add(sumOf(bound.index, indexOffset), w.multiply(first, bound.index.turns));
  Value room = w.subtract(sumOf(bound.limit, bound.limit.low - strict), index);
  Value count = w.divide(w.greatest(w.add(room, w.number(growth)), w.number(0)), growth);
  return w.least(count, trips);
}

/// Returns the number of iterations before the first one in which a mask may be false.
Value SplitLoop::fullIterations(const llvm::MapVector<Value, Conditions> &masks) {
  constexpr int64_t lowest = std::numeric_limits<int32_t>::min();
  Value count = trips, all = w.truth(true);
  for (auto &[mask, needed] : masks) {
    for (Value scalar : needed.scalars)
      all = w.both(all, scalar);
    for (const Bound &bound : needed.bounds) {
      if (!hasEnd(bound)) {
        all = w.both(all, holds(bound));
        continue;
      }
      // Indices that are below the limit do not exceed the type's range, but could be below it.
      count = w.least(count, iterationsOf(bound, bound.index.high));
      Value least =
          w.add(sumOf(bound.index, bound.index.low), w.multiply(first, bound.index.turns));
      all = w.both(all, w.isAtLeast(least, lowest));
      all = w.both(all, limitFits(bound));
    }
  }
  return w.choose(all, count, w.number(0));
}

/// Returns whether combining with a constant twice is the same as combining with it once.
static bool settles(Operation *op, Value constant) {
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(op))
    return true;
  if (isa<arith::AddFOp>(op))
    return matchPattern(constant, m_AnyZeroFloat());
  if (isa<arith::AddIOp, arith::XOrIOp>(op))
    return matchPattern(constant, m_Zero());
  return isa<arith::MulFOp>(op) && matchPattern(constant, m_OneFloat());
}

/// Returns what an iteration does in which all the masks are false.
SplitLoop::Idle SplitLoop::idleIteration(const llvm::MapVector<Value, Conditions> &masks) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && masks.contains(load.getMask()))
      continue;
    if (auto store = dyn_cast<tile::StoreOp>(op); store && masks.contains(store.getMask()))
      continue;
    if (!isMemoryEffectFree(&op) && !isa<tile::ArrayLoadOp>(op))
      return Idle::Changes;
  }
  Idle idle = Idle::Nothing;
  for (auto [yielded, own] : llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs())) {
    auto keeps = [&, argument = Value(own)](Value value) {
      auto select = value.getDefiningOp<arith::SelectOp>();
      return value == argument || (select && masks.contains(select.getCondition()) &&
                                   select.getFalseValue() == argument);
    };
    if (keeps(yielded))
      continue;
    Operation *op = yielded.getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return Idle::Changes;
    Value other = op->getOperand(op->getOperand(0) == own ? 1 : 0);
    auto select = other.getDefiningOp<arith::SelectOp>();
    bool isKnown = llvm::is_contained(op->getOperands(), own) && select &&
                   masks.contains(select.getCondition()) &&
                   matchPattern(select.getFalseValue(), m_Constant());
    if (!isKnown || !settles(op, select.getFalseValue()))
      return Idle::Changes;
    idle = Idle::Repeats;
  }
  return idle;
}

/// Returns the number of iterations before all masks are false. Returns the number of all
/// iterations if that cannot be determined.
Value SplitLoop::usefulIterations(const llvm::MapVector<Value, Conditions> &masks) {
  constexpr int64_t highest = std::numeric_limits<int32_t>::max();
  Value last =
      w.add(first, w.multiply(w.greatest(w.subtract(trips, w.number(1)), w.number(0)), step));
  Value count = w.number(0);
  for (auto &[mask, needed] : masks) {
    Value ends = trips;
    for (const Bound &bound : needed.bounds) {
      if (!hasEnd(bound))
        continue;
      Value most = w.add(sumOf(bound.index, bound.index.high), w.multiply(last, bound.index.turns));
      Value own = iterationsOf(bound, bound.index.low);
      ends =
          w.least(ends, w.choose(w.both(w.isAtMost(most, highest), limitFits(bound)), own, trips));
    }
    count = w.greatest(count, ends);
  }
  return count;
}

Value SplitLoop::variableAfter(Value iterations) {
  return w.narrow(w.add(first, w.multiply(iterations, step)), loop.getStep().getType());
}

void SplitLoop::run() {
  constexpr size_t mostBounds = 8;
  APInt steps;
  if (loop.getUnsignedCmp() || !matchPattern(loop.getStep(), m_ConstantInt(&steps)) ||
      steps.getSignificantBits() > 32 || !steps.isStrictlyPositive())
    return;
  llvm::MapVector<Value, Conditions> masks = collectMasks(/*onlyBounds=*/false);
  size_t bounds = 0;
  for (auto &[mask, needed] : masks)
    bounds += needed.bounds.size() + needed.scalars.size();
  if (bounds == 0 || bounds > mostBounds)
    return;

  step = steps.getSExtValue();
  first = w.widen(loop.getLowerBound());
  Value length = w.greatest(w.subtract(w.widen(loop.getUpperBound()), first), w.number(0));
  trips = w.divide(w.add(length, w.number(step - 1)), step);
  Value full = fullIterations(masks);
  Idle idle = idleIteration(masks);
  if (idle != Idle::Changes) {
    Value useful = usefulIterations(masks);
    if (idle == Idle::Repeats)
      useful = w.least(w.add(useful, w.number(1)), trips);
    loop.setUpperBound(variableAfter(useful));
  }
  if (matchPattern(full, m_Zero()))
    return;
  Value middle = variableAfter(full);
  IRMapping map;
  auto sure = cast<scf::ForOp>(b.clone(*loop, map));
  sure.setUpperBound(middle);
  removeMasks(sure, map);
  if (areEqual(full, trips)) {
    loop.replaceAllUsesWith(sure.getResults());
    loop.erase();
    return;
  }
  loop.setLowerBound(middle);
  loop.getInitArgsMutable().assign(sure.getResults());
}

struct SplitMaskedLoops final : tiles::impl::SplitMaskedLoopsBase<SplitMaskedLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      bool isInnermost = !loop.getBody()
                              ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                              .wasInterrupted();
      if (isInnermost && !pipeline::isProductLoop(loop) && mayBeTwice(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      SplitLoop(loop).run();
  }
};

} // namespace
