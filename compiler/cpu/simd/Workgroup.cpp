//===- Workgroup.cpp - what a workgroup executes as one -----------------===//
//   before: A; lane.barrier; B
//   after:  for each subgroup: A, and what B needs of it into the scratch memory
//           for each subgroup: B
// A construct that holds a barrier is executed once for the workgroup. A condition that is known to
// be the same for all invocations is a branch; of others each way is executed for the lanes that
// choose it. Lanes that go where others of the workgroup do not yet go wait in masks of the scratch
// memory.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Value SimdEmitter::scratchAt(int64_t place) { return offset(scratchOfSubgroup, place); }

/// What subgroups keep, one after the other. A little is on the stack: LLVM knows that nobody reads
/// it later, and where it unrolls the loops over subgroups it makes values of it.
Value SimdEmitter::scratchBase() {
  if (!plan.fitsOnStack() || plan.bytes() == 0)
    return function.getArgument(2);
  if (!scratchOnStack)
    scratchOnStack = stackOf(b.getI8Type(), plan.bytes(), 64);
  return scratchOnStack;
}

/// Calls `body` in a loop over the workgroup's subgroups, as segment `number`. It leaves by falling
/// through or by a branch to `segmentEnd`.
void SimdEmitter::forEachSubgroup(unsigned number, function_ref<void()> body) {
  int64_t count = analysis.workgroup().subgroups();
  Block *head = newBlock(), *prologue = newBlock(), *start = newBlock(), *end = newBlock();
  Value counter = stackOf(b.getI32Type());
  if (count > 1) {
    storeTo(i32(0), counter);
    branch(head);
    startBlock(head);
    subgroup = loadFrom(b.getI32Type(), counter);
  } else {
    branch(head);
    startBlock(head);
    subgroup = i32(0);
  }
  branch(prologue);
  startBlock(prologue);
  scratchOfSubgroup = scratchBase();
  if (int64_t bytes = plan.bytesPerSubgroup(); bytes && count > 1) {
    Value wide = LLVM::ZExtOp::create(b, b.getI64Type(), subgroup);
    scratchOfSubgroup = offset(scratchOfSubgroup, LLVM::MulOp::create(b, wide, i64(bytes)));
  }
  branch(start);
  prologueEnd = prologue->getTerminator();
  startBlock(start);
  Block *outerEnd = std::exchange(segmentEnd, end);
  segment = number;
  here.clear();
  firstsHere.clear();
  body();
  branch(end);
  segment = 0;
  mask = {};
  segmentEnd = outerEnd;
  startBlock(end);
  if (count == 1)
    return;
  Block *done = newBlock();
  Value next = LLVM::AddOp::create(b, loadFrom(b.getI32Type(), counter), i32(1));
  storeTo(next, counter);
  branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, next, i32(count)), head, done);
  startBlock(done);
}

/// The lanes with which a segment begins whose operations have this mask number.
Value SimdEmitter::startMask(unsigned number) {
  if (number != analysis.entryMask())
    return loadFrom(vectorOf(b.getI1Type()), scratchAt(plan.maskPlace()));
  if (analysis.workgroup().full())
    return {};
  Value count = integer(vectorOf(b.getI32Type()), analysis.workgroup().invocations());
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, linearNumbers(), count);
}

/// Variables that outlive the segment have a copy for it, of which LLVM can make values.
void SimdEmitter::moveVariables(unsigned number, bool toScratch) {
  for (Value slot : plan.keptVariables(number)) {
    Type element = slot.getDefiningOp<lane::VarOp>().getType(), stored = memoryType(element);
    bool asScalar = analysis.variable(slot).scalar();
    Type type = asScalar ? element : vectorOf(element);
    Value place = scratchAt(plan.kept(slot)->offset);
    if (toScratch)
      storeTo(toMemory(loadFrom(type, slotOf(slot))), place);
    else
      storeTo(fromMemory(loadFrom(asScalar ? stored : vectorOf(stored), place), element),
              slotOf(slot));
  }
}

void SimdEmitter::emitSegment(const PlanItem &item) {
  bool leaks = false;
  for (Operation *op : item.ops)
    leaks |= isConstruct(op) && analysis.leaks(op);
  leaks &= analysis.isCut();
  if (leaks) {
    anyFlag = stackOf(b.getI1Type());
    storeTo(integer(b.getI1Type(), 0), anyFlag);
  }
  forEachSubgroup(item.segment, [&] {
    unsigned number = analysis.maskNumber(item.ops.front());
    mask = startMask(number);
    if (number != analysis.entryMask()) {
      Block *some = newBlock();
      branch(anyOf(mask), some, segmentEnd);
      startBlock(some);
    }
    moveVariables(item.segment, false);
    withRegionEnd([&] { emitOps(item.ops); });
    moveVariables(item.segment, true);
    if (!leaks)
      return;
    storeTo(mask, scratchAt(plan.maskPlace()));
    Value before = loadFrom(b.getI1Type(), anyFlag);
    storeTo(either(before, anyOf(mask)), anyFlag);
  });
  if (leaks)
    skipUnless(loadFrom(b.getI1Type(), anyFlag));
}

//===-------------------------------------------------------------------------===//
// Masks of the workgroup
//===-------------------------------------------------------------------------===//

/// The lanes that waited in the mask at `place` run again.
void SimdEmitter::mergeWaiting(int64_t place) {
  forEachSubgroup(~0u, [&] {
    Type type = vectorOf(b.getI1Type());
    Value running = scratchAt(plan.maskPlace());
    storeTo(either(loadFrom(type, running), loadFrom(type, scratchAt(place))), running);
    storeTo(noLanes(), scratchAt(place));
  });
}

/// Whether a lane of the workgroup runs.
Value SimdEmitter::anyRuns() {
  Value flag = stackOf(b.getI1Type());
  storeTo(integer(b.getI1Type(), 0), flag);
  forEachSubgroup(~0u, [&] {
    Value running = loadFrom(vectorOf(b.getI1Type()), scratchAt(plan.maskPlace()));
    storeTo(either(loadFrom(b.getI1Type(), flag), anyOf(running)), flag);
  });
  return loadFrom(b.getI1Type(), flag);
}

/// Those that have gone their way wait for its end; those that have not, run.
void SimdEmitter::runOthers(Operation *selection) {
  forEachSubgroup(~0u, [&] {
    Type type = vectorOf(b.getI1Type());
    Value running = scratchAt(plan.maskPlace()), there = scratchAt(plan.leftPlace(selection));
    storeTo(either(loadFrom(type, there), loadFrom(type, running)), there);
    storeTo(loadFrom(type, scratchAt(plan.othersPlace(selection))), running);
  });
}

//===-------------------------------------------------------------------------===//
// Constructs
//===-------------------------------------------------------------------------===//

/// Those that run leave, while others wait in a construct on their way: on to the block's end,
/// where these are joined.
void SimdEmitter::leaveWaiting(Operation *op) {
  std::optional<int64_t> place;
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    place = plan.leftPlace(constructAt(op, exit.getDepth()));
  else if (auto again = dyn_cast<lane::ContinueOp>(op))
    place = plan.continuedPlace(constructAt(op, again.getDepth()));
  forEachSubgroup(~0u, [&] {
    Type type = vectorOf(b.getI1Type());
    if (place) {
      Value running = startMask(analysis.maskNumber(op));
      Value there = scratchAt(*place);
      storeTo(running ? either(loadFrom(type, there), running) : allLanes(), there);
    }
    storeTo(noLanes(), scratchAt(plan.maskPlace()));
  });
}

void SimdEmitter::emitGroupTerminator(Operation *op) {
  if (isa<lane::ExitOp, lane::ContinueOp, lane::ReturnOp>(op) && !analysis.jumps(op))
    return leaveWaiting(op);
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    branch(frames.lookup(constructAt(op, exit.getDepth())).exit);
  else if (auto again = dyn_cast<lane::ContinueOp>(op))
    branch(frames.lookup(constructAt(op, again.getDepth())).next);
  else if (isa<lane::ReturnOp, lane::UnreachableOp, func::ReturnOp>(op))
    branch(groupEnd);
}

/// One way of a selection, if a lane runs.
void SimdEmitter::emitGroupWay(Region &region) {
  Block *some = newBlock(), *next = newBlock();
  branch(anyRuns(), some, next);
  startBlock(some);
  emitGroupBlock(region.front());
  branch(next);
  startBlock(next);
}

/// Where the workgroup is not known to agree, its lanes go one way after the other.
void SimdEmitter::emitDividedIf(lane::IfOp op, unsigned number) {
  forEachSubgroup(number, [&] {
    Value before = startMask(analysis.maskNumber(op)), condition = vector(op.getCondition());
    storeTo(both(before, condition), scratchAt(plan.maskPlace()));
    storeTo(both(before, negated(condition)), scratchAt(plan.othersPlace(op)));
  });
  emitGroupWay(op.getThenRegion());
  runOthers(op);
  emitGroupWay(op.getElseRegion());
}

void SimdEmitter::emitGroupIf(lane::IfOp op, unsigned number) {
  if (!analysis.isWorkgroupScalar(op.getCondition()))
    return emitDividedIf(op, number);
  Block *exit = frames.lookup(op).exit, *yes = newBlock(), *no = newBlock();
  branch(scalar(op.getCondition()), yes, no, op.getWeightsAttr());
  for (auto [block, region] : {std::pair(yes, &op.getThenRegion()), {no, &op.getElseRegion()}}) {
    startBlock(block);
    emitGroupBlock(region->front());
    branch(exit);
  }
}

/// Each way is entered by the lanes that choose it and those that the way before lets through.
void SimdEmitter::emitDividedSwitch(lane::SwitchOp op, unsigned number) {
  Type type = vectorOf(b.getI1Type());
  forEachSubgroup(~0u, [&] {
    Value before = startMask(analysis.maskNumber(op));
    storeTo(before ? before : allLanes(), scratchAt(plan.othersPlace(op)));
    storeTo(noLanes(), scratchAt(plan.maskPlace()));
  });
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    forEachSubgroup(number, [&, i = i] {
      Value value = vector(op.getValue()), others = scratchAt(plan.othersPlace(op));
      auto equals = [&](int64_t number) -> Value {
        return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value,
                                    integer(value.getType(), number));
      };
      Value waiting = loadFrom(type, others), chosen = waiting;
      if (i != op.getDefaultPosition())
        chosen = both(waiting, equals(op.getCases()[i]));
      else
        for (auto [position, number] : llvm::enumerate(op.getCases()))
          if (position != i)
            chosen = both(chosen, negated(equals(number)));
      Value running = scratchAt(plan.maskPlace());
      storeTo(either(loadFrom(type, running), chosen), running);
      storeTo(both(waiting, negated(chosen)), others);
    });
    emitGroupWay(region);
  }
}

void SimdEmitter::emitGroupSwitch(lane::SwitchOp op, unsigned number) {
  if (!analysis.isWorkgroupScalar(op.getValue()))
    return emitDividedSwitch(op, number);
  Value value = scalar(op.getValue());
  SmallVector<Block *> entries, destinations;
  SmallVector<APInt> numbers;
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    entries.push_back(newBlock());
    if (i == op.getDefaultPosition())
      continue;
    numbers.push_back(APInt(value.getType().getIntOrFloatBitWidth(), number, true, true));
    destinations.push_back(entries.back());
  }
  SmallVector<ValueRange> noOperands(destinations.size());
  LLVM::SwitchOp::create(b, value, entries[op.getDefaultPosition()], ValueRange{}, numbers,
                         destinations, noOperands);
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    startBlock(entries[i]);
    emitGroupBlock(region.front());
    branch(i + 1 == entries.size() ? frames.lookup(op).exit : entries[i + 1]);
  }
}

void SimdEmitter::emitGroupLoop(lane::LoopOp loop) {
  Block *body = newBlock(), *next = newBlock(), *exit = frames.lookup(loop).exit;
  frames[loop].next = next;
  branch(body);
  startBlock(body);
  emitGroupBlock(loop.getBody().front());
  branch(next);
  startBlock(next);
  if (analysis.continuesApart(loop))
    mergeWaiting(plan.continuedPlace(loop));
  auto stopUnlessAnyRuns = [&] {
    if (!analysis.losesLanes(loop))
      return;
    Block *on = newBlock();
    branch(anyRuns(), on, exit);
    startBlock(on);
  };
  stopUnlessAnyRuns();
  emitGroupBlock(loop.getContinuing().front());
  if (!isOpen())
    return;
  if (!isa<lane::EndOp>(loop.getContinuing().front().front()))
    stopUnlessAnyRuns();
  repeatLoop(loop, body);
}

void SimdEmitter::emitGroupConstruct(const PlanItem &item) {
  Operation *op = item.op;
  Frame frame;
  frame.exit = newBlock();
  frame.ofWorkgroup = true;
  frames[op] = frame;
  bool waits = analysis.splits(op), apart = analysis.continuesApart(op);
  if (waits || apart)
    forEachSubgroup(~0u, [&] {
      if (waits)
        storeTo(noLanes(), scratchAt(plan.leftPlace(op)));
      if (apart)
        storeTo(noLanes(), scratchAt(plan.continuedPlace(op)));
    });
  if (auto selection = dyn_cast<lane::IfOp>(op))
    emitGroupIf(selection, item.segment);
  else if (auto selection = dyn_cast<lane::SwitchOp>(op))
    emitGroupSwitch(selection, item.segment);
  else if (auto loop = dyn_cast<lane::LoopOp>(op))
    emitGroupLoop(loop);
  else
    emitGroupBlock(cast<lane::ScopeOp>(op).getBody().front());
  branch(frame.exit);
  startBlock(frame.exit);
  if (waits)
    mergeWaiting(plan.leftPlace(op));
  if (analysis.leaks(op))
    skipUnless(anyRuns());
}

void SimdEmitter::emitScalars(Operation *op) {
  if (isLeaf(op->getResult(0)))
    return;
  if (isElementwise(op))
    emitElementwise(op);
  else if (auto load = dyn_cast<lane::LoadOp>(op))
    emitLoad(load);
  else
    emitVariableOp(op);
}

void SimdEmitter::emitItem(const PlanItem &item) {
  if (item.op)
    b.setLoc(item.op->getLoc());
  switch (item.kind) {
  case PlanItem::Scalar:
    return emitScalars(item.op);
  case PlanItem::Assign:
    return emitVariableOp(item.op);
  case PlanItem::Segment:
    return emitSegment(item);
  case PlanItem::Barrier:
    if (auto order = cast<lane::BarrierOp>(item.op).getOrder())
      emitFence(*order);
    return;
  case PlanItem::Construct:
    return emitGroupConstruct(item);
  case PlanItem::Terminator:
    return emitGroupTerminator(item.op);
  }
}

/// What a step finds no lane for goes on at the block's end, where lanes may wait to be joined.
void SimdEmitter::emitGroupBlock(Block &block) {
  withRegionEnd([&] {
    for (const PlanItem &item : plan.items(&block))
      emitItem(item);
  });
  mask = {}; // the workgroup's are in memory
}
