//===- LaneAnalysisControl.cpp - finds where lanes diverge and rejoin -------===//
// An exit is a plain branch if no lane waits between the exit and its target. A lane waits if it is
// in another arm of a divided selection, has left a construct in between, or is in a continuing
// region. Every other exit removes its lanes from the mask. Then the constructs between the exit
// and its target *leak* lanes, and the target construct is *split*.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/lane_passes/LaneAnalysis.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

bool cpu::isConstruct(Operation *op) {
  return isa<lane::IfOp, lane::SwitchOp, lane::LoopOp, lane::ScopeOp>(op);
}

Operation *cpu::constructAt(Operation *op, unsigned depth) {
  Operation *construct = op->getParentOp();
  while (depth-- > 0)
    construct = construct->getParentOp();
  return construct;
}

template <typename Set, typename T> void LaneAnalysis::mark(Set &set, T element) {
  if (set.insert(element).second)
    changed = true;
}

bool LaneAnalysis::isWorkgroupBlock(Block *block) const {
  Operation *parent = block->getParentOp();
  return isa<func::FuncOp>(parent) || isWorkgroupConstruct(parent);
}

/// Collects the operations that must run once per workgroup, and those that might.
void LaneAnalysis::collect() {
  kernel.walk([&](lane::BarrierOp barrier) {
    cut = group.subgroups() > 1;
    for (Operation *op = barrier->getParentOp(); isConstruct(op); op = op->getParentOp())
      holdsBarrier.insert(op);
  });
  if (!cut)
    return;
  kernel.walk([&](lane::VarOp var) { workgroupVariables.insert(var.getSlot()); });
  workgroupConstructs = holdsBarrier;
  kernel.walk([&](Operation *exit) {
    if (!isa<lane::ExitOp, lane::ContinueOp, lane::ReturnOp>(exit))
      return;
    Operation *target = kernel;
    if (auto op = dyn_cast<lane::ExitOp>(exit))
      target = constructAt(op, op.getDepth());
    else if (auto op = dyn_cast<lane::ContinueOp>(exit))
      target = constructAt(op, op.getDepth());
    if (target != kernel && !holdsBarrier.contains(target))
      return;
    for (Operation *op = exit->getParentOp(); op != target; op = op->getParentOp())
      if (isa<lane::IfOp, lane::ScopeOp>(op))
        workgroupConstructs.insert(op);
  });
}

/// Handles a selection without a barrier. It runs once per workgroup only if its condition is
/// computed once per workgroup.
void LaneAnalysis::demote(Operation *construct) {
  if (!isWorkgroupConstruct(construct) || holdsBarrier.contains(construct))
    return;
  auto selection = dyn_cast<lane::IfOp>(construct);
  if (isWorkgroupBlock(construct->getBlock()) &&
      (!selection || isWorkgroupScalar(selection.getCondition())))
    return;
  workgroupConstructs.erase(construct);
  changed = true;
}

//===-------------------------------------------------------------------------===//
// Exits
//===-------------------------------------------------------------------------===//

/// Returns whether some lanes may wait in `construct`, which contains `exit`, while others leave it
/// through `exit`.
bool LaneAnalysis::pendingLanes(Operation *construct, Operation *exit) const {
  if (splits(construct))
    return true;
  auto loop = dyn_cast<lane::LoopOp>(construct);
  return loop && continued.contains(loop) && loop.getBody().isAncestor(exit->getParentRegion());
}

void LaneAnalysis::visitExit(Operation *exit, Operation *target, bool isContinue) {
  bool isAwaited = false;
  for (Operation *op = exit->getParentOp(); op != target; op = op->getParentOp())
    isAwaited |= pendingLanes(op, exit);
  bool ofWorkgroup = isWorkgroupBlock(exit->getBlock()) && cut;
  bool isSplitSelection = isa<lane::IfOp, lane::SwitchOp>(target) && splits(target);
  if (ofWorkgroup && !isAwaited && !isSplitSelection)
    return; // all invocations that still run are at this exit
  bool apartFromOthers = isAwaited || (cut && (target == kernel || isWorkgroupConstruct(target)));
  apartFromOthers |= isSplitSelection;          // lanes in other arms wait
  if (!isContinue && isa<lane::LoopOp>(target)) // lanes that left the loop do not wait
    apartFromOthers |= continued.contains(target) &&
                       cast<lane::LoopOp>(target).getBody().isAncestor(exit->getParentRegion());
  if (apartFromOthers)
    mark(masked, exit);
  if (jumps(exit))
    return;
  for (Operation *op = exit->getParentOp(); op != target; op = op->getParentOp())
    mark(leaking, op);
  if (isContinue) {
    continued.insert(target);
    mark(apart, target);
  } else if (target != kernel) {
    mark(split, target);
  }
}

//===-------------------------------------------------------------------------===//
// Masks
//===-------------------------------------------------------------------------===//

void LaneAnalysis::walkRoot() {
  nextMask = group.full() ? 0 : 1;
  storesPending = false;
  walkBlock(kernel.getBody().front(), nextMask);
}

unsigned LaneAnalysis::walkBlock(Block &block, unsigned mask) {
  for (Operation &op : block) {
    masks[&op] = mask;
    if (isConstruct(&op))
      mask = walkConstruct(&op, mask);
    else
      visit(&op);
  }
  return mask;
}

unsigned LaneAnalysis::walkLoop(lane::LoopOp loop, unsigned mask) {
  continued.erase(loop);
  unsigned inside = losesLanes(loop) ? ++nextMask : mask;
  walkBlock(loop.getBody().front(), inside);
  unsigned again = losesLanes(loop) ? ++nextMask : mask;
  walkBlock(loop.getContinuing().front(), again);
  continued.erase(loop);
  return leaks(loop) ? ++nextMask : mask;
}

unsigned LaneAnalysis::walkConstruct(Operation *op, unsigned mask) {
  demote(op);
  bool forWorkgroup = isWorkgroupConstruct(op);
  if (forWorkgroup)
    storesPending = false;
  if (auto loop = dyn_cast<lane::LoopOp>(op)) {
    unsigned after = walkLoop(loop, mask);
    storesPending = !forWorkgroup;
    return after;
  }
  bool isSelection = op->getNumOperands() > 0;
  // Even with a barrier inside, the condition may diverge, because no invocation might reach the
  // barrier.
  if (isSelection &&
      (forWorkgroup ? !isWorkgroupScalar(op->getOperand(0)) : !shape(op->getOperand(0)).uniform()))
    mark(split, op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    // A scope begins with all of its lanes. A case may begin with fewer lanes: those that fall
    // through.
    bool fresh = isSelection && (splits(op) || (isa<lane::SwitchOp>(op) && leaks(op)));
    walkBlock(region.front(), fresh ? ++nextMask : mask);
  }
  storesPending = !forWorkgroup;
  return leaks(op) ? ++nextMask : mask;
}

/// Returns the number of the region of `op` that contains another operation.
static unsigned regionOf(Operation *op, Operation *inner) {
  Region *region = inner->getParentRegion();
  while (region->getParentOp() != op)
    region = region->getParentRegion();
  return region->getRegionNumber();
}

/// Returns whether an operation comes before another one in the code.
static bool comesBefore(Operation *a, Operation *b) {
  for (Operation *ofA = a;; ofA = ofA->getParentOp()) {
    Operation *ofB = ofA->getBlock()->findAncestorOpInBlock(*b);
    if (ofB)
      return ofA == ofB ? regionOf(ofA, a) < regionOf(ofA, b) : ofA->isBeforeInBlock(ofB);
  }
}

/// Returns whether no lane has set the variable since a reset when the set runs. Then all lanes may
/// be set: those that are not active have no value to lose.
static bool isFirstAfterReset(lane::SetOp set) {
  // Only one of many sets is the first, and to find it takes the square of their number.
  constexpr unsigned mostUsers = 64;
  if (set.getSlot().hasNUsesOrMore(mostUsers + 1))
    return false;
  for (Operation *reset : set.getSlot().getUsers()) {
    if (!isa<lane::ResetOp>(reset))
      continue;
    Operation *inBlock = reset->getBlock()->findAncestorOpInBlock(*set);
    if (!inBlock || !reset->isBeforeInBlock(inBlock))
      continue;
    bool isRepeated = false;
    for (Operation *op = set; op != inBlock; op = op->getParentOp())
      isRepeated |= isa<lane::LoopOp>(op->getParentOp());
    bool isFirst = !isRepeated && llvm::none_of(set.getSlot().getUsers(), [&](Operation *other) {
      return isa<lane::SetOp>(other) && other != set && comesBefore(reset, other) &&
             comesBefore(other, set);
    });
    if (isFirst)
      return true;
  }
  return false;
}

bool LaneAnalysis::overwrites(lane::SetOp set) const {
  if (set.getOverwrite() || isFirstAfterReset(set))
    return true;
  unsigned mask = maskNumber(set);
  Operation *var = set.getSlot().getDefiningOp();
  if (maskNumber(var) == mask)
    return true;
  // Looks for a reset in an enclosing block that always runs before the set.
  for (Operation *user : set.getSlot().getUsers()) {
    if (!isa<lane::ResetOp>(user) || maskNumber(user) != mask)
      continue;
    Operation *inBlock = user->getBlock()->findAncestorOpInBlock(*set);
    if (inBlock && user->isBeforeInBlock(inBlock))
      return true;
  }
  return false;
}
