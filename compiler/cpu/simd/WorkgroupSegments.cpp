//===- WorkgroupSegments.cpp - emits code that runs once for a workgroup ----===//
//   before: A; lane.barrier; B
//   after:  for each subgroup: A; stores the values that B needs to scratch memory
//           for each subgroup: B
// A construct with a barrier runs once per workgroup. If its condition is known to be the same for
// all invocations, it becomes a branch. Otherwise, each arm runs for the lanes that take it. Lanes
// that must wait for others of the workgroup are recorded in masks in scratch memory.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Atomics.h"
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Rules.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Value WorkgroupSegments::emitLeaf(Operation *op) { return cpu::emitLeaf(e, op); }

void WorkgroupSegments::emitWorkgroup(Block &kernel) {
  if (e.plan.keepsMask())
    forEachSubgroup(~0u, [&] {
      Value all = startMask(e.analysis.entryMask());
      e.b.storeTo(all ? all : e.b.allLanes(), scratchAt(e.plan.maskPlace()));
    });
  emitGroupBlock(kernel);
}

Value WorkgroupSegments::scratchAt(int64_t place) { return e.b.offset(scratchOfSubgroup, place); }

/// Returns the memory in which subgroups keep values, one subgroup after the other. If it is small,
/// it is on the stack, because nothing reads it after the kernel. Then LLVM can turn it into values
/// if it unrolls the loops over subgroups.
Value WorkgroupSegments::scratchBase() {
  if (!e.plan.fitsOnStack() || e.plan.bytes() == 0)
    return e.frame.scratch();
  if (!scratchOnStack)
    scratchOnStack = e.b.stackOf(e.b.getI8Type(), e.plan.bytes(), 64);
  return scratchOnStack;
}

/// Calls `body` in a loop over the subgroups of a workgroup, for segment `number`. The code of
/// `body` ends by falling through or by a branch to `segmentEnd`.
void WorkgroupSegments::forEachSubgroup(unsigned number, function_ref<void()> body) {
  int64_t count = e.analysis.workgroup().subgroups();
  Block *head = e.b.newBlock(), *prologue = e.b.newBlock(), *start = e.b.newBlock(),
        *end = e.b.newBlock();
  Value counter = e.b.stackOf(e.b.getI32Type());
  if (count > 1) {
    e.b.storeTo(e.b.i32(0), counter);
    e.b.branch(head);
    e.b.startBlock(head);
    subgroup = e.b.loadFrom(e.b.getI32Type(), counter);
  } else {
    e.b.branch(head);
    e.b.startBlock(head);
    subgroup = e.b.i32(0);
  }
  e.b.branch(prologue);
  e.b.startBlock(prologue);
  scratchOfSubgroup = scratchBase();
  if (int64_t bytes = e.plan.bytesPerSubgroup(); bytes && count > 1) {
    Value wide = LLVM::ZExtOp::create(e.b, e.b.getI64Type(), subgroup);
    scratchOfSubgroup =
        e.b.offset(scratchOfSubgroup, LLVM::MulOp::create(e.b, wide, e.b.i64(bytes)));
  }
  e.b.branch(start);
  prologueEnd = prologue->getTerminator();
  e.b.startBlock(start);
  Block *outerEnd = std::exchange(segmentEnd, end);
  segment = number;
  e.values.startSubgroup();
  body();
  e.b.branch(end);
  segment = 0;
  e.values.endSubgroup();
  e.control.mask = {};
  segmentEnd = outerEnd;
  e.b.startBlock(end);
  if (count == 1)
    return;
  Block *done = e.b.newBlock();
  Value next = LLVM::AddOp::create(e.b, e.b.loadFrom(e.b.getI32Type(), counter), e.b.i32(1));
  e.b.storeTo(next, counter);
  e.b.branch(LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ult, next, e.b.i32(count)), head, done);
  e.b.startBlock(done);
}

/// Returns the lanes that are active at the start of a segment. Operations of the segment have this
/// mask number.
Value WorkgroupSegments::startMask(unsigned number) {
  if (number != e.analysis.entryMask())
    return e.b.loadFrom(e.b.maskType(), scratchAt(e.plan.maskPlace()));
  if (e.analysis.workgroup().full())
    return {};
  Value count = e.b.integer(e.b.vectorOf(e.b.getI32Type()), e.analysis.workgroup().invocations());
  return LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ult, linearNumbers(e), count);
}

/// Copies variables that outlive the segment between the stack and scratch memory. LLVM can turn
/// the copies into values.
void WorkgroupSegments::moveVariables(unsigned number, bool toScratch) {
  for (Value slot : e.plan.keptVariables(number)) {
    Type element = slot.getDefiningOp<lane::VarOp>().getType(), stored = e.b.memoryType(element);
    bool asScalar = e.analysis.variable(slot).scalar();
    Type type = asScalar ? element : e.b.vectorOf(element);
    Value place = scratchAt(e.plan.kept(slot)->offset);
    if (toScratch)
      e.b.storeTo(e.b.toMemory(e.b.loadFrom(type, e.variables.slotOf(slot))), place);
    else
      e.b.storeTo(
          e.b.fromMemory(e.b.loadFrom(asScalar ? stored : e.b.vectorOf(stored), place), element),
          e.variables.slotOf(slot));
  }
}

/// Defines a value that another segment has kept. The code that loads or recomputes it comes before
/// the code of the segment.
void WorkgroupSegments::bring(Value value) {
  Operation *op = value.getDefiningOp();
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPoint(prologueEnd);
  const KeptPlace *place = e.plan.kept(value);
  if (place && !isa<lane::PrivateOp>(op)) {
    Type type = e.b.memoryType(value.getType());
    type = e.analysis.shape(value).scalar() ? type : e.b.vectorOf(type);
    Value kept = e.b.loadFrom(type, scratchAt(place->offset));
    return e.values.defineHere(value, e.b.fromMemory(kept, value.getType()));
  }
  Value allHere = std::exchange(e.control.mask, Value());
  e.emitOp(op);
  e.control.mask = allHere;
}

bool WorkgroupSegments::isKept(Value value) {
  return e.plan.kept(value) && e.plan.segmentOf(value.getDefiningOp()) == segment;
}

void WorkgroupSegments::keep(Value value, Value as) {
  Value stored = e.b.toMemory(as);
  e.b.storeTo(stored, scratchAt(e.plan.kept(value)->offset));
}

void WorkgroupSegments::emitSegment(const PlanItem &item) {
  bool leaks = false;
  for (Operation *op : item.ops)
    leaks |= isConstruct(op) && e.analysis.leaks(op);
  leaks &= e.analysis.isCut();
  if (leaks) {
    anyFlag = e.b.stackOf(e.b.getI1Type());
    e.b.storeTo(e.b.integer(e.b.getI1Type(), 0), anyFlag);
  }
  forEachSubgroup(item.segment, [&] {
    unsigned number = e.analysis.maskNumber(item.ops.front());
    e.control.mask = startMask(number);
    if (number != e.analysis.entryMask()) {
      Block *some = e.b.newBlock();
      e.b.branch(e.b.anyOf(e.control.mask), some, segmentEnd);
      e.b.startBlock(some);
    }
    moveVariables(item.segment, false);
    e.control.withRegionEnd([&] { e.control.emitOps(item.ops); });
    moveVariables(item.segment, true);
    if (!leaks)
      return;
    e.b.storeTo(e.control.mask, scratchAt(e.plan.maskPlace()));
    Value before = e.b.loadFrom(e.b.getI1Type(), anyFlag);
    e.b.storeTo(e.b.either(before, e.b.anyOf(e.control.mask)), anyFlag);
  });
  if (leaks)
    e.control.skipUnless(e.b.loadFrom(e.b.getI1Type(), anyFlag));
}

//===-------------------------------------------------------------------------===//
// Masks of the whole workgroup
//===-------------------------------------------------------------------------===//

/// Resumes the lanes that wait in the mask at `place`.
void WorkgroupSegments::mergeWaiting(int64_t place) {
  forEachSubgroup(~0u, [&] {
    Type type = e.b.maskType();
    Value running = scratchAt(e.plan.maskPlace());
    e.b.storeTo(e.b.either(e.b.loadFrom(type, running), e.b.loadFrom(type, scratchAt(place))),
                running);
    e.b.storeTo(e.b.noLanes(), scratchAt(place));
  });
}

/// Returns whether any lane of the workgroup is running.
Value WorkgroupSegments::anyRuns() {
  Value flag = e.b.stackOf(e.b.getI1Type());
  e.b.storeTo(e.b.integer(e.b.getI1Type(), 0), flag);
  forEachSubgroup(~0u, [&] {
    Value running = e.b.loadFrom(e.b.maskType(), scratchAt(e.plan.maskPlace()));
    e.b.storeTo(e.b.either(e.b.loadFrom(e.b.getI1Type(), flag), e.b.anyOf(running)), flag);
  });
  return e.b.loadFrom(e.b.getI1Type(), flag);
}

/// Runs the lanes that have not yet taken their arm of the selection. The other lanes wait for its
/// end.
void WorkgroupSegments::runOthers(Operation *selection) {
  forEachSubgroup(~0u, [&] {
    Type type = e.b.maskType();
    Value running = scratchAt(e.plan.maskPlace()), there = scratchAt(e.plan.leftPlace(selection));
    e.b.storeTo(e.b.either(e.b.loadFrom(type, there), e.b.loadFrom(type, running)), there);
    e.b.storeTo(e.b.loadFrom(type, scratchAt(e.plan.othersPlace(selection))), running);
  });
}

//===-------------------------------------------------------------------------===//
// Constructs
//===-------------------------------------------------------------------------===//

/// Makes the running lanes leave constructs in which other lanes wait. The code continues at the
/// end of the block, where the waiting lanes resume.
void WorkgroupSegments::leaveWaiting(Operation *op) {
  std::optional<int64_t> place;
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    place = e.plan.leftPlace(constructAt(op, exit.getDepth()));
  else if (auto again = dyn_cast<lane::ContinueOp>(op))
    place = e.plan.continuedPlace(constructAt(op, again.getDepth()));
  forEachSubgroup(~0u, [&] {
    Type type = e.b.maskType();
    if (place) {
      Value running = startMask(e.analysis.maskNumber(op));
      Value there = scratchAt(*place);
      e.b.storeTo(running ? e.b.either(e.b.loadFrom(type, there), running) : e.b.allLanes(), there);
    }
    e.b.storeTo(e.b.noLanes(), scratchAt(e.plan.maskPlace()));
  });
}

void WorkgroupSegments::emitGroupTerminator(Operation *op) {
  if (isa<lane::ExitOp, lane::ContinueOp, lane::ReturnOp>(op) && !e.analysis.jumps(op))
    return leaveWaiting(op);
  if (auto exit = dyn_cast<lane::ExitOp>(op))
    e.b.branch(e.control.opened.lookup(constructAt(op, exit.getDepth())).end);
  else if (auto again = dyn_cast<lane::ContinueOp>(op))
    e.b.branch(e.control.opened.lookup(constructAt(op, again.getDepth())).next);
  else if (isa<lane::ReturnOp, lane::UnreachableOp, func::ReturnOp>(op))
    e.b.branch(e.frame.groupEnd);
}

/// Emits one arm of a selection. The arm runs if any lane is active.
void WorkgroupSegments::emitGroupWay(Region &region) {
  Block *some = e.b.newBlock(), *next = e.b.newBlock();
  e.b.branch(anyRuns(), some, next);
  e.b.startBlock(some);
  emitGroupBlock(region.front());
  e.b.branch(next);
  e.b.startBlock(next);
}

/// Emits a selection for which lanes of the workgroup may disagree. One arm runs after the other.
void WorkgroupSegments::emitDividedIf(lane::IfOp op, unsigned number) {
  forEachSubgroup(number, [&] {
    Value before = startMask(e.analysis.maskNumber(op)),
          condition = e.values.vector(op.getCondition());
    e.b.storeTo(e.b.both(before, condition), scratchAt(e.plan.maskPlace()));
    e.b.storeTo(e.b.both(before, e.b.negated(condition)), scratchAt(e.plan.othersPlace(op)));
  });
  emitGroupWay(op.getThenRegion());
  runOthers(op);
  emitGroupWay(op.getElseRegion());
}

void WorkgroupSegments::emitGroupIf(lane::IfOp op, unsigned number) {
  if (!e.analysis.isWorkgroupScalar(op.getCondition()))
    return emitDividedIf(op, number);
  Block *exit = e.control.opened.lookup(op).end, *yes = e.b.newBlock(), *no = e.b.newBlock();
  e.b.branch(e.values.scalar(op.getCondition()), yes, no, op.getWeightsAttr());
  for (auto [block, region] : {std::pair(yes, &op.getThenRegion()), {no, &op.getElseRegion()}}) {
    e.b.startBlock(block);
    emitGroupBlock(region->front());
    e.b.branch(exit);
  }
}

/// The lanes that select a case enter it together with those that fall through from the case
/// before.
void WorkgroupSegments::emitDividedSwitch(lane::SwitchOp op, unsigned number) {
  Type type = e.b.maskType();
  forEachSubgroup(~0u, [&] {
    Value before = startMask(e.analysis.maskNumber(op));
    e.b.storeTo(before ? before : e.b.allLanes(), scratchAt(e.plan.othersPlace(op)));
    e.b.storeTo(e.b.noLanes(), scratchAt(e.plan.maskPlace()));
  });
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    forEachSubgroup(number, [&, i = i] {
      Value value = e.values.vector(op.getValue()), others = scratchAt(e.plan.othersPlace(op));
      auto equals = [&](int64_t number) -> Value {
        return LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::eq, value,
                                    e.b.integer(value.getType(), number));
      };
      Value waiting = e.b.loadFrom(type, others), chosen = waiting;
      if (i != op.getDefaultPosition())
        chosen = e.b.both(waiting, equals(op.getCases()[i]));
      else
        for (auto [position, number] : llvm::enumerate(op.getCases()))
          if (position != i)
            chosen = e.b.both(chosen, e.b.negated(equals(number)));
      Value running = scratchAt(e.plan.maskPlace());
      e.b.storeTo(e.b.either(e.b.loadFrom(type, running), chosen), running);
      e.b.storeTo(e.b.both(waiting, e.b.negated(chosen)), others);
    });
    emitGroupWay(region);
  }
}

void WorkgroupSegments::emitGroupSwitch(lane::SwitchOp op, unsigned number) {
  if (!e.analysis.isWorkgroupScalar(op.getValue()))
    return emitDividedSwitch(op, number);
  Value value = e.values.scalar(op.getValue());
  SmallVector<Block *> entries, destinations;
  SmallVector<APInt> numbers;
  for (auto [i, number] : llvm::enumerate(op.getCases())) {
    entries.push_back(e.b.newBlock());
    if (i == op.getDefaultPosition())
      continue;
    numbers.push_back(APInt(value.getType().getIntOrFloatBitWidth(), number, true, true));
    destinations.push_back(entries.back());
  }
  SmallVector<ValueRange> noOperands(destinations.size());
  LLVM::SwitchOp::create(e.b, value, entries[op.getDefaultPosition()], ValueRange{}, numbers,
                         destinations, noOperands);
  for (auto [i, region] : llvm::enumerate(op.getEntries())) {
    e.b.startBlock(entries[i]);
    emitGroupBlock(region.front());
    e.b.branch(i + 1 == entries.size() ? e.control.opened.lookup(op).end : entries[i + 1]);
  }
}

void WorkgroupSegments::emitGroupLoop(lane::LoopOp loop) {
  Block *body = e.b.newBlock(), *next = e.b.newBlock(), *exit = e.control.opened.lookup(loop).end;
  e.control.opened[loop].next = next;
  e.b.branch(body);
  e.b.startBlock(body);
  emitGroupBlock(loop.getBody().front());
  e.b.branch(next);
  e.b.startBlock(next);
  if (e.analysis.continuesApart(loop))
    mergeWaiting(e.plan.continuedPlace(loop));
  auto stopUnlessAnyRuns = [&] {
    if (!e.analysis.losesLanes(loop))
      return;
    Block *on = e.b.newBlock();
    e.b.branch(anyRuns(), on, exit);
    e.b.startBlock(on);
  };
  stopUnlessAnyRuns();
  emitGroupBlock(loop.getContinuing().front());
  if (!e.b.isOpen())
    return;
  if (!isa<lane::EndOp>(loop.getContinuing().front().front()))
    stopUnlessAnyRuns();
  e.loops.repeatLoop(loop, body);
}

void WorkgroupSegments::emitGroupConstruct(const PlanItem &item) {
  Operation *op = item.op;
  Exits exits;
  exits.end = e.b.newBlock();
  exits.ofWorkgroup = true;
  e.control.opened[op] = exits;
  bool waits = e.analysis.splits(op), apart = e.analysis.continuesApart(op);
  if (waits || apart)
    forEachSubgroup(~0u, [&] {
      if (waits)
        e.b.storeTo(e.b.noLanes(), scratchAt(e.plan.leftPlace(op)));
      if (apart)
        e.b.storeTo(e.b.noLanes(), scratchAt(e.plan.continuedPlace(op)));
    });
  if (auto selection = dyn_cast<lane::IfOp>(op))
    emitGroupIf(selection, item.segment);
  else if (auto selection = dyn_cast<lane::SwitchOp>(op))
    emitGroupSwitch(selection, item.segment);
  else if (auto loop = dyn_cast<lane::LoopOp>(op))
    emitGroupLoop(loop);
  else
    emitGroupBlock(cast<lane::ScopeOp>(op).getBody().front());
  e.b.branch(exits.end);
  e.b.startBlock(exits.end);
  if (waits)
    mergeWaiting(e.plan.leftPlace(op));
  if (e.analysis.leaks(op))
    e.control.skipUnless(anyRuns());
}

void WorkgroupSegments::emitScalars(Operation *op) {
  if (!isLeaf(op->getResult(0)))
    simd::emitByRule(e, op);
}

void WorkgroupSegments::emitItem(const PlanItem &item) {
  if (item.op)
    e.b.setLoc(item.op->getLoc());
  switch (item.kind) {
  case PlanItem::Scalar:
    return emitScalars(item.op);
  case PlanItem::Assign:
    return simd::emitByRule(e, item.op);
  case PlanItem::Segment:
    return emitSegment(item);
  case PlanItem::Barrier:
    if (auto order = cast<lane::BarrierOp>(item.op).getOrder())
      emitFence(e.b, *order);
    return;
  case PlanItem::Construct:
    return emitGroupConstruct(item);
  case PlanItem::Terminator:
    return emitGroupTerminator(item.op);
  }
}

/// If no lane is active at a step, control continues at the end of the block, where waiting lanes
/// may resume.
void WorkgroupSegments::emitGroupBlock(Block &block) {
  e.control.withRegionEnd([&] {
    for (const PlanItem &item : e.plan.items(&block))
      emitItem(item);
  });
  e.control.mask = {}; // the masks of the workgroup are in memory
}
