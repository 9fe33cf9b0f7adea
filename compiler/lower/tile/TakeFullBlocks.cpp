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
// tensor. Scalars are enough to decide this. The indices of a loop with constant bounds are an
// interval plus terms that are the same in all iterations.
//
// Checked kernels test for each access whether its place is inside memory (tile.inside). A
// condition before the loop tests this for all places at once, or for those that the kernel's own
// mask allows.
//
// Needs: nothing. Leaves: tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/PipelinedFactors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

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

/// The range of an index over all elements and iterations. The index is the sum of `terms`, which
/// the loop does not change, and a number in an interval. If the bounds of the loop are not
/// constant, its variable is added `turns` times. Integers wrap in their type.
struct Span {
  SmallVector<Value> terms;
  int64_t low = 0, high = 0, turns = 0;

  bool isOne() const { return low == high; }
};

/// All bounds are below this. It is far from the limits of 64 bits, so sums of bounds do not
/// overflow.
constexpr int64_t farthest = int64_t(1) << 40;

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getSignificantBits() > 40)
    return std::nullopt;
  return number.getSExtValue();
}

std::optional<Span> sum(std::optional<Span> a, std::optional<Span> b) {
  if (!a || !b)
    return std::nullopt;
  a->terms.append(b->terms);
  a->low += b->low;
  a->high += b->high;
  a->turns += b->turns;
  if (a->low < -farthest || a->high > farthest)
    return std::nullopt;
  return a;
}

/// Returns the span of the product with a constant.
std::optional<Span> product(std::optional<Span> a, int64_t factor) {
  constexpr int64_t most = 1 << 16;
  if (!a || !a->terms.empty() || std::abs(factor) > most || std::abs(a->low) > most ||
      std::abs(a->high) > most || std::abs(a->turns) > most)
    return std::nullopt;
  a->low *= factor;
  a->high *= factor;
  a->turns *= factor;
  if (factor < 0)
    std::swap(a->low, a->high);
  return a;
}

/// Returns the predicate that holds for swapped operands.
CmpIPredicate swapped(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::sle:
    return CmpIPredicate::sge;
  case CmpIPredicate::sgt:
    return CmpIPredicate::slt;
  case CmpIPredicate::sge:
    return CmpIPredicate::sle;
  case CmpIPredicate::ult:
    return CmpIPredicate::ugt;
  case CmpIPredicate::ule:
    return CmpIPredicate::uge;
  case CmpIPredicate::ugt:
    return CmpIPredicate::ult;
  case CmpIPredicate::uge:
    return CmpIPredicate::ule;
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    return predicate;
  }
}

/// A comparison of indices with a limit, which is a scalar.
struct Bound {
  Span index, limit;
  CmpIPredicate predicate;
  Type type;
  Location loc;
};

/// Computes bounds of the indices in one loop.
class LoopBounds {
public:
  explicit LoopBounds(scf::ForOp loop, bool takesTurns = false)
      : loop(loop), b(loop), takesTurns(takesTurns) {}

protected:
  bool isOutside(Value value) const {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  std::optional<Span> spanOf(Value value) const;
  std::optional<Span> spanOfTurns(BlockArgument variable) const;
  std::optional<Bound> boundOf(arith::CmpIOp compare) const;
  Value number(const Span &span, int64_t offset, const Bound &bound);
  Value holds(const Bound &bound);
  Value holdsInAllTurns(const Bound &bound);
  /// Emits a conditional with the loop in both branches. If the condition holds, a copy runs, which
  /// is returned. If not, the original runs.
  scf::ForOp choose(Value condition, IRMapping &map);

  scf::ForOp loop;
  OpBuilder b;
  bool takesTurns; // whether bounds may depend on the number of iterations
};

/// Removes masks of a loop if scalars prove that they hold.
class FullBlocks : LoopBounds {
public:
  using LoopBounds::LoopBounds;

  /// Emits the loop twice, if that removes a mask from the copy. With `mayWait`, the loop may
  /// contain barriers, so the condition must be the same in all lanes.
  void run(bool mayWait = false);

private:
  bool collect(Value mask, SmallVectorImpl<Bound> &bounds, SmallVectorImpl<Value> &conditions);
  void removeMasks(Operation *copy, const IRMapping &map);

  llvm::SetVector<Value> full; // masks, and their operands
};

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

std::optional<Span> LoopBounds::spanOfTurns(BlockArgument variable) const {
  auto owner = dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp());
  if (!owner || variable != owner.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = constantOf(owner.getLowerBound()),
                         end = constantOf(owner.getUpperBound()),
                         step = constantOf(owner.getStep());
  if (takesTurns && owner == loop && step && *step > 0 && !owner.getUnsignedCmp() &&
      (!first || !end))
    return Span{{}, 0, 0, 1};
  if (!first || !end || !step || *step <= 0 || *first >= *end)
    return std::nullopt;
  return Span{{}, *first, *first + (*end - 1 - *first) / *step * *step};
}

std::optional<Span> LoopBounds::spanOf(Value value) const {
  if (std::optional<int64_t> number = constantOf(value))
    return Span{{}, *number, *number};
  if (!tile::isDistributed(value.getType())) {
    if (isOutside(value))
      return Span{{value}};
    if (auto variable = dyn_cast<BlockArgument>(value))
      return spanOfTurns(variable);
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return Span{
        {}, static_cast<int32_t>(range.getStart()), static_cast<int32_t>(range.getEnd()) - 1};
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return spanOf(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return sum(spanOf(op->getOperand(0)), spanOf(op->getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return sum(spanOf(op->getOperand(0)), product(spanOf(op->getOperand(1)), -1));
  if (isa<arith::MulIOp>(op))
    for (unsigned constant : {0u, 1u})
      if (std::optional<int64_t> factor = constantOf(op->getOperand(constant)))
        return product(spanOf(op->getOperand(1 - constant)), *factor);
  return std::nullopt;
}

/// Collects conditions that together make every element of the mask true. Returns false if they
/// cannot be determined.
bool FullBlocks::collect(Value mask, SmallVectorImpl<Bound> &bounds,
                         SmallVectorImpl<Value> &conditions) {
  Operation *op = mask.getDefiningOp();
  if (!tile::isDistributed(mask.getType())) {
    conditions.push_back(mask);
    return isOutside(mask);
  }
  if (!op)
    return false;
  full.insert(mask);
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return collect(op->getOperand(0), bounds, conditions);
  if (isa<arith::AndIOp>(op))
    return collect(op->getOperand(0), bounds, conditions) &&
           collect(op->getOperand(1), bounds, conditions);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  std::optional<Bound> bound = compare ? boundOf(compare) : std::nullopt;
  if (bound)
    bounds.push_back(std::move(*bound));
  return bound.has_value();
}

std::optional<Bound> LoopBounds::boundOf(arith::CmpIOp compare) const {
  if (compare.getPredicate() == CmpIPredicate::eq || compare.getPredicate() == CmpIPredicate::ne)
    return std::nullopt;
  std::optional<Span> left = spanOf(compare.getLhs()), right = spanOf(compare.getRhs());
  if (!left || !right || (!left->isOne() && !right->isOne()))
    return std::nullopt;
  CmpIPredicate predicate = compare.getPredicate();
  if (!right->isOne()) {
    std::swap(left, right);
    predicate = swapped(predicate);
  }
  Type type = getElementTypeOrSelf(compare.getLhs().getType());
  // An interval longer than half the type's range could wrap unnoticed, since its last index could
  // again be greater than its first.
  uint64_t length = static_cast<uint64_t>(left->high) - static_cast<uint64_t>(left->low);
  if (length >> (type.getIntOrFloatBitWidth() - 1))
    return std::nullopt;
  bool isSigned = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
                  predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  if ((left->turns || right->turns) && (!isSigned || !type.isInteger(32)))
    return std::nullopt;
  return Bound{std::move(*left), std::move(*right), predicate, type, compare.getLoc()};
}

/// Returns the sum of the span's terms and `offset`, wrapped to the type.
Value LoopBounds::number(const Span &span, int64_t offset, const Bound &bound) {
  Value sum;
  for (Value term : span.terms)
    sum = sum ? arith::AddIOp::create(b, bound.loc, sum, term).getResult() : term;
  if (sum && offset == 0)
    return sum;
  unsigned bits = bound.type.getIntOrFloatBitWidth();
  Value constant = arith::ConstantOp::create(
      b, bound.loc,
      b.getIntegerAttr(bound.type, APInt(64, static_cast<uint64_t>(offset), true).trunc(bits)));
  return sum ? arith::AddIOp::create(b, bound.loc, sum, constant).getResult() : constant;
}

/// Returns the condition that all indices satisfy the bound. The index nearest to the limit must
/// satisfy it, and no index between the first and the last may wrap.
Value LoopBounds::holds(const Bound &bound) {
  if (bound.index.turns || bound.limit.turns)
    return holdsInAllTurns(bound);
  bool isUnsigned = bound.predicate == CmpIPredicate::ult ||
                    bound.predicate == CmpIPredicate::ule ||
                    bound.predicate == CmpIPredicate::ugt || bound.predicate == CmpIPredicate::uge;
  bool isBelow = bound.predicate == CmpIPredicate::ult || bound.predicate == CmpIPredicate::ule ||
                 bound.predicate == CmpIPredicate::slt || bound.predicate == CmpIPredicate::sle;
  Value first = number(bound.index, bound.index.low, bound),
        last = number(bound.index, bound.index.high, bound),
        limit = number(bound.limit, bound.limit.low, bound);
  Value kept = arith::CmpIOp::create(b, bound.loc, bound.predicate, isBelow ? last : first, limit);
  Value ordered = arith::CmpIOp::create(
      b, bound.loc, isUnsigned ? CmpIPredicate::ule : CmpIPredicate::sle, first, last);
  return arith::AndIOp::create(b, bound.loc, kept, ordered);
}

/// Returns the condition that all indices satisfy a bound that changes with the loop's variable.
/// Sums are linear in the variable, so the first and the last iteration decide. They are computed
/// in 64 bits, and must fit the type.
Value LoopBounds::holdsInAllTurns(const Bound &bound) {
  ImplicitLocOpBuilder w(bound.loc, b);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(w, w.getI64IntegerAttr(value));
  };
  auto widen = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(w, w.getI64Type(), value);
    return value.getType().isInteger(64) ? value
                                         : Value(arith::ExtSIOp::create(w, w.getI64Type(), value));
  };
  Value first = widen(loop.getLowerBound()), step = widen(loop.getStep());
  Value length = arith::SubIOp::create(w, widen(loop.getUpperBound()), first);
  length = arith::MaxSIOp::create(w, arith::SubIOp::create(w, length, constant(1)), constant(0));
  length = arith::MulIOp::create(w, arith::DivSIOp::create(w, length, step), step);
  auto sumOf = [&](const Span &span, int64_t offset, Value turn) {
    Value sum = arith::MulIOp::create(w, turn, constant(span.turns));
    for (Value term : span.terms)
      sum = arith::AddIOp::create(w, sum, widen(term));
    return arith::AddIOp::create(w, sum, constant(offset)).getResult();
  };
  Value all;
  auto require = [&](CmpIPredicate predicate, Value left, Value right) {
    Value here = arith::CmpIOp::create(w, predicate, left, right);
    all = all ? Value(arith::AndIOp::create(w, all, here)) : here;
  };
  bool isBelow = bound.predicate == CmpIPredicate::slt || bound.predicate == CmpIPredicate::sle;
  for (Value turn : {first, Value(arith::AddIOp::create(w, first, length))}) {
    Value low = sumOf(bound.index, bound.index.low, turn),
          high = sumOf(bound.index, bound.index.high, turn),
          limit = sumOf(bound.limit, bound.limit.low, turn);
    require(bound.predicate, isBelow ? high : low, limit);
    for (Value value : {low, high, limit}) {
      require(CmpIPredicate::sge, value, constant(std::numeric_limits<int32_t>::min()));
      require(CmpIPredicate::sle, value, constant(std::numeric_limits<int32_t>::max()));
    }
  }
  return all;
}

/// Removes masks whose elements are all true.
void FullBlocks::removeMasks(Operation *copy, const IRMapping &map) {
  llvm::DenseSet<Value> masks;
  for (Value mask : full)
    masks.insert(map.lookupOrDefault(mask));
  copy->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && masks.contains(load.getMask())) {
      load.getMaskMutable().clear();
      load.getOtherMutable().clear();
    } else if (auto store = dyn_cast<tile::StoreOp>(op); store && masks.contains(store.getMask())) {
      store.getMaskMutable().clear();
    } else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && masks.contains(select.getCondition())) {
      select.getResult().replaceAllUsesWith(select.getTrueValue());
    }
  });
}

void FullBlocks::run(bool mayWait) {
  constexpr size_t mostBounds = 8;
  llvm::SetVector<Value> masks;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getMask())
      masks.insert(load.getMask());
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getMask())
      masks.insert(store.getMask());
  });
  SmallVector<Bound> bounds;
  SmallVector<Value> conditions;
  for (Value mask : masks) {
    SmallVector<Bound> more;
    SmallVector<Value> moreConditions;
    llvm::SetVector<Value> known = full;
    if (!collect(mask, more, moreConditions) || (mayWait && !moreConditions.empty())) {
      full = std::move(known);
      continue;
    }
    bounds.append(more);
    conditions.append(moreConditions);
  }
  if (full.empty() || bounds.size() + conditions.size() > mostBounds)
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
  scf::ForOp copy = choose(all, map);
  removeMasks(copy, map);
}

scf::ForOp LoopBounds::choose(Value condition, IRMapping &map) {
  Location loc = loop.getLoc();
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
  scf::ForOp copy = choose(all, map);
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

/// Returns whether a tensor is spread over several subgroups. Moving its elements then waits at
/// barriers. A conditional may contain barriers only if its condition is uniform.
bool isOfSubgroups(Type type) {
  return tile::isDistributed(type) && tile::layoutOf(type).input(tile::subgroupSpace).bits != 0;
}

/// Returns whether a loop is small enough to be emitted twice, and contains nothing that waits for
/// other lanes.
bool mayBeTwice(scf::ForOp loop) {
  constexpr unsigned mostOperations = 256;
  unsigned count = 0;
  WalkResult walked = loop.walk([&](Operation *op) {
    if (++count > mostOperations || isa<gpu::BarrierOp, tile::DotOp>(op))
      return WalkResult::interrupt();
    bool stays = op->hasTrait<OpTrait::Elementwise>() ||
                 isa<tile::LoadOp, tile::StoreOp, tile::RangeOp, tile::SplatOp, tile::ExpandDimsOp,
                     tile::BroadcastOp, tile::TransOp, tile::ArrayLoadOp, tile::ArrayStoreOp,
                     tile::AnyHeldOp>(op) ||
                 !isa<tile::TileDialect>(op->getDialect());
    bool spread = llvm::any_of(op->getOperandTypes(), isOfSubgroups) ||
                  llvm::any_of(op->getResultTypes(), isOfSubgroups);
    return stays || !spread ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

struct TakeFullBlocks final : tiles::impl::TakeFullBlocksBase<TakeFullBlocks> {
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
    for (scf::ForOp loop : loops)
      FullBlocks(SureChecks(loop).run()).run();
    for (scf::ForOp loop : products)
      FullBlocks(loop, /*takesTurns=*/true).run(/*mayWait=*/true);
    getOperation().walk([](arith::AndIOp op) { op->removeAttr(tile::insideAttrName); });
  }
};

} // namespace
