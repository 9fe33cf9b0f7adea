//===- SwitchOrder.cpp - orders a switch's targets by fall-through ----------===//
#include "compiler/cpu/lane_passes/SwitchOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pumice::cpu;

/// Returns the other target into which the case at `from` falls without passing a stop, or null.
static Block *fallsInto(Block *from, const llvm::SmallDenseSet<Block *> &targets,
                        llvm::function_ref<bool(Block *)> stops) {
  SmallVector<Block *> work{from};
  llvm::SmallDenseSet<Block *> seen{from};
  while (!work.empty()) {
    Block *block = work.pop_back_val();
    for (Block *next : block->getSuccessors()) {
      if (next != from && targets.contains(next) && !stops(next))
        return next;
      if (!stops(next) && seen.insert(next).second)
        work.push_back(next);
    }
  }
  return nullptr;
}

SwitchOrder pumice::cpu::orderSwitch(cf::SwitchOp op, llvm::function_ref<bool(Block *)> stops) {
  // Maps each target to its case values. The targets are in the order of the operation, but the
  // default is last.
  llvm::MapVector<Block *, SmallVector<int64_t>> numbers;
  if (auto values = op.getCaseValues())
    for (auto [value, target] : llvm::zip(values->getValues<APInt>(), op.getCaseDestinations()))
      numbers[target].push_back(value.getSExtValue());
  Block *defaultTarget = op.getDefaultDestination();
  numbers.insert({defaultTarget, {}});

  llvm::SmallDenseSet<Block *> targets, reached;
  for (auto &[target, values] : numbers)
    targets.insert(target);
  llvm::SmallDenseMap<Block *, Block *> next;
  for (auto &[target, values] : numbers)
    if (!stops(target))
      if (Block *into = fallsInto(target, targets, stops)) {
        next[target] = into;
        reached.insert(into);
      }

  SwitchOrder order;
  auto place = [&](Block *target) {
    SmallVector<int64_t> &values = numbers[target];
    bool isDefault = target == defaultTarget;
    size_t count = values.size() + isDefault;
    for (size_t i = 0; i < count; ++i) {
      bool last = i + 1 == count;
      if (isDefault && last)
        order.defaultPosition = order.entries.size();
      order.cases.push_back(i < values.size() ? values[i] : 0);
      order.entries.push_back(
          {.target = target, .fallsTo = last ? next.lookup(target) : target, .sharesNext = !last});
    }
  };
  // A chain starts at a case into which no other case falls. A chain cannot be a cycle, because a
  // switch is not a loop.
  for (auto &[target, values] : numbers)
    if (!reached.contains(target))
      for (Block *block = target; block; block = next.lookup(block))
        place(block);
  return order;
}
