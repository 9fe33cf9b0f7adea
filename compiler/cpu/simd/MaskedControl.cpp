//===- MaskedControl.cpp - selections, loops and exits within a subgroup ----===//
//   before: lane.if %varying { A } else { B }
//   after:  %a = select %mask, %varying, none;  if any(%a): A under %a
//           %b = select %mask, !%varying, none; if any(%b): B under %b
// A short A that accesses neighbouring memory is emitted twice; the copy without a mask runs if all
// lanes are active. Uniform conditions become branches. If lanes leave a loop at different times,
// it runs while any lane is left. If lanes may leave a construct for a place beyond its end,
// `Exits::after` holds the remaining lanes.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Blocks
//===-------------------------------------------------------------------------===//

/// SPIR-V's selection control (section 3.11).
static constexpr uint32_t flatten = 1, dontFlatten = 2;
/// The largest numbers of operations that run even without active lanes, instead of being skipped:
/// by default, and if the module requests flattening.
static constexpr unsigned mostCheap = 8, mostFlattened = 64;
/// The largest number of operations, including nested ones, that are emitted twice: for all lanes,
/// and for some.
static constexpr unsigned mostTwice = 64;

static SmallVector<Operation *> operationsOf(Block &block) {
  return llvm::map_to_vector(block, [](Operation &op) { return &op; });
}

static uint32_t controlOf(lane::IfOp op) { return op.getControl().value_or(0); }

/// Returns whether operations are cheap and harmless enough to run without active lanes.
bool MaskedControl::isCheap(ArrayRef<Operation *> ops, unsigned most) const {
  unsigned count = 0;
  for (Operation *op : ops) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return isa<lane::EndOp>(op) || !e.analysis.jumps(op);
    bool division = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    bool harmless = isElementwise(op) ||
                    isa<lane::GetOp, lane::SetOp, lane::VarOp, lane::ResetOp, lane::BuiltinOp>(op);
    if (division || !harmless || ++count > most)
      return false;
  }
  return true;
}

/// Sends the given lanes to the end of the current region.
void MaskedControl::bringToRegionEnd(Value lanes) {
  if (!regionEnd) {
    regionEnd = e.b.newBlock();
    regionEndMask = e.b.stackOf(e.b.maskType());
  }
  e.b.storeTo(lanes, regionEndMask);
}

void MaskedControl::skipUnless(Value condition) {
  if (!whenNone)
    bringToRegionEnd(e.b.noLanes());
  Block *on = e.b.newBlock();
  e.b.branch(condition, on, whenNone ? whenNone : regionEnd);
  e.b.startBlock(on);
}

void MaskedControl::withRegionEnd(function_ref<void()> body, Block *none) {
  llvm::SaveAndRestore ofThisBlock(whenNone, none);
  Block *outerEnd = std::exchange(regionEnd, nullptr);
  Value outerMask = std::exchange(regionEndMask, Value());
  body();
  if (regionEnd) {
    if (e.b.isOpen())
      bringToRegionEnd(mask ? mask : e.b.allLanes());
    e.b.branch(regionEnd);
    e.b.startBlock(regionEnd);
    mask = e.b.loadFrom(e.b.maskType(), regionEndMask);
  }
  regionEnd = outerEnd;
  regionEndMask = outerMask;
}

/// Emits a region of a construct. Afterwards, the block is open unless all lanes have left, and
/// `mask` holds the lanes that reached the end.
void MaskedControl::emitBlock(Block &block, Block *none) {
  withRegionEnd([&] { emitOps(operationsOf(block)); }, none);
}

void MaskedControl::emitOps(ArrayRef<Operation *> ops) {
  for (auto [i, op] : llvm::enumerate(ops)) {
    e.b.setLoc(op->getLoc());
    e.emitOp(op);
    ArrayRef<Operation *> behind = ops.drop_front(i + 1);
    if (!isConstruct(op) || !e.analysis.leaks(op) || isCheap(behind, mostCheap))
      continue;
    if (!isFasterUnmasked(behind)) {
      skipUnless(e.b.anyOf(mask));
      continue;
    }
    Value some = mask;
    Block *full = e.b.newBlock(), *rest = e.b.newBlock();
    e.b.branch(e.b.allOf(some), full, rest);
    e.b.startBlock(full);
    mask = {};
    emitOps(behind);
    if (e.b.isOpen())
      bringToRegionEnd(mask ? mask : e.b.allLanes());
    e.b.branch(regionEnd);
    e.b.startBlock(rest);
    mask = some;
    skipUnless(e.b.anyOf(mask));
    llvm::SaveAndRestore onlyHere(isMaskedCopy, true);
    return emitOps(behind);
  }
}

Exits MaskedControl::openConstruct(Operation *op) {
  Exits exits;
  exits.end = e.b.newBlock();
  if (e.analysis.leaks(op)) {
    exits.after = e.b.stackOf(e.b.maskType());
    e.b.storeTo(e.b.noLanes(), exits.after);
  }
  return opened[op] = exits;
}

/// Adds the active lanes to `slot`, a mask of the lanes that have reached some place. Does nothing
/// if `slot` is null.
void MaskedControl::arriveAt(Value slot) {
  if (!slot)
    return;
  Value others = e.b.loadFrom(e.b.maskType(), slot);
  e.b.storeTo(mask ? e.b.either(others, mask) : e.b.allLanes(), slot);
}

void MaskedControl::closeConstruct(Operation *op, Value before) {
  Exits exits = opened.lookup(op);
  e.b.branch(exits.end);
  e.b.startBlock(exits.end);
  mask = exits.after ? e.b.loadFrom(e.b.maskType(), exits.after) : before;
}

//===-------------------------------------------------------------------------===//
// Selections
//===-------------------------------------------------------------------------===//

/// Returns the predicate that gives the same result as `p` with swapped operands.
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

/// Returns whether a comparison of a strided value with a uniform value holds for any lane,
/// provided that all lanes are active. The first or the last lane decides. Returns null if that
/// does not suffice.
Value MaskedControl::anyHolds(Value condition, bool holds) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || mask)
    return {};
  Value x = compare.getLhs(), bound = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (e.analysis.shape(x).uniform()) {
    std::swap(x, bound);
    predicate = swapped(predicate);
  }
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  Shape shape = e.analysis.shape(x);
  if (shape.kind != Shape::Strided || shape.stride <= 0 || !shape.bounded() ||
      !e.analysis.shape(bound).uniform() || !x.getType().isInteger(32))
    return {};
  using Predicate = arith::CmpIPredicate;
  Value first = e.values.scalar(x), last = e.values.laneOf(x, e.b.lanes - 1);
  switch (predicate) {
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::slt:
  case Predicate::sle:
    return arith::CmpIOp::create(e.b, predicate, first, e.values.scalar(bound));
  case Predicate::ugt:
  case Predicate::uge:
  case Predicate::sgt:
  case Predicate::sge:
    return arith::CmpIOp::create(e.b, predicate, last, e.values.scalar(bound));
  case Predicate::eq: {
    if (shape.stride != 1)
      return {};
    Value distance = LLVM::SubOp::create(e.b, e.values.scalar(bound), first);
    return arith::CmpIOp::create(e.b, Predicate::ult, distance, e.b.i32(e.b.lanes));
  }
  case Predicate::ne: // true, because the values differ
    return e.b.integer(e.b.getI1Type(), 1);
  }
  return {};
}

/// Returns whether a copy without masks is faster. Masked loads cannot be prefetched (on a Zen 5,
/// they take twice as long), and computing the masks takes time.
bool MaskedControl::isFasterUnmasked(ArrayRef<Operation *> ops) const {
  unsigned count = 0;
  bool accessesNeighbours = false, prints = false;
  auto isOfNeighbours = [&](Value address, Type type, size_t number) {
    Shape shape = e.analysis.shape(address);
    return !shape.uniform() &&
           shape.stride == static_cast<int64_t>(number * bytesOf(e.b.memoryType(type)));
  };
  auto look = [&](Operation *op) {
    ++count;
    prints |= isa<lane::PrintfOp>(op); // prints need much code, and are slow anyway
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

/// Emits one arm of a selection, for the lanes that take it.
void MaskedControl::emitArm(Region &region, uint32_t control, const ArmLanes &lanes, Exits &exits) {
  Block &block = region.front();
  if (isa<lane::EndOp>(block.front()) && !exits.after)
    return;
  unsigned most = control & dontFlatten ? 0 : control & flatten ? mostFlattened : mostCheap;
  SmallVector<Operation *> ops = operationsOf(block);
  bool skips = !isCheap(ops, most);
  Block *next = skips ? e.b.newBlock() : nullptr;
  auto emitFor = [&](Value some, Block *behind) {
    mask = some;
    emitBlock(block);
    if (e.b.isOpen())
      arriveAt(exits.after);
    if (skips)
      e.b.branch(behind);
  };
  bool isTwice = skips && isFasterUnmasked(ops);
  if (isTwice) {
    Block *full = e.b.newBlock(), *rest = e.b.newBlock();
    e.b.branch(lanes.all ? lanes.all : e.b.allOf(lanes.mask), full, rest);
    e.b.startBlock(full);
    emitFor({}, exits.end ? exits.end : next); // the other arm is taken by no lane
    e.b.startBlock(rest);
  }
  if (skips) {
    Block *arm = e.b.newBlock();
    e.b.branch(lanes.any ? lanes.any : e.b.anyOf(lanes.mask), arm, next);
    e.b.startBlock(arm);
  }
  llvm::SaveAndRestore onlyHere(isMaskedCopy, isMaskedCopy || isTwice);
  emitFor(lanes.mask, next);
  if (skips)
    e.b.startBlock(next);
}

void MaskedControl::emitIf(lane::IfOp op) {
  if (!e.analysis.splits(op))
    return emitUniformIf(op);
  Value before = mask, condition = e.values.vector(op.getCondition());
  Exits exits = openConstruct(op);
  Value yes = e.b.both(before, condition);
  Value no = e.b.both(before, e.b.negated(condition));
  Value someYes = anyHolds(op.getCondition(), true), someNo = anyHolds(op.getCondition(), false);
  auto none = [&](Value some) { return some ? e.b.negated(some) : Value(); };
  emitArm(op.getThenRegion(), controlOf(op), {yes, someYes, none(someNo)}, exits);
  emitArm(op.getElseRegion(), controlOf(op), {no, someNo, none(someYes)}, exits);
  closeConstruct(op, before);
}

void MaskedControl::emitUniformIf(lane::IfOp op) {
  Value before = mask, condition = e.values.scalar(op.getCondition());
  Exits exits = openConstruct(op);
  Block *yes = e.b.newBlock(), *no = e.b.newBlock();
  e.b.branch(condition, yes, no, op.getWeightsAttr());
  if (controlOf(op) & flatten)
    e.b.getInsertionBlock()->back().setAttr("lane.flatten", e.b.getUnitAttr());
  for (auto [block, region] : {std::pair(yes, &op.getThenRegion()), {no, &op.getElseRegion()}}) {
    e.b.startBlock(block);
    mask = before;
    emitBlock(region->front());
    if (!e.b.isOpen())
      continue;
    arriveAt(exits.after);
    e.b.branch(exits.end);
  }
  closeConstruct(op, before);
}

/// The lanes that select a case enter it together with those that fall through from the case
/// before.
void MaskedControl::emitSwitch(lane::SwitchOp op) {
  if (!e.analysis.splits(op))
    return emitUniformSwitch(op);
  Value before = mask, value = e.values.vector(op.getValue());
  Exits exits = openConstruct(op);
  unsigned defaultPosition = op.getDefaultPosition();
  SmallVector<Value> chosen;
  Value none = before ? before : e.b.allLanes();
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    Value equal;
    if (i != defaultPosition) {
      equal = e.b.both(before, LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::eq, value,
                                                    e.b.integer(value.getType(), number)));
      none = e.b.select(equal, e.b.noLanes(), none);
    }
    chosen.push_back(equal);
  }
  chosen[defaultPosition] = none;
  Value through = e.b.stackOf(e.b.maskType());
  e.b.storeTo(e.b.noLanes(), through);
  Exits toNext;
  toNext.after = through;
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    Value entering = e.b.either(chosen[i], e.b.loadFrom(e.b.maskType(), through));
    e.b.storeTo(e.b.noLanes(), through);
    emitArm(region, 0, {entering}, toNext);
  }
  mask = e.b.loadFrom(e.b.maskType(), through);
  arriveAt(exits.after);
  closeConstruct(op, before);
}

void MaskedControl::emitUniformSwitch(lane::SwitchOp op) {
  Value before = mask, value = e.values.scalar(op.getValue());
  Exits exits = openConstruct(op);
  SmallVector<Block *> entries, destinations;
  SmallVector<APInt> numbers;
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    entries.push_back(e.b.newBlock());
    if (i == op.getDefaultPosition())
      continue;
    numbers.push_back(APInt(value.getType().getIntOrFloatBitWidth(), number, true, true));
    destinations.push_back(entries.back());
  }
  Value through; // the lanes that may fall through
  if (exits.after) {
    through = e.b.stackOf(e.b.maskType());
    e.b.storeTo(before ? before : e.b.allLanes(), through);
  }
  SmallVector<ValueRange> noOperands(destinations.size());
  LLVM::SwitchOp::create(e.b, value, entries[op.getDefaultPosition()], ValueRange{}, numbers,
                         destinations, noOperands);
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    e.b.startBlock(entries[i]);
    mask = through ? e.b.loadFrom(e.b.maskType(), through) : before;
    emitBlock(region.front());
    if (!e.b.isOpen())
      continue;
    if (i + 1 == entries.size()) {
      arriveAt(exits.after);
      e.b.branch(exits.end);
      continue;
    }
    if (through)
      e.b.storeTo(mask ? mask : e.b.allLanes(), through);
    // If all lanes have left the case, none of them falls through.
    if (mask && e.analysis.leaks(op))
      e.b.branch(e.b.anyOf(mask), entries[i + 1], exits.end);
    else
      e.b.branch(entries[i + 1]);
  }
  closeConstruct(op, before);
}

//===-------------------------------------------------------------------------===//
// Loops and scopes
//===-------------------------------------------------------------------------===//

void MaskedControl::emitScope(lane::ScopeOp op) {
  Value before = mask;
  Exits exits = openConstruct(op);
  emitBlock(op.getBody().front());
  if (e.b.isOpen())
    arriveAt(exits.after);
  closeConstruct(op, before);
}

/// Returns whether lanes start the next iteration only from the end of the body. Then the loop is
/// over if no lane reaches the end.
bool MaskedControl::continuesAtEndOnly(lane::LoopOp loop) const {
  WalkResult walked = loop.getBody().walk([&](lane::ContinueOp again) {
    return constructAt(again, again.getDepth()) == loop ? WalkResult::interrupt()
                                                        : WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

void MaskedControl::emitLoop(lane::LoopOp op) {
  Value before = mask;
  Type maskType = e.b.maskType();
  bool loses = e.analysis.losesLanes(op);
  Exits exits = openConstruct(op);
  Block *body = e.b.newBlock(), *exit = exits.end;
  Block *next = exits.next = e.b.newBlock();
  Value running, continued;
  if (loses) {
    running = e.b.stackOf(maskType);
    continued = exits.continued = e.b.stackOf(maskType);
    e.b.storeTo(before ? before : e.b.allLanes(), running);
  }
  opened[op] = exits;
  e.b.branch(e.loops.startLoop(op, body));

  e.b.startBlock(body);
  mask = loses ? e.b.loadFrom(maskType, running) : before;
  if (loses)
    e.b.storeTo(e.b.noLanes(), continued);
  // Otherwise, each iteration would test twice whether any lane is left.
  emitBlock(op.getBody().front(), loses && continuesAtEndOnly(op) ? exit : nullptr);
  if (e.b.isOpen()) {
    arriveAt(continued);
    e.b.branch(next);
  }

  e.b.startBlock(next);
  mask = loses ? e.b.loadFrom(maskType, continued) : before;
  Block &continuing = op.getContinuing().front();
  if (loses && !isCheap(operationsOf(continuing), mostCheap)) {
    Block *someone = e.b.newBlock();
    e.b.branch(e.b.anyOf(mask), someone, exit);
    e.b.startBlock(someone);
  }
  emitBlock(continuing);
  if (e.b.isOpen()) {
    Block *again = body;
    if (loses) {
      again = e.b.newBlock();
      e.b.storeTo(mask, running);
      e.b.branch(e.b.anyOf(mask), again, exit);
      e.b.startBlock(again);
    }
    e.loops.repeatLoop(op, body);
  }
  closeConstruct(op, before);
}

void MaskedControl::emitTerminator(Operation *op) {
  if (isa<lane::EndOp>(op))
    return;
  bool jumps = e.analysis.jumps(op);
  if (auto exit = dyn_cast<lane::ExitOp>(op)) {
    Operation *target = constructAt(op, exit.getDepth());
    Exits exits = opened.lookup(target);
    e.loops.leaveForGood(exit);
    arriveAt(exits.ofWorkgroup ? e.segments.scratchAt(e.plan.leftPlace(target)) : exits.after);
    if (jumps)
      return e.b.branch(exits.end);
  } else if (auto again = dyn_cast<lane::ContinueOp>(op)) {
    Operation *target = constructAt(op, again.getDepth());
    Exits exits = opened.lookup(target);
    arriveAt(exits.ofWorkgroup ? e.segments.scratchAt(e.plan.continuedPlace(target))
                               : exits.continued);
    if (jumps)
      return e.b.branch(exits.next);
  } else if (isa<lane::ReturnOp>(op) && jumps) {
    return e.b.branch(e.segments.segmentEnd);
  }
  mask = e.b.noLanes();
}

void MaskedControl::emitConstruct(Operation *op) {
  if (auto selection = dyn_cast<lane::IfOp>(op))
    emitIf(selection);
  else if (auto selection = dyn_cast<lane::SwitchOp>(op))
    emitSwitch(selection);
  else if (auto loop = dyn_cast<lane::LoopOp>(op))
    emitLoop(loop);
  else
    emitScope(cast<lane::ScopeOp>(op));
}
