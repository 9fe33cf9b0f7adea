//===- LoopMasks.cpp - masks and indices in a loop --------------------------===//
#include "compiler/lower/tile/LoopMasks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace pumice::lower::tiles {

using namespace mlir;
using arith::CmpIPredicate;

namespace {

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

} // namespace

std::optional<Span> LoopBounds::spanOfTurns(BlockArgument variable) const {
  auto owner = dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp());
  if (!owner || variable != owner.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = constantOf(owner.getLowerBound()),
                         end = constantOf(owner.getUpperBound()),
                         step = constantOf(owner.getStep());
  bool isDynamic = !first || !end;
  if (owner == loop && step && *step > 0 && !owner.getUnsignedCmp() &&
      (turns == Turns::Always || (turns == Turns::IfDynamic && isDynamic)))
    return Span{{}, 0, 0, 1};
  if (isDynamic || !step || *step <= 0 || *first >= *end)
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

std::optional<Bound> LoopBounds::boundOf(arith::CmpIOp compare) const {
  if (std::optional<Bound> bound = boundWithTurns(compare))
    return bound;
  return turns == Turns::Interval ? std::nullopt : LoopBounds(loop).boundOf(compare);
}

/// Returns the bound, with the loop's variable as `turns` selects.
std::optional<Bound> LoopBounds::boundWithTurns(arith::CmpIOp compare) const {
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

//===-------------------------------------------------------------------------===//
// Masks
//===-------------------------------------------------------------------------===//

/// Collects conditions that together make every element of the mask true. Returns false if they
/// cannot be determined.
bool LoopMasks::collect(Value mask, Conditions &conditions) {
  Operation *op = mask.getDefiningOp();
  if (!tile::isDistributed(mask.getType())) {
    conditions.scalars.push_back(mask);
    return isOutside(mask);
  }
  if (!op)
    return false;
  full.insert(mask);
  if (isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return collect(op->getOperand(0), conditions);
  if (isa<arith::AndIOp>(op))
    return collect(op->getOperand(0), conditions) && collect(op->getOperand(1), conditions);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  std::optional<Bound> bound = compare ? boundOf(compare) : std::nullopt;
  if (bound)
    conditions.bounds.push_back(std::move(*bound));
  return bound.has_value();
}

llvm::MapVector<Value, LoopMasks::Conditions> LoopMasks::collectMasks(bool onlyBounds) {
  llvm::SetVector<Value> masks;
  loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getMask())
      masks.insert(load.getMask());
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getMask())
      masks.insert(store.getMask());
  });
  llvm::MapVector<Value, Conditions> collected;
  for (Value mask : masks) {
    Conditions conditions;
    llvm::SetVector<Value> known = full;
    if (collect(mask, conditions) && !(onlyBounds && !conditions.scalars.empty()))
      collected.insert({mask, std::move(conditions)});
    else
      full = std::move(known);
  }
  return collected;
}

void LoopMasks::removeMasks(Operation *copy, const IRMapping &map) const {
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

/// Returns whether a tensor is spread over several subgroups. Moving its elements then waits at
/// barriers. A conditional may contain barriers only if its condition is uniform.
static bool isOfSubgroups(Type type) {
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

} // namespace pumice::lower::tiles
