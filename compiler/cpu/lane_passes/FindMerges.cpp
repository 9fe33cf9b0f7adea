//===- FindMerges.cpp - finds the merges of branches without marks ----------===//
//   before:   cf.cond_br %c, ^a, ^m
//           ^a: lane.store …   cf.br ^m
//           ^m: …
//   after:    cf.cond_br %c, ^a, ^m {lane.merge = 0 : i32}
//           ^a: lane.store …   cf.br ^m
//           ^m: lane.label 0   …
// A block with several predecessors becomes a merge of the block that dominates it. If a block
// dominates several merges, the branch gets a scope for each further merge. The last merge belongs
// to the outermost scope. The code after a loop is the loop's merge. Each loop gets its own header,
// one entry and one back edge (FlatLoops). Needs: flat functions with `lane.unmarked`; existing
// marks are dropped. Leaves: flat functions that pumice-structure-lanes accepts.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/lane_passes/FlatLoops.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_FINDMERGES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {

/// A block of a body, or a whole inner loop, represented by its header. So the graph of items has
/// no cycles.
struct Item {
  Block *block = nullptr;
  FlatLoop *loop = nullptr;         // the inner loop that this item represents
  llvm::SetVector<Item *> to, from; // edges within the body
  SmallVector<Item *> dominated;    // those immediately dominated, in the body's order
  Item *dominator = nullptr;        // the immediate dominator
  unsigned position = 0;            // in the body's order; 0: not reached yet
  unsigned weight = 1;              // the number of blocks that it dominates
  bool hasBarrier = false;          // whether one of these blocks has a barrier
};

/// The blocks that one iteration of a loop, or the function, executes.
struct Body {
  llvm::MapVector<Block *, std::unique_ptr<Item>> items;
  SmallVector<Item *> order; // definitions come before uses
  Item *item(Block *block);
};

class MergeFinder {
public:
  MergeFinder(Region &region, FlatLoops &loops)
      : region(region), loops(loops), builder(region.getContext()) {}
  void run();

private:
  void connect(Block *from, Block *to);
  void sort(Body &body, Item *first);
  static void findDominators(Body &body);
  void mark(Item &item);
  void markTerminator(Item &item, ArrayRef<Item *> merges);
  void markLoop(Item &item, ArrayRef<Item *> merges);
  void wrap(Operation *terminator, ArrayRef<Item *> merges);
  IntegerAttr label(Block *block);
  Item *heaviestWay(const Item &item) const;

  Region &region;
  FlatLoops &loops;
  OpBuilder builder;
  llvm::MapVector<FlatLoop *, Body> bodies; // null: the function
  DenseMap<Block *, IntegerAttr> labels;
  int32_t nextLabel = 0;
};

} // namespace

Item *Body::item(Block *block) {
  std::unique_ptr<Item> &slot = items[block];
  if (!slot) {
    slot = std::make_unique<Item>();
    slot->block = block;
  }
  return slot.get();
}

/// Connects two items. An edge belongs to the innermost body that contains both ends. In that body,
/// an inner loop is one item.
void MergeFinder::connect(Block *from, Block *to) {
  FlatLoop *common = loops.innermost(from);
  while (common && !loops.contains(common, to))
    common = common->parent;
  if (common && (to == common->latch || to == common->header))
    return;
  Body &body = bodies[common];
  auto itemOf = [&](Block *block) {
    FlatLoop *loop = loops.innermost(block);
    if (loop == common)
      return body.item(block);
    while (loop->parent != common)
      loop = loop->parent;
    Item *item = body.item(loop->header);
    item->loop = loop;
    return item;
  };
  Item *source = itemOf(from), *target = itemOf(to);
  source->to.insert(target);
  target->from.insert(source);
}

void MergeFinder::sort(Body &body, Item *first) {
  SmallVector<std::pair<Item *, size_t>> path{{first, 0}};
  DenseSet<Item *> seen{first};
  while (!path.empty()) {
    auto &[item, next] = path.back();
    if (next == item->to.size()) {
      body.order.push_back(item);
      path.pop_back();
      continue;
    }
    Item *target = item->to[next++];
    if (seen.insert(target).second)
      path.push_back({target, 0});
  }
  std::reverse(body.order.begin(), body.order.end());
  for (auto [i, item] : llvm::enumerate(body.order))
    item->position = i + 1;
}

/// Finds dominators in one pass, because the graph has no cycles. The dominator of an item is the
/// lowest item on all paths to it.
void MergeFinder::findDominators(Body &body) {
  for (Item *item : ArrayRef(body.order).drop_front()) {
    Item *common = nullptr;
    for (Item *other : item->from) {
      if (!common)
        common = other;
      while (common != other) {
        Item *&later = common->position > other->position ? common : other;
        later = later->dominator;
      }
    }
    item->dominator = common;
    common->dominated.push_back(item);
  }
  for (Item *item : llvm::reverse(body.order)) {
    auto hasBarrier = [](Block &block) { return !block.getOps<lane::BarrierOp>().empty(); };
    item->hasBarrier |= hasBarrier(*item->block);
    if (Item *above = item->dominator) {
      above->weight += item->weight;
      above->hasBarrier |= item->hasBarrier;
    }
  }
}

IntegerAttr MergeFinder::label(Block *block) {
  IntegerAttr &number = labels[block];
  if (!number) {
    builder.setInsertionPointToStart(block);
    number = builder.getI32IntegerAttr(nextLabel++);
    lane::LabelOp::create(builder, region.getLoc(), number);
  }
  return number;
}

/// Wraps a terminator in scopes, and moves it into the innermost one. `merges` lists the merges of
/// the scopes, from the innermost to the outermost.
void MergeFinder::wrap(Operation *terminator, ArrayRef<Item *> merges) {
  for (Item *merge : llvm::reverse(merges)) {
    Block *outside = terminator->getBlock();
    Block *inside = outside->splitBlock(terminator);
    builder.setInsertionPointToEnd(outside);
    auto scope = cf::BranchOp::create(builder, terminator->getLoc(), inside);
    scope->setAttr("lane.merge", label(merge->block));
  }
}

/// The paths after a branch never merge. Returns the path that becomes the code after the
/// construct. It should be one with a barrier, which must not depend on the branch, or else the
/// longest one, to avoid deep nesting.
Item *MergeFinder::heaviestWay(const Item &item) const {
  Item *best = nullptr;
  for (Item *way : item.dominated)
    if (!best ||
        std::pair(way->hasBarrier, way->weight) > std::pair(best->hasBarrier, best->weight))
      best = way;
  return best;
}

void MergeFinder::markTerminator(Item &item, ArrayRef<Item *> merges) {
  Operation *terminator = item.block->getTerminator();
  bool isSwitch = isa<cf::SwitchOp>(terminator);
  if (!isSwitch && !isa<cf::CondBranchOp>(terminator))
    return wrap(terminator, merges); // one successor needs no merge
  if (!merges.empty()) {
    wrap(terminator, merges.drop_front());
    terminator->setAttr("lane.merge", label(merges.front()->block));
  } else if (isSwitch || item.dominated.size() > 1) {
    Item *way = heaviestWay(item);
    Block *merge = way ? way->block : nullptr;
    if (!merge) { // every case leaves the construct
      merge = builder.createBlock(&region);
      lane::UnreachableOp::create(builder, terminator->getLoc());
    }
    terminator->setAttr("lane.merge", label(merge));
  }
}

void MergeFinder::markLoop(Item &item, ArrayRef<Item *> merges) {
  Operation *header = item.block->getTerminator();
  header->setAttr("lane.continue", label(item.loop->latch));
  // If nothing follows the loop, the merge is a label that no block has.
  header->setAttr("lane.merge", merges.empty() ? builder.getI32IntegerAttr(nextLabel++)
                                               : label(merges.front()->block));
  if (merges.size() > 1)
    wrap(item.loop->before->getTerminator(), merges.drop_front());
}

void MergeFinder::mark(Item &item) {
  SmallVector<Item *> merges;
  for (Item *below : item.dominated)
    if (item.loop || below->from.size() > 1)
      merges.push_back(below);
  if (item.loop)
    markLoop(item, merges);
  else
    markTerminator(item, merges);
}

void MergeFinder::run() {
  for (Block &block : region)
    for (Block *successor : block.getSuccessors())
      connect(&block, successor);
  // Inner loops come first, because their blocks count in the enclosing body.
  SmallVector<FlatLoop *> all{nullptr};
  for (auto &loop : loops.all())
    all.push_back(loop.get());
  for (FlatLoop *loop : llvm::reverse(all)) {
    Body &body = bodies[loop];
    Item *first = body.item(loop ? loop->header : &region.front());
    sort(body, first);
    findDominators(body);
    if (loop) {
      Item *whole = bodies[loop->parent].item(loop->header);
      whole->hasBarrier = first->hasBarrier;
      whole->weight = first->weight;
    }
  }
  for (auto &[loop, body] : bodies)
    for (Item *item : body.order)
      mark(*item);
}

namespace {
struct FindMerges final : cpu::impl::FindMergesBase<FindMerges> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->removeAttr("lane.unmarked"))
      return;
    FlatLoops loops(function.getBody());
    MergeFinder(function.getBody(), loops).run();
  }
};
} // namespace
