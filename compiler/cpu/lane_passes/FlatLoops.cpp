//===- FlatLoops.cpp - brings the loops of a flat function to one form ------===//
#include "compiler/cpu/lane_passes/FlatLoops.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
/// An edge from one block to another.
struct Edge {
  Operation *terminator;
  unsigned successor;

  Block *source() const { return terminator->getBlock(); }
  Block *target() const { return terminator->getSuccessor(successor); }
  SuccessorOperands operands() const {
    return cast<BranchOpInterface>(terminator).getSuccessorOperands(successor);
  }
  SmallVector<Value> values() const { return llvm::to_vector(operands().getForwardedOperands()); }
  void redirect(Block *block) const { terminator->setSuccessor(block, successor); }
  void redirect(Block *block, ValueRange values) const {
    redirect(block);
    SuccessorOperands passed = operands();
    passed.erase(0, passed.size());
    passed.append(values);
  }
};
} // namespace

static SmallVector<Edge> edgesTo(Block *block) {
  SmallVector<Edge> edges;
  llvm::SmallSetVector<Operation *, 4> terminators;
  for (Block *source : block->getPredecessors())
    terminators.insert(source->getTerminator());
  for (Operation *terminator : terminators)
    for (unsigned i = 0; i < terminator->getNumSuccessors(); ++i)
      if (terminator->getSuccessor(i) == block)
        edges.push_back({terminator, i});
  return edges;
}

Block *FlatLoops::newBlock(TypeRange arguments, Location loc) {
  SmallVector<Location> places(arguments.size(), loc);
  return builder.createBlock(&region, region.end(), arguments, places);
}

/// Makes the empty block `from` branch to `to`, and pass on its own arguments.
void FlatLoops::branch(Block *from, Block *to) {
  builder.setInsertionPointToEnd(from);
  cf::BranchOp::create(builder, region.getLoc(), to, from->getArguments());
}

bool FlatLoops::contains(const FlatLoop *loop, Block *block) const {
  const FlatLoop *around = innermost(block);
  while (around && around != loop)
    around = around->parent;
  return around == loop;
}

void FlatLoops::forgetMarks() {
  for (Block &block : region) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isa<lane::LabelOp>(op))
        op.erase();
    Operation *terminator = block.getTerminator();
    bool isLoop = terminator->hasAttr("lane.continue");
    terminator->removeAttr("lane.merge");
    terminator->removeAttr("lane.continue");
    if (!isLoop) { // the merge of a selection is no longer used
      terminator->removeAttr("lane.control");
      terminator->removeAttr("lane.control_operands");
    }
  }
}

/// Separates early returns that share a block. In a function with barriers, each early return gets
/// its own block. Otherwise, code after the barriers would depend on the conditions of the returns.
void FlatLoops::separateReturns() {
  bool hasBarriers = false;
  region.walk([&](lane::BarrierOp) { hasBarriers = true; });
  if (!hasBarriers)
    return;
  for (Block &block : llvm::make_early_inc_range(region)) {
    if (block.isEntryBlock() || !isa<func::ReturnOp>(block.front()))
      continue;
    for (Edge edge : edgesTo(&block)) {
      Block *own = newBlock({}, block.front().getLoc());
      func::ReturnOp::create(builder, block.front().getLoc());
      edge.redirect(own, {});
    }
    block.erase();
  }
}

/// Removes double edges between a terminator and a block. If both edges pass the same values, one
/// of them remains. Otherwise, the second one goes through a new block.
void FlatLoops::separateEqualWays() {
  SmallVector<Operation *> terminators;
  for (Block &block : region)
    terminators.push_back(block.getTerminator());
  for (Operation *terminator : terminators) {
    auto conditional = dyn_cast<cf::CondBranchOp>(terminator);
    if (conditional && conditional.getTrueDest() == conditional.getFalseDest() &&
        llvm::equal(conditional.getTrueOperands(), conditional.getFalseOperands())) {
      builder.setInsertionPoint(terminator);
      cf::BranchOp::create(builder, terminator->getLoc(), conditional.getTrueDest(),
                           conditional.getTrueOperands());
      terminator->erase();
      continue;
    }
    for (unsigned i = 1; i < terminator->getNumSuccessors(); ++i) {
      Edge edge{terminator, i};
      bool differs = llvm::any_of(llvm::seq(0U, i), [&](unsigned other) {
        Edge earlier{terminator, other};
        return earlier.target() == edge.target() && earlier.values() != edge.values();
      });
      if (!differs)
        continue;
      Block *own = newBlock({}, terminator->getLoc());
      cf::BranchOp::create(builder, terminator->getLoc(), edge.target(), edge.values());
      loopOf[own] = innermost(edge.source());
      edge.redirect(own, {});
    }
  }
}

/// Replaces the arguments of blocks that have only one incoming edge.
static void replaceArguments(Region &region) {
  for (Block &block : region) {
    if (block.isEntryBlock() || block.getNumArguments() == 0)
      continue;
    SmallVector<Edge> edges = edgesTo(&block);
    if (!llvm::all_of(edges, [&](Edge edge) {
          return edge.terminator == edges[0].terminator && edge.values() == edges[0].values();
        }))
      continue;
    for (auto [argument, value] : llvm::zip(block.getArguments(), edges[0].values()))
      argument.replaceAllUsesWith(value);
    for (Edge edge : edges)
      edge.redirect(&block, {});
    block.eraseArguments(0, block.getNumArguments());
  }
}

//===-------------------------------------------------------------------------===//
// Cycles
//===-------------------------------------------------------------------------===//

/// Returns the strongly connected components of these blocks and of the edges between them. This is
/// Tarjan's algorithm.
static SmallVector<llvm::SetVector<Block *>> cyclesOf(const llvm::SetVector<Block *> &blocks) {
  struct State {
    unsigned index = 0, lowest = 0;
    bool open = false;
  };
  DenseMap<Block *, State> states;
  SmallVector<Block *> open;
  SmallVector<llvm::SetVector<Block *>> cycles;
  SmallVector<std::pair<Block *, unsigned>> path;
  unsigned next = 0;
  auto enter = [&](Block *block) {
    ++next;
    states[block] = {next, next, true};
    open.push_back(block);
    path.push_back({block, 0});
  };
  auto finish = [&](Block *block) {
    if (states[block].lowest != states[block].index)
      return;
    llvm::SetVector<Block *> cycle;
    Block *member = nullptr;
    do {
      member = open.pop_back_val();
      states[member].open = false;
      cycle.insert(member);
    } while (member != block);
    if (cycle.size() > 1 || llvm::is_contained(block->getSuccessors(), block))
      cycles.push_back(std::move(cycle));
  };
  for (Block *root : blocks) {
    if (states[root].index)
      continue;
    enter(root);
    while (!path.empty()) {
      auto [block, successor] = path.back();
      if (successor == block->getNumSuccessors()) {
        finish(block);
        path.pop_back();
        if (!path.empty()) {
          State &above = states[path.back().first];
          above.lowest = std::min(above.lowest, states[block].lowest);
        }
        continue;
      }
      ++path.back().second;
      Block *target = block->getSuccessor(successor);
      if (!blocks.contains(target))
        continue;
      if (!states[target].index)
        enter(target);
      else if (states[target].open)
        states[block].lowest = std::min(states[block].lowest, states[target].index);
    }
  }
  return cycles;
}

/// Makes one entry for several. The new entry branches to the block whose number it receives.
Block *FlatLoops::dispatch(ArrayRef<Block *> entries) {
  SmallVector<Type> types{builder.getI32Type()};
  for (Block *entry : entries)
    llvm::append_range(types, entry->getArgumentTypes());
  Location loc = entries.front()->front().getLoc();
  Block *made = newBlock(types, loc);
  unsigned first = 1;
  for (auto [number, entry] : llvm::enumerate(entries)) {
    for (Edge edge : edgesTo(entry)) {
      builder.setInsertionPoint(edge.terminator);
      SmallVector<Value> values{
          arith::ConstantIntOp::create(builder, loc, static_cast<int64_t>(number), 32)};
      for (Type type : ArrayRef(types).drop_front())
        values.push_back(ub::PoisonOp::create(builder, loc, type)); // this path never reads it
      llvm::copy(edge.values(), values.begin() + first);
      edge.redirect(made, values);
    }
    for (BlockArgument argument : entry->getArguments())
      argument.replaceAllUsesWith(made->getArgument(first++));
    entry->eraseArguments(0, entry->getNumArguments());
  }
  SmallVector<int32_t> numbers;
  for (unsigned i = 1; i < entries.size(); ++i)
    numbers.push_back(static_cast<int32_t>(i));
  SmallVector<ValueRange> nothing(numbers.size());
  builder.setInsertionPointToEnd(made);
  cf::SwitchOp::create(builder, loc, made->getArgument(0), entries.front(), ValueRange(),
                       builder.getI32VectorAttr(numbers), BlockRange(entries.drop_front()),
                       nothing);
  return made;
}

void FlatLoops::make(Blocks cycle, FlatLoop *parent) {
  SmallVector<Block *> entries;
  for (Block *block : cycle)
    if (llvm::any_of(block->getPredecessors(), [&](Block *from) { return !cycle.contains(from); }))
      entries.push_back(block);
  Block *first = entries.front();
  if (entries.size() > 1) {
    first = dispatch(entries);
    cycle.insert(first);
  }
  auto &loop = *loops.emplace_back(std::make_unique<FlatLoop>());
  Location loc = first->front().getLoc();
  loop.parent = parent;
  loop.before = newBlock(first->getArgumentTypes(), loc);
  loop.header = newBlock(first->getArgumentTypes(), loc);
  loop.latch = newBlock(first->getArgumentTypes(), loc);
  for (Edge edge : edgesTo(first))
    edge.redirect(cycle.contains(edge.source()) ? loop.latch : loop.before);
  branch(loop.before, loop.header);
  branch(loop.latch, loop.header);
  for (auto [argument, own] : llvm::zip(first->getArguments(), loop.header->getArguments()))
    argument.replaceAllUsesWith(own);
  first->eraseArguments(0, first->getNumArguments());
  builder.setInsertionPointToEnd(loop.header);
  auto start = cf::BranchOp::create(builder, loc, first);
  for (StringRef control : {"lane.control", "lane.control_operands"})
    if (Attribute value = first->getTerminator()->removeAttr(control))
      start->setAttr(control, value);
  for (Block *block : cycle)
    loopOf[block] = &loop;
  loopOf[loop.header] = loopOf[loop.latch] = &loop;
  loopOf[loop.before] = parent;
  find(cycle, &loop);
}

void FlatLoops::find(const Blocks &blocks, FlatLoop *parent) {
  for (Blocks &cycle : cyclesOf(blocks))
    make(std::move(cycle), parent);
}

/// If no exit leads to a block that only the loop reaches, makes such a block for the most frequent
/// exit target.
void FlatLoops::separateExit(FlatLoop &loop) {
  llvm::MapVector<Block *, SmallVector<Edge>> exits;
  for (Block &block : region) {
    if (!contains(&loop, &block))
      continue;
    Operation *terminator = block.getTerminator();
    for (unsigned i = 0; i < terminator->getNumSuccessors(); ++i)
      if (Block *target = terminator->getSuccessor(i); !contains(&loop, target))
        exits[target].push_back({terminator, i});
  }
  if (exits.empty())
    return;
  auto own = [&](auto &exit) {
    return loopOf[exit.first] == loop.parent &&
           llvm::all_of(exit.first->getPredecessors(),
                        [&](Block *from) { return contains(&loop, from); });
  };
  if (llvm::any_of(exits, own))
    return;
  auto most =
      llvm::max_element(exits, [](auto &a, auto &b) { return a.second.size() < b.second.size(); });
  Block *made = newBlock(most->first->getArgumentTypes(), region.getLoc());
  loopOf[made] = loop.parent;
  for (Edge edge : most->second)
    edge.redirect(made);
  branch(made, most->first);
}

FlatLoops::FlatLoops(Region &region) : region(region), builder(region.getContext()) {
  IRRewriter rewriter(region.getContext());
  (void)eraseUnreachableBlocks(rewriter, region);
  forgetMarks();
  separateReturns();
  separateEqualWays();
  replaceArguments(region);
  Blocks blocks;
  for (Block &block : region)
    blocks.insert(&block);
  find(blocks, nullptr);
  separateEqualWays(); // edges to different entries may lead to one block now
  for (auto &loop : llvm::reverse(loops))
    separateExit(*loop);
}
