//===- FragmentLoops.cpp - emits a kernel's block as loops ------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/loops/ShareArrays.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

/// Returns the total number of iterations of all loops. A loop whose number of iterations is not
/// constant counts as one iteration.
static uint64_t turnsOf(Block &block) {
  uint64_t turns = 0;
  for (Operation &op : block) {
    uint64_t own = 1;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<APInt> count = loop.getStaticTripCount())
        own = count->getLimitedValue(UINT32_MAX);
    uint64_t inside = isa<LoopLikeOpInterface>(op) ? 1 : 0;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        inside += turnsOf(inner);
    turns += std::min<uint64_t>(own * inside, UINT32_MAX);
  }
  return turns;
}

LogicalResult FragmentLoops::run() {
  if (failed(takeByBlocks()))
    return failure();
  if (uint64_t turns = limits.mostTurns ? turnsOf(func.getBody().front()) : 0;
      turns > limits.mostTurns)
    return func.emitOpError() << "needs " << turns << " turns of loops; there are "
                              << limits.mostTurns << " on this driver: take a smaller block, or "
                              << "more warps";
  return success();
}

/// Clones values that a per-element region uses from outside into the region. Inside, they belong
/// to one element, and the loop does not cut them into blocks.
static void makeWithin(Region &region) {
  auto isOutside = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return tile::isDistributed(value.getType()) && def && isOnDemand(def) &&
           !region.isAncestor(def->getParentRegion());
  };
  bool found = true;
  while (found) {
    found = false;
    region.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (Value value = operand.get(); isOutside(value)) {
          found = true;
          Operation *copy = OpBuilder(op).clone(*value.getDefiningOp());
          operand.set(copy->getResult(cast<OpResult>(value).getResultNumber()));
        }
    });
  }
}

LogicalResult FragmentLoops::takeByBlocks() {
  if (!func.getBody().hasOneBlock())
    return success();
  // Fragments, and values computed from them, stay in registers.
  if (multipliesFragments(func))
    limits.registers = std::max<uint64_t>(limits.registers, mostRegistersOfFragments);
  WalkResult walked = func.walk([&](Operation *op) {
    auto product = dyn_cast<tile::DotOp>(op);
    bool isLooped = (product && planProduct(product, limits)) ||
                    llvm::any_of(op->getResults(), [&](OpResult v) { return isLarge(v, limits); });
    return isLooped ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    return success();
  func.walk([](Operation *op) {
    if (isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op))
      makeWithin(op->getRegion(0));
  });
  limits.workgroupBytes = bytesForEach();
  addWorkgroupMemory();
  emitBlock(func.getBody().front(), {});
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced) {
    if (!op->use_empty())
      return op->emitOpError("is still used, although a loop replaced it: a bug in "
                             "pumice-fuse-fragment-loops");
    op->erase();
  }
  uint64_t bytes = shareArrays(allArrays);
  if (limits.privateBytes && bytes > limits.privateBytes)
    return func.emitOpError() << "needs " << bytes << " bytes of private memory; there are "
                              << limits.privateBytes << " for each lane: take a smaller block, or "
                              << "more warps";
  return success();
}

static bool isLargeCat(Operation *op, const LoopLimits &limits) {
  return isa<tile::CatOp>(op) && isLarge(op->getResult(0), limits);
}

void FragmentLoops::emitBlock(Block &block, ValueRange carried) {
  SmallVector<Operation *> originals =
      llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
  Operation *terminator = block.getTerminator();
  Emission e(block, Schedule(block, limits, [&](Operation *op) {
               auto product = dyn_cast<tile::DotOp>(op);
               auto gather = dyn_cast<tile::GatherOp>(op);
               auto histogram = dyn_cast<tile::HistogramOp>(op);
               return (product && planProduct(product, limits)) ||
                      (gather && isLoopedGather(gather, limits)) ||
                      (histogram && isLoopedHistogram(histogram, limits)) ||
                      isRenaming(op, limits) || isLargeCat(op, limits);
             }));
  emissions.push_back(&e);
  llvm::DenseSet<Operation *> alone;
  keepInPlace(e, carried);
  for (auto [number, item] : llvm::enumerate(e.schedule.items)) {
    for (Operation *op : item.before) {
      alone.insert(op);
      emitAlone(e, op, number);
    }
    if (item.group)
      emitGroup(e, number);
    if (item.single) {
      alone.insert(item.single);
      emitAlone(e, item.single, number);
    }
  }
  storeCarried(e, carried);
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(whole(operand.get(), e.builder));
  emissions.pop_back();
  for (Operation *op : originals)
    if (!alone.contains(op))
      replaced.push_back(op);
}

void FragmentLoops::emitAlone(Emission &e, Operation *op, size_t item) {
  if (auto product = dyn_cast<tile::DotOp>(op); product && planProduct(product, limits))
    return emitProduct(e, product, item);
  if (auto gather = dyn_cast<tile::GatherOp>(op); gather && isLoopedGather(gather, limits))
    return emitGather(e, gather, item);
  if (auto histogram = dyn_cast<tile::HistogramOp>(op);
      histogram && isLoopedHistogram(histogram, limits))
    return emitHistogram(e, histogram, item);
  if (isRenaming(op, limits) && !isDirect(op->getOperand(0)))
    return emitRenamed(e, cast<tile::ReshapeOp>(op), item);
  if (isLargeCat(op, limits))
    return emitCat(e, cast<tile::CatOp>(op), item);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(e, loop, item);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(e, loop, item);
  if (auto condition = dyn_cast<scf::IfOp>(op); condition && condition->getNumResults())
    return emitIf(e, condition);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(whole(operand.get(), e.builder));
  op->moveBefore(e.block->getTerminator());
  if (isa<tile::TileDialect>(op->getDialect()))
    return; // the regions of this operation combine scalars, not tensors
  for (Region &region : op->getRegions())
    for (Block &block : region)
      emitBlock(block, {});
}

/// Returns whether a group must compute its results now. If they were computed on demand, that
/// would be after the group's writes.
bool FragmentLoops::isEager(const Emission &e, const Group &group) const {
  return llvm::any_of(group.ops, [&](Operation *op) {
    return op->getNumResults() == 0 || isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) ||
           llvm::any_of(op->getResults(),
                        [&](OpResult result) { return e.targets.contains(result); });
  });
}

/// Reverses the order of blocks along the axis if the group's scans go from the end. Returns
/// whether this iteration is the first one along the axis.
static Value beginAlongAxis(OpBuilder &b, Location loc, const Group &group, Nest &nest) {
  unsigned axis = *group.axis;
  auto number = [&](uint64_t n) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(n)));
  };
  Value &start = nest.frame.starts[axis];
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, start, number(0));
  if (group.reverse.value_or(false))
    start =
        arith::SubIOp::create(b, loc, number(group.shape[axis] - nest.frame.sizes[axis]), start);
  return isFirst;
}

void FragmentLoops::emitGroup(Emission &e, size_t item) {
  Group &group = *e.schedule.items[item].group;
  Location loc = group.ops.front()->getLoc();
  Sizes sizes = grownBlocks(group.layout, group.sizes);
  SmallVector<unsigned> order;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (d != group.axis)
      order.push_back(d);
  if (group.axis)
    order.push_back(*group.axis); // innermost, since its iterations carry sums and totals
  bool isCarried = group.axis && sizes[*group.axis] < group.shape[*group.axis];
  OpBuilder b = e.builder;
  SmallVector<Value> sums;
  if (isCarried)
    sums = firstSums(b, group, {sizes, {}});
  SmallVector<AnyHeld> answers = beginAnyHeld(b, group);
  Nest nest = makeNest(b, loc, group.shape, sizes, order, sums);
  Value isFirst;
  if (isCarried)
    isFirst = beginAlongAxis(b, loc, group, nest);
  Operation *end = nullptr;
  if (nest.loops.empty())
    end = arith::ConstantOp::create(b, loc,
                                    b.getI32IntegerAttr(0)); // marks the end of the only block
  else if (isCarried)
    end = scf::YieldOp::create(b, loc, nest.loops.back().getRegionIterArgs());
  else
    end = nest.loops.back().getBody()->getTerminator();
  Site &site = groupSites.emplace_back(siteAt(e, OpBuilder(end), nest.frame, item));
  for (Operation *op : group.ops)
    sites[op] = &site;

  if (isCarried)
    llvm::copy(nest.loops.back().getRegionIterArgs(), sums.begin());
  bool eager = isEager(e, group);
  MutableArrayRef<Value> rest = sums;
  for (Operation *op : group.ops) {
    if (isCarried && axisOf(op) == group.axis) {
      MutableArrayRef<Value> own = rest.take_front(op->getNumOperands());
      rest = rest.drop_front(op->getNumOperands());
      if (auto scanned = dyn_cast<tile::ScanOp>(op))
        scan(site, scanned, own, isFirst);
      else
        combine(site, cast<tile::ReduceOp>(op), own, isFirst);
    } else if (auto scanned = dyn_cast<tile::ScanOp>(op)) {
      scan(site, scanned);
    } else if (isa<tile::AnyHeldOp>(op)) {
      addAnyHeld(site, *llvm::find_if(answers, [&](const AnyHeld &any) { return any.op == op; }));
    } else if (auto reduce = dyn_cast<tile::ReduceOp>(op);
               reduce && !group.isWithinBlocks(reduce)) {
      SmallVector<Value> blocks = llvm::map_to_vector(
          op->getOperands(), [&](Value operand) { return slice(operand, site.frame, site); });
      finishReduction(e, site.builder, reduce, nest, blocks);
    } else if (op->getNumResults() == 0) {
      cloneSlice(op, site.frame, site);
      site.stored.insert(op);
    } else if (eager) {
      for (Value result : op->getResults())
        slice(result, frameOf(op, site.frame), site);
    }
  }
  for (Operation *op : group.ops)
    for (Value result : op->getResults())
      if (e.targets.contains(result) && !isa<tile::ReduceOp>(op))
        arrayOf(result);
  finishAnyHeld(e.builder, answers);
  if (!isCarried)
    return;
  end->setOperands(sums);
  b.setInsertionPointAfter(nest.loops.back());
  ValueRange sumsOfAll = nest.loops.back().getResults();
  for (Operation *op : group.ops)
    if (axisOf(op) == group.axis) {
      if (auto reduce = dyn_cast<tile::ReduceOp>(op))
        finishReduction(e, b, reduce, nest, sumsOfAll.take_front(op->getNumOperands()));
      sumsOfAll = sumsOfAll.drop_front(op->getNumOperands());
    }
}
