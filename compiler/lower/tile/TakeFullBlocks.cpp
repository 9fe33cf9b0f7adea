//===- TakeFullBlocks.cpp - loops without masks, where they would hold -------===//
//   before: scf.for %b = 0 to 1024 step 64 {
//             %i = range(0 to 64) + %b
//             %m = arith.cmpi slt, %i, %n
//             %v = tile.load from %x at %i mask %m
//           }
//   after:  %full = arith.cmpi slt, 1023, %n
//           scf.if %full { the loop, with %v = tile.load from %x at %i } else { the loop }
// Masks are asked for each block of each access; of most programs they hold for all of the tensor.
// Whether they do is a question to numbers alone: the indices of a loop with constant bounds are an
// interval on top of what is the same for all of its turns.
// Needs: nothing. Leaves: tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
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

/// All elements, in all turns: `terms`, which the loop does not change, and a number of an
/// interval. As the integers of their type wrap.
struct Span {
  SmallVector<Value> terms;
  int64_t low = 0, high = 0;

  bool isOne() const { return low == high; }
};

/// Far from where 64 bits overflow, whatever is added to it.
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
  if (a->low < -farthest || a->high > farthest)
    return std::nullopt;
  return a;
}

/// The predicate of the same comparison with its operands in the other order.
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

/// The masks of one loop that numbers tell about.
class FullBlocks {
public:
  explicit FullBlocks(scf::ForOp loop) : loop(loop), b(loop) {}

  /// Writes the loop twice, if that saves it a mask.
  void run();

private:
  struct Bound {
    Span index, limit;
    CmpIPredicate predicate;
    Type type;
    Location loc;
  };

  bool isOutside(Value value) const {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  std::optional<Span> spanOf(Value value) const;
  std::optional<Span> spanOfTurns(BlockArgument variable) const;
  bool collect(Value mask, SmallVectorImpl<Bound> &bounds, SmallVectorImpl<Value> &conditions);
  Value number(const Span &span, int64_t offset, const Bound &bound);
  Value holds(const Bound &bound);
  void removeMasks(Operation *copy, const IRMapping &map);

  scf::ForOp loop;
  OpBuilder b;
  llvm::SetVector<Value> full; // masks, and what they are made of
};

std::optional<Span> FullBlocks::spanOfTurns(BlockArgument variable) const {
  auto owner = dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp());
  if (!owner || variable != owner.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = constantOf(owner.getLowerBound()),
                         end = constantOf(owner.getUpperBound()),
                         step = constantOf(owner.getStep());
  if (!first || !end || !step || *step <= 0 || *first >= *end)
    return std::nullopt;
  return Span{{}, *first, *first + (*end - 1 - *first) / *step * *step};
}

std::optional<Span> FullBlocks::spanOf(Value value) const {
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
  return std::nullopt;
}

/// What must hold so that every element of the mask does; false: nobody knows.
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
  if (!compare || compare.getPredicate() == CmpIPredicate::eq ||
      compare.getPredicate() == CmpIPredicate::ne)
    return false;
  std::optional<Span> left = spanOf(compare.getLhs()), right = spanOf(compare.getRhs());
  if (!left || !right || (!left->isOne() && !right->isOne()))
    return false;
  CmpIPredicate predicate = compare.getPredicate();
  if (!right->isOne()) {
    std::swap(left, right);
    predicate = swapped(predicate);
  }
  Type type = getElementTypeOrSelf(compare.getLhs().getType());
  // An interval as long as the type's numbers would come around behind its first one unseen.
  uint64_t length = static_cast<uint64_t>(left->high) - static_cast<uint64_t>(left->low);
  if (length >> (type.getIntOrFloatBitWidth() - 1))
    return false;
  bounds.push_back({std::move(*left), std::move(*right), predicate, type, op->getLoc()});
  return true;
}

/// The sum, as its type wraps.
Value FullBlocks::number(const Span &span, int64_t offset, const Bound &bound) {
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

/// The one index that is nearest to the limit keeps it; and none between the first and the last
/// wraps.
Value FullBlocks::holds(const Bound &bound) {
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

/// Where a mask's elements are all true, nothing asks it.
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

void FullBlocks::run() {
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
    if (!collect(mask, more, moreConditions)) {
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
  if (!all) // masks of constants
    return;
  auto choice = scf::IfOp::create(b, loc, loop.getResultTypes(), all, /*withElseRegion=*/true);
  for (Block *block : {choice.thenBlock(), choice.elseBlock()})
    if (!block->empty())
      block->getTerminator()->erase();
  OpBuilder then = OpBuilder::atBlockBegin(choice.thenBlock());
  IRMapping map;
  Operation *copy = then.clone(*loop, map);
  scf::YieldOp::create(then, loc, copy->getResults());
  removeMasks(copy, map);
  loop.replaceAllUsesWith(choice.getResults());
  loop->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
  OpBuilder otherwise = OpBuilder::atBlockEnd(choice.elseBlock());
  scf::YieldOp::create(otherwise, loc, loop.getResults());
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

/// Whether a tensor is spread over several subgroups: what moves then waits at barriers, which a
/// condition may hold only where it is known to be the same for all.
bool isOfSubgroups(Type type) {
  return tile::isDistributed(type) && tile::layoutOf(type).input(tile::subgroupSpace).bits != 0;
}

/// Small enough to be written twice, and free of what waits for other lanes.
bool mayBeTwice(scf::ForOp loop) {
  constexpr unsigned mostOperations = 256;
  unsigned count = 0;
  WalkResult walked = loop.walk([&](Operation *op) {
    if (++count > mostOperations || isa<gpu::BarrierOp, tile::DotOp>(op))
      return WalkResult::interrupt();
    bool stays = op->hasTrait<OpTrait::Elementwise>() ||
                 isa<tile::LoadOp, tile::StoreOp, tile::RangeOp, tile::SplatOp, tile::ExpandDimsOp,
                     tile::BroadcastOp, tile::TransOp, tile::ArrayLoadOp, tile::ArrayStoreOp>(op) ||
                 !isa<tile::TileDialect>(op->getDialect());
    bool spread = llvm::any_of(op->getOperandTypes(), isOfSubgroups) ||
                  llvm::any_of(op->getResultTypes(), isOfSubgroups);
    return stays || !spread ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

struct TakeFullBlocks final : tiles::impl::TakeFullBlocksBase<TakeFullBlocks> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!mayBeTwice(loop))
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForOp loop : loops)
      FullBlocks(loop).run();
  }
};

} // namespace
