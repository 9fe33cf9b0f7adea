//===- Schedule.cpp - decides which operations share a loop -----------------===//
#include "compiler/lower/tile/loops/Schedule.h"

#include "compiler/dialect/tile/AnyOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include <numeric>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

//===-------------------------------------------------------------------------===//
// Kinds of operations
//===-------------------------------------------------------------------------===//

bool pumice::lower::tiles::isView(Operation *op) {
  return isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, tile::JoinOp, tile::SplitOp>(op);
}

bool pumice::lower::tiles::isRenaming(Operation *op, const LoopLimits &limits) {
  return isa_and_nonnull<tile::ReshapeOp>(op) && isLarge(op->getOperand(0), limits);
}

bool pumice::lower::tiles::isCheap(Operation *op) {
  return isa<arith::ArithDialect>(op->getDialect()) && OpTrait::hasElementwiseMappableTraits(op) &&
         !isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
              arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Returns the number of operations that compute a tensor from scalars, if at most `most` cheap
/// ones suffice.
static std::optional<unsigned> recipeCost(Value value, unsigned most) {
  if (!tile::isDistributed(value.getType()))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op || most == 0)
    return std::nullopt;
  if (isa<tile::RangeOp, tile::SplatOp, ub::PoisonOp>(op))
    return 1;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ? std::optional(1u) : std::nullopt;
  if (!isView(op) && !isCheap(op))
    return std::nullopt;
  unsigned cost = 1;
  for (Value operand : op->getOperands()) {
    if (cost > most)
      return std::nullopt;
    std::optional<unsigned> part = recipeCost(operand, most - cost);
    if (!part)
      return std::nullopt;
    cost += *part;
  }
  return cost <= most ? std::optional(cost) : std::nullopt;
}

bool pumice::lower::tiles::isOnDemand(Operation *op) {
  constexpr unsigned mostOperations = 24;
  if (op->getNumResults() == 0 || !tile::isDistributed(op->getResult(0).getType()))
    return false;
  return isView(op) || (op->getNumResults() == 1 && recipeCost(op->getResult(0), mostOperations));
}

uint64_t pumice::lower::tiles::registersOf(Type type) {
  return uint64_t(1) << layoutOf(type).input(tile::registerSpace).bits;
}

bool pumice::lower::tiles::isLarge(Value value, const LoopLimits &limits) {
  return tile::isDistributed(value.getType()) && registersOf(value.getType()) > limits.registers;
}

static bool isAtomic(Operation *op) { return isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op); }

static bool isGroupable(Operation *op, const LoopLimits &limits) {
  if (llvm::none_of(llvm::concat<const Value>(llvm::to_vector_of<Value>(op->getOperands()),
                                              llvm::to_vector_of<Value>(op->getResults())),
                    [&](Value value) { return isLarge(value, limits); }))
    return false;
  if (auto map = dyn_cast<tile::MapOp>(op))
    return (map.getPack() == 1 || map->hasAttr(tile::anyOrderAttrName)) && isMemoryEffectFree(op);
  return isa<tile::LoadOp, tile::StoreOp, tile::ConvertLayoutOp, tile::PrintOp, tile::ReduceOp,
             tile::ScanOp, tile::AnyHeldOp>(op) ||
         isAtomic(op) || OpTrait::hasElementwiseMappableTraits(op);
}

//===-------------------------------------------------------------------------===//
// Blocks that fit
//===-------------------------------------------------------------------------===//

bool pumice::lower::tiles::growToFit(Value value, ArrayRef<int> dimensions,
                                     ArrayRef<uint64_t> shape, Sizes &sizes) {
  if (!tile::isDistributed(value.getType()))
    return true;
  const tile::LinearLayout &layout = layoutOf(value.getType());
  Sizes own = shapeOf(layout), smallest = smallestSlice(layout);
  for (size_t d = 0; d < own.size(); ++d) {
    if (own[d] == 1 || dimensions[d] == wholeDimension)
      continue;
    if (dimensions[d] < 0 || shape[static_cast<size_t>(dimensions[d])] != own[d])
      return false;
    uint64_t &size = sizes[static_cast<size_t>(dimensions[d])];
    size = std::max(size, smallest[d]);
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isOnDemand(op))
    return true;
  if (isa<tile::JoinOp>(op) && dimensions.back() >= 0)
    sizes[static_cast<size_t>(dimensions.back())] = 2;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return growToFit(operand, ofOperand<int>(op, operand, dimensions, -1, wholeDimension), shape,
                     sizes);
  });
}

//===-------------------------------------------------------------------------===//
// The schedule
//===-------------------------------------------------------------------------===//

static Value widest(Operation *op) {
  auto isTensor = [](Value value) { return tile::isDistributed(value.getType()); };
  if (op->getNumResults() && isTensor(op->getResult(0)))
    if (!isa<tile::ReduceOp>(op))
      return op->getResult(0);
  return *llvm::find_if(op->getOperands(), isTensor);
}

std::optional<unsigned> pumice::lower::tiles::axisOf(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return reduce.getAxis();
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return scan.getAxis();
  return std::nullopt;
}

static bool isWithin(Value value, ArrayRef<uint64_t> sizes, uint64_t registers) {
  if (!tile::isDistributed(value.getType()))
    return true;
  Result<Slice> slice = sliceOf(layoutOf(value.getType()), sizes);
  return slice.isOk() && slice->registers.size() <= registers;
}

/// Returns whether a block can contain the whole dimension of a reduction. The reduction then needs
/// no loop along it, and users of its result can be in the same loop.
static bool fitsBlocks(tile::ReduceOp op, const LoopLimits &limits) {
  const tile::LinearLayout &layout = layoutOf(op->getOperand(0).getType());
  Sizes sizes = smallestSlice(layout);
  sizes[op.getAxis()] = shapeOf(layout)[op.getAxis()];
  return tile::isDistributed(op->getResult(0).getType()) &&
         isWithin(op->getOperand(0), sizes, limits.unrolled);
}

/// Returns the group with the operation added, if the operation fits the group and blocks remain
/// small enough. With `reducesWithin`, blocks may grow to contain the whole dimension of a
/// reduction.
static std::optional<Group> joined(const Group &group, Operation *op, const LoopLimits &limits,
                                   bool reducesWithin = true) {
  Group result = group;
  uint64_t mostRegisters = mostRegistersInSlice;
  if (auto reduce = dyn_cast<tile::ReduceOp>(op);
      reduce && reducesWithin && fitsBlocks(reduce, limits)) {
    result.sizes[reduce.getAxis()] = result.shape[reduce.getAxis()];
    mostRegisters = limits.unrolled;
  } else if (std::optional<unsigned> axis = axisOf(op)) {
    if (result.axis && *result.axis != *axis)
      return std::nullopt;
    result.axis = axis;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    if (result.reverse && *result.reverse != scan.getReverse())
      return std::nullopt;
    result.reverse = scan.getReverse();
  }
  SmallVector<Value> values(op->getOperands());
  if (!isa<tile::ReduceOp>(op))
    values.append(op->result_begin(), op->result_end());
  SmallVector<int> dimensions(group.shape.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  for (Value value : values)
    if (!growToFit(value, dimensions, result.shape, result.sizes))
      return std::nullopt;
  result.ops.push_back(op);
  for (Operation *member : result.ops)
    for (Value value : member->getOperands())
      if (!isWithin(value, result.sizes, mostRegisters))
        return std::nullopt;
  return result;
}

Schedule::Schedule(Block &block, const LoopLimits &limits,
                   llvm::function_ref<bool(Operation *)> hasOwnLoops)
    : limits(limits), hasOwnLoops(hasOwnLoops) {
  for (Operation &op : block.without_terminator())
    place(&op);
  if (!pending.empty())
    append({});
}

size_t Schedule::readyAt(Value value) const {
  auto found = ready.find(value);
  return found == ready.end() ? 0 : found->second;
}

size_t Schedule::append(Item item) {
  item.before = std::move(pending);
  pending.clear();
  items.push_back(std::move(item));
  return items.size() - 1;
}

void Schedule::place(Operation *op) {
  if (isOnDemand(op))
    return placeOnDemand(op);
  if (isRenaming(op, limits))
    return placeRenaming(op);
  if (isGroupable(op, limits) && placeInLoop(op))
    return;
  placeAlone(op);
}

void Schedule::placeOnDemand(Operation *op) {
  size_t at = 0;
  for (Value operand : op->getOperands())
    at = std::max(at, readyAt(operand));
  for (Value result : op->getResults())
    ready[result] = at;
}

/// Places a reshape that keeps the order of registers. If a loop computes the operand, the result
/// is only another name for the operand. Otherwise the reshape is placed alone.
void Schedule::placeRenaming(Operation *op) {
  Operation *def = op->getOperand(0).getDefiningOp();
  if (!def || !inGroup.contains(def))
    return placeAlone(op);
  ready[op->getResult(0)] = readyAt(op->getOperand(0));
}

/// Returns the first item at which an access follows all accesses that must precede it.
size_t Schedule::afterMemory(Operation *op, bool mayShare) const {
  if (!accessesMemory(op))
    return 0;
  size_t at = fence;
  bool writes = writesMemory(op);
  for (const Access &access : accesses)
    if (writes || access.writes)
      at = std::max(at, access.item + (mayShare && mayShareLoop(op, access.op, limits) ? 0 : 1));
  return at;
}

bool Schedule::isIn(Operation *op, size_t item) const {
  auto found = inGroup.find(op);
  return found != inGroup.end() && found->second == item;
}

/// Returns the reduction whose result `value` repeats along the reduced dimension, if there is one.
static tile::ReduceOp reducedAlong(Value value) {
  if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>())
    value = broadcast->getOperand(0);
  auto expand = value.getDefiningOp<tile::ExpandDimsOp>();
  auto reduce = expand ? expand->getOperand(0).getDefiningOp<tile::ReduceOp>() : nullptr;
  return reduce && reduce.getAxis() == expand.getAxis() ? reduce : nullptr;
}

/// Returns whether the operands of an operation are available in the item's loop. They must be
/// computed before the loop, or block by block in it.
bool Schedule::canJoin(Operation *op, size_t item) const {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (readyAt(operand) <= item)
      return true;
    if (tile::ReduceOp reduce = reducedAlong(operand))
      return isIn(reduce, item) && items[item].group->isWithinBlocks(reduce);
    Operation *def = operand.getDefiningOp();
    return def && isIn(def, item) && !isa<tile::ReduceOp, tile::AnyHeldOp>(def);
  });
}

bool Schedule::placeInLoop(Operation *op) {
  const tile::LinearLayout &layout = layoutOf(widest(op).getType());
  std::optional<Group> chosen;
  size_t item = afterMemory(op, /*mayShare=*/true);
  for (; item < items.size() && !chosen; ++item)
    if (items[item].group && items[item].group->shape == shapeOf(layout) && canJoin(op, item))
      chosen = joined(*items[item].group, op, limits);
  if (chosen) {
    *items[--item].group = std::move(*chosen);
  } else {
    Group empty{shapeOf(layout), smallestSlice(layout), layout, {}, {}, {}};
    chosen = joined(empty, op, limits);
    if (!chosen)
      chosen = joined(empty, op, limits, /*reducesWithin=*/false);
    if (!chosen)
      return false;
    Item loop;
    loop.group = std::make_unique<Group>(std::move(*chosen));
    item = append(std::move(loop));
  }
  inGroup[op] = item;
  for (Value result : op->getResults())
    ready[result] = item + 1;
  if (accessesMemory(op))
    accesses.push_back({op, item, writesMemory(op)});
  return true;
}

void Schedule::placeAlone(Operation *op) {
  size_t at = afterMemory(op, /*mayShare=*/false);
  SmallVector<Value> used(op->getOperands());
  op->walk([&](Operation *inner) { used.append(inner->operand_begin(), inner->operand_end()); });
  for (Value value : used)
    at = std::max(at, readyAt(value));
  bool reads = isa<tile::LoadOp>(op);
  if (hasOwnLoops(op) || !(isMemoryEffectFree(op) || reads)) {
    Item alone;
    alone.single = op;
    at = append(std::move(alone));
    for (Value result : op->getResults())
      ready[result] = at + 1;
    if (accessesMemory(op)) {
      accesses.push_back({op, at, writesMemory(op)});
      if (!isa<tile::StoreOp>(op) && !isAtomic(op))
        fence = at + 1;
    }
    return;
  }
  if (at < items.size())
    items[at].before.push_back(op);
  else
    at = items.size(), pending.push_back(op);
  for (Value result : op->getResults())
    ready[result] = at;
  if (reads)
    accesses.push_back({op, at, false});
}
