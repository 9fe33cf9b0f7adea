//===- Control.cpp - selections, loops and exits within a subgroup ------===//
//   before: lane.if %varying { A } else { B }
//   after:  %a = select %mask, %varying, none;  if any(%a): A under %a
//           %b = select %mask, !%varying, none; if any(%b): B under %b
// Of a short A that accesses neighbours there is a copy without a mask, for when all lanes are
// there. Uniform conditions are branches. A loop whose lanes leave at different times runs while
// any is left; a construct that lanes leave for places beyond it has in `Exits::after` those that
// did not.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Blocks
//===-------------------------------------------------------------------------===//

/// SPIR-V's selection control (section 3.11).
static constexpr uint32_t flatten = 1, dontFlatten = 2;
/// Operations that are executed for no lane rather than skipped, unasked and asked.
static constexpr unsigned mostCheap = 8, mostFlattened = 64;
/// Operations, nested ones too, of what is there twice: for all lanes, and for some.
static constexpr unsigned mostTwice = 64;

static SmallVector<Operation *> operationsOf(Block &block) {
  return llvm::map_to_vector(block, [](Operation &op) { return &op; });
}

static uint32_t controlOf(lane::IfOp op) { return op.getControl().value_or(0); }

/// Cheap enough to be executed for no lane, and harmless then.
bool SimdEmitter::isCheap(ArrayRef<Operation *> ops, unsigned most) const {
  unsigned count = 0;
  for (Operation *op : ops) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return isa<lane::EndOp>(op) || !analysis.jumps(op);
    bool division = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    bool harmless = isElementwise(op) ||
                    isa<lane::GetOp, lane::SetOp, lane::VarOp, lane::ResetOp, lane::BuiltinOp>(op);
    if (division || !harmless || ++count > most)
      return false;
  }
  return true;
}

/// To the end of the block at hand with those lanes.
void SimdEmitter::bringToRegionEnd(Value lanes) {
  if (!regionEnd) {
    regionEnd = b.newBlock();
    regionEndMask = b.stackOf(b.maskType());
  }
  b.storeTo(lanes, regionEndMask);
}

/// Without `condition`, on to the end of the block at hand with no lane, or to where that leads.
void SimdEmitter::skipUnless(Value condition) {
  if (!whenNone)
    bringToRegionEnd(b.noLanes());
  Block *on = b.newBlock();
  b.branch(condition, on, whenNone ? whenNone : regionEnd);
  b.startBlock(on);
}

/// What `body` emits may be skipped from anywhere in it (skipUnless); `mask` has the lanes that are
/// there after it. Where nobody is left, it goes on at `none`, if there is one.
void SimdEmitter::withRegionEnd(function_ref<void()> body, Block *none) {
  llvm::SaveAndRestore ofThisBlock(whenNone, none);
  Block *outerEnd = std::exchange(regionEnd, nullptr);
  Value outerMask = std::exchange(regionEndMask, Value());
  body();
  if (regionEnd) {
    if (b.isOpen())
      bringToRegionEnd(mask ? mask : b.allLanes());
    b.branch(regionEnd);
    b.startBlock(regionEnd);
    mask = b.loadFrom(b.maskType(), regionEndMask);
  }
  regionEnd = outerEnd;
  regionEndMask = outerMask;
}

/// Emits a construct's region. Afterwards the block is open unless all lanes went elsewhere, and
/// `mask` has those that reached its end.
void SimdEmitter::emitBlock(Block &block, Block *none) {
  withRegionEnd([&] { emitOps(operationsOf(block)); }, none);
}

/// What follows each other within `withRegionEnd`. Where lanes may have left, the rest is there
/// twice if that is faster.
void SimdEmitter::emitOps(ArrayRef<Operation *> ops) {
  for (auto [i, op] : llvm::enumerate(ops)) {
    b.setLoc(op->getLoc());
    emitOp(op);
    ArrayRef<Operation *> behind = ops.drop_front(i + 1);
    if (!isConstruct(op) || !analysis.leaks(op) || isCheap(behind, mostCheap))
      continue;
    if (!isFasterUnmasked(behind)) {
      skipUnless(b.anyOf(mask));
      continue;
    }
    Value some = mask;
    Block *full = b.newBlock(), *rest = b.newBlock();
    b.branch(b.allOf(some), full, rest);
    b.startBlock(full);
    mask = {};
    emitOps(behind);
    if (b.isOpen())
      bringToRegionEnd(mask ? mask : b.allLanes());
    b.branch(regionEnd);
    b.startBlock(rest);
    mask = some;
    skipUnless(b.anyOf(mask));
    llvm::SaveAndRestore onlyHere(isMaskedCopy, true);
    return emitOps(behind);
  }
}

SimdEmitter::Exits SimdEmitter::openConstruct(Operation *op) {
  Exits exits;
  exits.end = b.newBlock();
  if (analysis.leaks(op)) {
    exits.after = b.stackOf(b.maskType());
    b.storeTo(b.noLanes(), exits.after);
  }
  return opened[op] = exits;
}

/// The lanes that are here have come to a place that keeps count (`slot` may be null: it does not).
void SimdEmitter::arriveAt(Value slot) {
  if (!slot)
    return;
  Value others = b.loadFrom(b.maskType(), slot);
  b.storeTo(mask ? b.either(others, mask) : b.allLanes(), slot);
}

void SimdEmitter::closeConstruct(Operation *op, Value before) {
  Exits exits = opened.lookup(op);
  b.branch(exits.end);
  b.startBlock(exits.end);
  mask = exits.after ? b.loadFrom(b.maskType(), exits.after) : before;
}

//===-------------------------------------------------------------------------===//
// Selections
//===-------------------------------------------------------------------------===//

/// p of (a, b) as one of (b, a).
static arith::CmpIPredicate swapped(arith::CmpIPredicate p) {
  using Predicate = arith::CmpIPredicate;
  static constexpr std::pair<Predicate, Predicate> pairs[] = {{Predicate::ult, Predicate::ugt},
                                                              {Predicate::ule, Predicate::uge},
                                                              {Predicate::slt, Predicate::sgt},
                                                              {Predicate::sle, Predicate::sge}};
  for (auto [less, more] : pairs)
    if (p == less || p == more)
      return p == less ? more : less;
  return p;
}

/// Whether a comparison of a strided value with a uniform one holds for any lane, when all are
/// there: the first lane or the last one tells. Null: only the mask does.
Value SimdEmitter::anyHolds(Value condition, bool holds) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || mask)
    return {};
  Value x = compare.getLhs(), bound = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (analysis.shape(x).uniform()) {
    std::swap(x, bound);
    predicate = swapped(predicate);
  }
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  Shape shape = analysis.shape(x);
  if (shape.kind != Shape::Strided || shape.stride <= 0 || !shape.bounded() ||
      !analysis.shape(bound).uniform() || !x.getType().isInteger(32))
    return {};
  using Predicate = arith::CmpIPredicate;
  Value first = values.scalar(x), last = values.laneOf(x, lanes - 1);
  switch (predicate) {
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::slt:
  case Predicate::sle:
    return arith::CmpIOp::create(b, predicate, first, values.scalar(bound));
  case Predicate::ugt:
  case Predicate::uge:
  case Predicate::sgt:
  case Predicate::sge:
    return arith::CmpIOp::create(b, predicate, last, values.scalar(bound));
  case Predicate::eq: {
    if (shape.stride != 1)
      return {};
    Value distance = LLVM::SubOp::create(b, values.scalar(bound), first);
    return arith::CmpIOp::create(b, Predicate::ult, distance, b.i32(lanes));
  }
  case Predicate::ne: // of so many different ones
    return b.integer(b.getI1Type(), 1);
  }
  return {};
}

/// Masks keep loads from being fetched ahead (of a Zen 5, they take twice as long for it), and
/// comparisons for them take time.
bool SimdEmitter::isFasterUnmasked(ArrayRef<Operation *> ops) const {
  unsigned count = 0;
  bool accessesNeighbours = false, prints = false;
  auto isOfNeighbours = [&](Value address, Type type, size_t number) {
    Shape shape = analysis.shape(address);
    return !shape.uniform() &&
           shape.stride == static_cast<int64_t>(number * bytesOf(b.memoryType(type)));
  };
  auto look = [&](Operation *op) {
    ++count;
    prints |= isa<lane::PrintfOp>(op); // much code, and slow in any case
    if (auto load = dyn_cast<lane::LoadOp>(op))
      accessesNeighbours |=
          isOfNeighbours(load.getAddress(), load.getResult(0).getType(), load.getNumResults());
    if (auto store = dyn_cast<lane::StoreOp>(op))
      accessesNeighbours |= isOfNeighbours(store.getAddress(), store.getValues()[0].getType(),
                                           store.getValues().size());
  };
  for (Operation *op : ops)
    op->walk(look);
  return accessesNeighbours && count <= mostTwice && !prints && !isMaskedCopy;
}

/// One way of a selection, for those lanes.
void SimdEmitter::emitArm(Region &region, uint32_t control, const ArmLanes &lanes, Exits &exits) {
  Block &block = region.front();
  if (isa<lane::EndOp>(block.front()) && !exits.after)
    return;
  unsigned most = control & dontFlatten ? 0 : control & flatten ? mostFlattened : mostCheap;
  SmallVector<Operation *> ops = operationsOf(block);
  bool skips = !isCheap(ops, most);
  Block *next = skips ? b.newBlock() : nullptr;
  auto emitFor = [&](Value some, Block *behind) {
    mask = some;
    emitBlock(block);
    if (b.isOpen())
      arriveAt(exits.after);
    if (skips)
      b.branch(behind);
  };
  bool isTwice = skips && isFasterUnmasked(ops);
  if (isTwice) {
    Block *full = b.newBlock(), *rest = b.newBlock();
    b.branch(lanes.all ? lanes.all : b.allOf(lanes.mask), full, rest);
    b.startBlock(full);
    emitFor({}, exits.end ? exits.end : next); // nobody is left for the other way
    b.startBlock(rest);
  }
  if (skips) {
    Block *arm = b.newBlock();
    b.branch(lanes.any ? lanes.any : b.anyOf(lanes.mask), arm, next);
    b.startBlock(arm);
  }
  llvm::SaveAndRestore onlyHere(isMaskedCopy, isMaskedCopy || isTwice);
  emitFor(lanes.mask, next);
  if (skips)
    b.startBlock(next);
}

void SimdEmitter::emitIf(lane::IfOp op) {
  if (!analysis.splits(op))
    return emitUniformIf(op);
  Value before = mask, condition = values.vector(op.getCondition());
  Exits exits = openConstruct(op);
  Value yes = b.both(before, condition);
  Value no = b.both(before, b.negated(condition));
  Value someYes = anyHolds(op.getCondition(), true), someNo = anyHolds(op.getCondition(), false);
  auto none = [&](Value some) { return some ? b.negated(some) : Value(); };
  emitArm(op.getThenRegion(), controlOf(op), {yes, someYes, none(someNo)}, exits);
  emitArm(op.getElseRegion(), controlOf(op), {no, someNo, none(someYes)}, exits);
  closeConstruct(op, before);
}

void SimdEmitter::emitUniformIf(lane::IfOp op) {
  Value before = mask, condition = values.scalar(op.getCondition());
  Exits exits = openConstruct(op);
  Block *yes = b.newBlock(), *no = b.newBlock();
  b.branch(condition, yes, no, op.getWeightsAttr());
  if (controlOf(op) & flatten)
    b.getInsertionBlock()->back().setAttr("lane.flatten", b.getUnitAttr());
  for (auto [block, region] : {std::pair(yes, &op.getThenRegion()), {no, &op.getElseRegion()}}) {
    b.startBlock(block);
    mask = before;
    emitBlock(region->front());
    if (!b.isOpen())
      continue;
    arriveAt(exits.after);
    b.branch(exits.end);
  }
  closeConstruct(op, before);
}

/// Each way is entered by the lanes that choose it and those that the way before lets through.
void SimdEmitter::emitSwitch(lane::SwitchOp op) {
  if (!analysis.splits(op))
    return emitUniformSwitch(op);
  Value before = mask, value = values.vector(op.getValue());
  Exits exits = openConstruct(op);
  unsigned defaultPosition = op.getDefaultPosition();
  SmallVector<Value> chosen;
  Value none = before ? before : b.allLanes();
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    Value equal;
    if (i != defaultPosition) {
      equal = b.both(before, LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value,
                                                  b.integer(value.getType(), number)));
      none = b.select(equal, b.noLanes(), none);
    }
    chosen.push_back(equal);
  }
  chosen[defaultPosition] = none;
  Value through = b.stackOf(b.maskType());
  b.storeTo(b.noLanes(), through);
  Exits toNext;
  toNext.after = through;
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    Value entering = b.either(chosen[i], b.loadFrom(b.maskType(), through));
    b.storeTo(b.noLanes(), through);
    emitArm(region, 0, {entering}, toNext);
  }
  mask = b.loadFrom(b.maskType(), through);
  arriveAt(exits.after);
  closeConstruct(op, before);
}

void SimdEmitter::emitUniformSwitch(lane::SwitchOp op) {
  Value before = mask, value = values.scalar(op.getValue());
  Exits exits = openConstruct(op);
  SmallVector<Block *> entries, destinations;
  SmallVector<APInt> numbers;
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    entries.push_back(b.newBlock());
    if (i == op.getDefaultPosition())
      continue;
    numbers.push_back(APInt(value.getType().getIntOrFloatBitWidth(), number, true, true));
    destinations.push_back(entries.back());
  }
  Value through; // where fewer lanes may come from the way before
  if (exits.after) {
    through = b.stackOf(b.maskType());
    b.storeTo(before ? before : b.allLanes(), through);
  }
  SmallVector<ValueRange> noOperands(destinations.size());
  LLVM::SwitchOp::create(b, value, entries[op.getDefaultPosition()], ValueRange{}, numbers,
                         destinations, noOperands);
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    b.startBlock(entries[i]);
    mask = through ? b.loadFrom(b.maskType(), through) : before;
    emitBlock(region.front());
    if (!b.isOpen())
      continue;
    if (i + 1 == entries.size()) {
      arriveAt(exits.after);
      b.branch(exits.end);
      continue;
    }
    if (through)
      b.storeTo(mask ? mask : b.allLanes(), through);
    // All may have left on the way here, and then nobody goes through.
    if (mask && analysis.leaks(op))
      b.branch(b.anyOf(mask), entries[i + 1], exits.end);
    else
      b.branch(entries[i + 1]);
  }
  closeConstruct(op, before);
}

//===-------------------------------------------------------------------------===//
// Loops and scopes
//===-------------------------------------------------------------------------===//

void SimdEmitter::emitScope(lane::ScopeOp op) {
  Value before = mask;
  Exits exits = openConstruct(op);
  emitBlock(op.getBody().front());
  if (b.isOpen())
    arriveAt(exits.after);
  closeConstruct(op, before);
}

/// Lanes go on with a turn from the end of its body alone: where nobody reaches that, nobody is
/// left.
bool SimdEmitter::continuesAtEndOnly(lane::LoopOp loop) const {
  WalkResult walked = loop.getBody().walk([&](lane::ContinueOp again) {
    return constructAt(again, again.getDepth()) == loop ? WalkResult::interrupt()
                                                        : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

void SimdEmitter::emitLoop(lane::LoopOp op) {
  Value before = mask;
  Type maskType = b.maskType();
  bool loses = analysis.losesLanes(op);
  Exits exits = openConstruct(op);
  Block *body = b.newBlock(), *exit = exits.end;
  Block *next = exits.next = b.newBlock();
  Value running, continued;
  if (loses) {
    running = b.stackOf(maskType);
    continued = exits.continued = b.stackOf(maskType);
    b.storeTo(before ? before : b.allLanes(), running);
  }
  opened[op] = exits;
  b.branch(startLoop(op, body));

  b.startBlock(body);
  mask = loses ? b.loadFrom(maskType, running) : before;
  if (loses)
    b.storeTo(b.noLanes(), continued);
  // Else each turn would ask twice whether somebody is left.
  emitBlock(op.getBody().front(), loses && continuesAtEndOnly(op) ? exit : nullptr);
  if (b.isOpen()) {
    arriveAt(continued);
    b.branch(next);
  }

  b.startBlock(next);
  mask = loses ? b.loadFrom(maskType, continued) : before;
  Block &continuing = op.getContinuing().front();
  if (loses && !isCheap(operationsOf(continuing), mostCheap)) {
    Block *someone = b.newBlock();
    b.branch(b.anyOf(mask), someone, exit);
    b.startBlock(someone);
  }
  emitBlock(continuing);
  if (b.isOpen()) {
    Block *again = body;
    if (loses) {
      again = b.newBlock();
      b.storeTo(mask, running);
      b.branch(b.anyOf(mask), again, exit);
      b.startBlock(again);
    }
    repeatLoop(op, body);
  }
  closeConstruct(op, before);
}

void SimdEmitter::emitTerminator(Operation *op) {
  if (isa<lane::EndOp>(op))
    return;
  bool jumps = analysis.jumps(op);
  if (auto exit = dyn_cast<lane::ExitOp>(op)) {
    Operation *target = constructAt(op, exit.getDepth());
    Exits exits = opened.lookup(target);
    leaveForGood(exit);
    arriveAt(exits.ofWorkgroup ? scratchAt(plan.leftPlace(target)) : exits.after);
    if (jumps)
      return b.branch(exits.end);
  } else if (auto again = dyn_cast<lane::ContinueOp>(op)) {
    Operation *target = constructAt(op, again.getDepth());
    Exits exits = opened.lookup(target);
    arriveAt(exits.ofWorkgroup ? scratchAt(plan.continuedPlace(target)) : exits.continued);
    if (jumps)
      return b.branch(exits.next);
  } else if (isa<lane::ReturnOp>(op) && jumps) {
    return b.branch(segmentEnd);
  }
  mask = b.noLanes();
}

void SimdEmitter::emitConstruct(Operation *op) {
  if (auto selection = dyn_cast<lane::IfOp>(op))
    emitIf(selection);
  else if (auto selection = dyn_cast<lane::SwitchOp>(op))
    emitSwitch(selection);
  else if (auto loop = dyn_cast<lane::LoopOp>(op))
    emitLoop(loop);
  else
    emitScope(cast<lane::ScopeOp>(op));
}

void SimdEmitter::emitOp(Operation *op) {
  if (isConstruct(op))
    return emitConstruct(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return emitTerminator(op);
  if (op->getNumResults() && analysis.isWorkgroupScalar(op->getResult(0)) &&
      isLeaf(op->getResult(0)))
    return; // at its uses
  if (isElementwise(op))
    return emitElementwise(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](lane::BuiltinOp op) { emitBuiltin(op); })
      .Case([&](lane::ClockOp op) { emitClock(op); })
      .Case([&](lane::LoadOp op) { emitLoad(op); })
      .Case([&](lane::StoreOp op) { emitStore(op); })
      .Case<lane::VarOp, lane::GetOp, lane::SetOp, lane::ResetOp>(
          [&](auto op) { emitVariableOp(op); })
      .Case<lane::ArrayGetOp, lane::ArraySetOp>([&](auto op) { emitArrayOp(op); })
      .Case([&](lane::PrivateOp op) { emitPrivate(op); })
      .Case([&](lane::AtomicOp op) { emitAtomic(op); })
      .Case([&](lane::CompareExchangeOp op) { emitCompareExchange(op); })
      .Case([&](lane::ShuffleOp op) { emitShuffle(op); })
      .Case([&](lane::BallotOp op) { emitBallot(op); })
      .Case([&](lane::ReduceOp op) { emitReduce(op); })
      .Case([&](lane::MatrixTransposeOp op) { emitMatrixTranspose(op); })
      .Case([&](lane::MatrixProductOp op) { emitMatrixProduct(op); })
      .Case([&](lane::FenceOp op) { emitFence(op.getOrder()); })
      .Case([&](lane::PrintfOp op) { emitPrintf(op); })
      .Case([&](lane::BarrierOp op) { // of the only subgroup
        if (op.getOrder())
          emitFence(*op.getOrder());
      })
      .Case<lane::ArrayOp, lane::SubgroupFenceOp>([](auto) {})
      .Default([](Operation *) { llvm_unreachable("the pass checked for unknown operations"); });
}
