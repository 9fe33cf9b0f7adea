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

Value SimdEmitter::scratchAt(int64_t place) { return b.offset(scratchOfSubgroup, place); }

/// What subgroups keep, one after the other. A little is on the stack: LLVM knows that nobody reads
/// it later, and where it unrolls the loops over subgroups it makes values of it.
Value SimdEmitter::scratchBase() {
  if (!plan.fitsOnStack() || plan.bytes() == 0)
    return frame.scratch();
  if (!scratchOnStack)
    scratchOnStack = b.stackOf(b.getI8Type(), plan.bytes(), 64);
  return scratchOnStack;
}

/// Calls `body` in a loop over the workgroup's subgroups, as segment `number`. It leaves by falling
/// through or by a branch to `segmentEnd`.
void SimdEmitter::forEachSubgroup(unsigned number, function_ref<void()> body) {
  int64_t count = analysis.workgroup().subgroups();
  Block *head = b.newBlock(), *prologue = b.newBlock(), *start = b.newBlock(), *end = b.newBlock();
  Value counter = b.stackOf(b.getI32Type());
  if (count > 1) {
    b.storeTo(b.i32(0), counter);
    b.branch(head);
    b.startBlock(head);
    subgroup = b.loadFrom(b.getI32Type(), counter);
  } else {
    b.branch(head);
    b.startBlock(head);
    subgroup = b.i32(0);
  }
  b.branch(prologue);
  b.startBlock(prologue);
  scratchOfSubgroup = scratchBase();
  if (int64_t bytes = plan.bytesPerSubgroup(); bytes && count > 1) {
    Value wide = LLVM::ZExtOp::create(b, b.getI64Type(), subgroup);
    scratchOfSubgroup = b.offset(scratchOfSubgroup, LLVM::MulOp::create(b, wide, b.i64(bytes)));
  }
  b.branch(start);
  prologueEnd = prologue->getTerminator();
  b.startBlock(start);
  Block *outerEnd = std::exchange(segmentEnd, end);
  segment = number;
  values.startSubgroup();
  body();
  b.branch(end);
  segment = 0;
  values.endSubgroup();
  mask = {};
  segmentEnd = outerEnd;
  b.startBlock(end);
  if (count == 1)
    return;
  Block *done = b.newBlock();
  Value next = LLVM::AddOp::create(b, b.loadFrom(b.getI32Type(), counter), b.i32(1));
  b.storeTo(next, counter);
  b.branch(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, next, b.i32(count)), head, done);
  b.startBlock(done);
}

/// The lanes with which a segment begins whose operations have this mask number.
Value SimdEmitter::startMask(unsigned number) {
  if (number != analysis.entryMask())
    return b.loadFrom(b.maskType(), scratchAt(plan.maskPlace()));
  if (analysis.workgroup().full())
    return {};
  Value count = b.integer(b.vectorOf(b.getI32Type()), analysis.workgroup().invocations());
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, linearNumbers(), count);
}

/// Variables that outlive the segment have a copy for it, of which LLVM can make values.
void SimdEmitter::moveVariables(unsigned number, bool toScratch) {
  for (Value slot : plan.keptVariables(number)) {
    Type element = slot.getDefiningOp<lane::VarOp>().getType(), stored = b.memoryType(element);
    bool asScalar = analysis.variable(slot).scalar();
    Type type = asScalar ? element : b.vectorOf(element);
    Value place = scratchAt(plan.kept(slot)->offset);
    if (toScratch)
      b.storeTo(b.toMemory(b.loadFrom(type, variables.slotOf(slot))), place);
    else
      b.storeTo(b.fromMemory(b.loadFrom(asScalar ? stored : b.vectorOf(stored), place), element),
                variables.slotOf(slot));
  }
}

void SimdEmitter::emitSegment(const PlanItem &item) {
  bool leaks = false;
  for (Operation *op : item.ops)
    leaks |= isConstruct(op) && analysis.leaks(op);
  leaks &= analysis.isCut();
  if (leaks) {
    anyFlag = b.stackOf(b.getI1Type());
    b.storeTo(b.integer(b.getI1Type(), 0), anyFlag);
  }
  forEachSubgroup(item.segment, [&] {
    unsigned number = analysis.maskNumber(item.ops.front());
    mask = startMask(number);
    if (number != analysis.entryMask()) {
      Block *some = b.newBlock();
      b.branch(b.anyOf(mask), some, segmentEnd);
      b.startBlock(some);
    }
    moveVariables(item.segment, false);
    withRegionEnd([&] { emitOps(item.ops); });
    moveVariables(item.segment, true);
    if (!leaks)
      return;
    b.storeTo(mask, scratchAt(plan.maskPlace()));
    Value before = b.loadFrom(b.getI1Type(), anyFlag);
    b.storeTo(b.either(before, b.anyOf(mask)), anyFlag);
  });
  if (leaks)
    skipUnless(b.loadFrom(b.getI1Type(), anyFlag));
}

//===-------------------------------------------------------------------------===//
// Masks of the workgroup
//===-------------------------------------------------------------------------===//

/// The lanes that waited in the mask at `place` run again.
void SimdEmitter::mergeWaiting(int64_t place) {
  forEachSubgroup(~0u, [&] {
    Type type = b.maskType();
    Value running = scratchAt(plan.maskPlace());
    b.storeTo(b.either(b.loadFrom(type, running), b.loadFrom(type, scratchAt(place))), running);
    b.storeTo(b.noLanes(), scratchAt(place));
  });
}

/// Whether a lane of the workgroup runs.
Value SimdEmitter::anyRuns() {
  Value flag = b.stackOf(b.getI1Type());
  b.storeTo(b.integer(b.getI1Type(), 0), flag);
  forEachSubgroup(~0u, [&] {
    Value running = b.loadFrom(b.maskType(), scratchAt(plan.maskPlace()));
    b.storeTo(b.either(b.loadFrom(b.getI1Type(), flag), b.anyOf(running)), flag);
  });
  return b.loadFrom(b.getI1Type(), flag);
}

/// Those that have gone their way wait for its end; those that have not, run.
void SimdEmitter::runOthers(Operation *selection) {
  forEachSubgroup(~0u, [&] {
    Type type = b.maskType();
    Value running = scratchAt(plan.maskPlace()), there = scratchAt(plan.leftPlace(selection));
    b.storeTo(b.either(b.loadFrom(type, there), b.loadFrom(type, running)), there);
    b.storeTo(b.loadFrom(type, scratchAt(plan.othersPlace(selection))), running);
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
    Type type = b.maskType();
    if (place) {
      Value running = startMask(analysis.maskNumber(op));
      Value there = scratchAt(*place);
      b.storeTo(running ? b.either(b.loadFrom(type, there), running) : b.allLanes(), there);
    }
    b.storeTo(b.noLanes(), scratchAt(plan.maskPlace()));
  });
}

void SimdEmitter::emitGroupTerminator(Operation *op) {
  if (isa<lane::ExitOp, lane::ContinueOp, lane::ReturnOp>(op) && !analysis.jumps(op))
    return leaveWaiting(op);
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    b.branch(opened.lookup(constructAt(op, exit.getDepth())).end);
  else if (auto again = dyn_cast<lane::ContinueOp>(op))
    b.branch(opened.lookup(constructAt(op, again.getDepth())).next);
  else if (isa<lane::ReturnOp, lane::UnreachableOp, func::ReturnOp>(op))
    b.branch(frame.groupEnd);
}

/// One way of a selection, if a lane runs.
void SimdEmitter::emitGroupWay(Region &region) {
  Block *some = b.newBlock(), *next = b.newBlock();
  b.branch(anyRuns(), some, next);
  b.startBlock(some);
  emitGroupBlock(region.front());
  b.branch(next);
  b.startBlock(next);
}

/// Where the workgroup is not known to agree, its lanes go one way after the other.
void SimdEmitter::emitDividedIf(lane::IfOp op, unsigned number) {
  forEachSubgroup(number, [&] {
    Value before = startMask(analysis.maskNumber(op)), condition = values.vector(op.getCondition());
    b.storeTo(b.both(before, condition), scratchAt(plan.maskPlace()));
    b.storeTo(b.both(before, b.negated(condition)), scratchAt(plan.othersPlace(op)));
  });
  emitGroupWay(op.getThenRegion());
  runOthers(op);
  emitGroupWay(op.getElseRegion());
}

void SimdEmitter::emitGroupIf(lane::IfOp op, unsigned number) {
  if (!analysis.isWorkgroupScalar(op.getCondition()))
    return emitDividedIf(op, number);
  Block *exit = opened.lookup(op).end, *yes = b.newBlock(), *no = b.newBlock();
  b.branch(values.scalar(op.getCondition()), yes, no, op.getWeightsAttr());
  for (auto [block, region] : {std::pair(yes, &op.getThenRegion()), {no, &op.getElseRegion()}}) {
    b.startBlock(block);
    emitGroupBlock(region->front());
    b.branch(exit);
  }
}

/// Each way is entered by the lanes that choose it and those that the way before lets through.
void SimdEmitter::emitDividedSwitch(lane::SwitchOp op, unsigned number) {
  Type type = b.maskType();
  forEachSubgroup(~0u, [&] {
    Value before = startMask(analysis.maskNumber(op));
    b.storeTo(before ? before : b.allLanes(), scratchAt(plan.othersPlace(op)));
    b.storeTo(b.noLanes(), scratchAt(plan.maskPlace()));
  });
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    forEachSubgroup(number, [&, i = i] {
      Value value = values.vector(op.getValue()), others = scratchAt(plan.othersPlace(op));
      auto equals = [&](int64_t number) -> Value {
        return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value,
                                    b.integer(value.getType(), number));
      };
      Value waiting = b.loadFrom(type, others), chosen = waiting;
      if (i != op.getDefaultPosition())
        chosen = b.both(waiting, equals(op.getCases()[i]));
      else
        for (auto [position, number] : llvm::enumerate(op.getCases()))
          if (position != i)
            chosen = b.both(chosen, b.negated(equals(number)));
      Value running = scratchAt(plan.maskPlace());
      b.storeTo(b.either(b.loadFrom(type, running), chosen), running);
      b.storeTo(b.both(waiting, b.negated(chosen)), others);
    });
    emitGroupWay(region);
  }
}

void SimdEmitter::emitGroupSwitch(lane::SwitchOp op, unsigned number) {
  if (!analysis.isWorkgroupScalar(op.getValue()))
    return emitDividedSwitch(op, number);
  Value value = values.scalar(op.getValue());
  SmallVector<Block *> entries, destinations;
  SmallVector<APInt> numbers;
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    entries.push_back(b.newBlock());
    if (i == op.getDefaultPosition())
      continue;
    numbers.push_back(APInt(value.getType().getIntOrFloatBitWidth(), number, true, true));
    destinations.push_back(entries.back());
  }
  SmallVector<ValueRange> noOperands(destinations.size());
  LLVM::SwitchOp::create(b, value, entries[op.getDefaultPosition()], ValueRange{}, numbers,
                         destinations, noOperands);
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    b.startBlock(entries[i]);
    emitGroupBlock(region.front());
    b.branch(i + 1 == entries.size() ? opened.lookup(op).end : entries[i + 1]);
  }
}

void SimdEmitter::emitGroupLoop(lane::LoopOp loop) {
  Block *body = b.newBlock(), *next = b.newBlock(), *exit = opened.lookup(loop).end;
  opened[loop].next = next;
  b.branch(body);
  b.startBlock(body);
  emitGroupBlock(loop.getBody().front());
  b.branch(next);
  b.startBlock(next);
  if (analysis.continuesApart(loop))
    mergeWaiting(plan.continuedPlace(loop));
  auto stopUnlessAnyRuns = [&] {
    if (!analysis.losesLanes(loop))
      return;
    Block *on = b.newBlock();
    b.branch(anyRuns(), on, exit);
    b.startBlock(on);
  };
  stopUnlessAnyRuns();
  emitGroupBlock(loop.getContinuing().front());
  if (!b.isOpen())
    return;
  if (!isa<lane::EndOp>(loop.getContinuing().front().front()))
    stopUnlessAnyRuns();
  repeatLoop(loop, body);
}

void SimdEmitter::emitGroupConstruct(const PlanItem &item) {
  Operation *op = item.op;
  Exits exits;
  exits.end = b.newBlock();
  exits.ofWorkgroup = true;
  opened[op] = exits;
  bool waits = analysis.splits(op), apart = analysis.continuesApart(op);
  if (waits || apart)
    forEachSubgroup(~0u, [&] {
      if (waits)
        b.storeTo(b.noLanes(), scratchAt(plan.leftPlace(op)));
      if (apart)
        b.storeTo(b.noLanes(), scratchAt(plan.continuedPlace(op)));
    });
  if (auto selection = dyn_cast<lane::IfOp>(op))
    emitGroupIf(selection, item.segment);
  else if (auto selection = dyn_cast<lane::SwitchOp>(op))
    emitGroupSwitch(selection, item.segment);
  else if (auto loop = dyn_cast<lane::LoopOp>(op))
    emitGroupLoop(loop);
  else
    emitGroupBlock(cast<lane::ScopeOp>(op).getBody().front());
  b.branch(exits.end);
  b.startBlock(exits.end);
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
