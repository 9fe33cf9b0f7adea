//===- StructureLanes.cpp - marked branches → regions -----------------------===//
//   before:   cf.cond_br %c, ^a, ^m {lane.merge = 1 : i32}
//           ^a: lane.store …   cf.br ^m
//           ^m: lane.label 1   …
//   after:  lane.if %c { lane.store …  lane.end } else { lane.end }  …
// Needs: flat functions, as docs/cpu-compiler.md describes them. Leaves: no branches, and one block
// in each region.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/lane_passes/RegionValues.h"
#include "compiler/cpu/lane_passes/SwitchOrder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_STRUCTURELANES
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {

/// A construct of which a region is being filled.
struct Construct {
  Block *merge = nullptr;         // the block to which control goes after the construct
  Block *continueBlock = nullptr; // for loops
  Block *header = nullptr;        // for loops
  bool isSwitch = false;          // a region ends at the next region, not at the merge
  bool continuing = false;        // whether the loop's second region is being filled
};

class Structurer {
public:
  explicit Structurer(func::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult run();

private:
  // Fills the region at the builder. Starts at a block and follows control to the points where it
  // leaves the region.
  LogicalResult fill(Block *block, bool enter = false);
  LogicalResult fillRegion(Region &region, Block *block, ValueRange operands, bool enter = false);

  // Translates the terminator of a block. Each function sets `next` to the block to fill next, or
  // to null.
  LogicalResult terminate(Operation *terminator, Block *&next);
  LogicalResult branch(cf::BranchOp op, Block *&next);
  LogicalResult conditional(cf::CondBranchOp op, Block *&next);
  LogicalResult switched(cf::SwitchOp op, Block *&next);
  LogicalResult loop(Block *header, Block *merge, Block *continueBlock);

  bool leave(Location loc, Block *target); // emits an exit if the target is one
  bool isExit(Block *target) const;
  bool endsHere(Block *target) const; // whether the end of the region leads to `target`
  bool leavesLoop(Block *target) const;
  void pass(Block *target, ValueRange operands); // sets a block's argument variables
  void reset(Block *block);
  Value variable(BlockArgument argument);
  Block *labelled(Operation *terminator, StringRef attribute);

  func::FuncOp function;
  OpBuilder builder;
  Block *top = nullptr; // the function's new body
  DenseMap<int32_t, Block *> labels;
  DenseMap<Value, Value> variables; // replace block arguments
  DenseSet<Block *> filled, loops;  // loops: headers of open or finished loops
  SmallVector<Construct> open;
};

} // namespace

static void setTerminator(OpBuilder &builder, Location loc, StringRef name, int depth = -1) {
  if (name == "end")
    lane::EndOp::create(builder, loc);
  else if (name == "exit")
    lane::ExitOp::create(builder, loc, depth);
  else
    lane::ContinueOp::create(builder, loc, depth);
}

Block *Structurer::labelled(Operation *terminator, StringRef attribute) {
  auto number = terminator->getAttrOfType<IntegerAttr>(attribute);
  return number ? labels.lookup(number.getInt()) : nullptr;
}

Value Structurer::variable(BlockArgument argument) {
  Value &slot = variables[argument];
  if (!slot) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(top);
    slot = cpu::makeVariable(builder, argument.getLoc(), argument.getType());
  }
  return slot;
}

void Structurer::reset(Block *block) {
  if (block)
    for (BlockArgument argument : block->getArguments())
      lane::ResetOp::create(builder, argument.getLoc(), variable(argument));
}

void Structurer::pass(Block *target, ValueRange operands) {
  // An invocation that leaves here does not read the variable between two assignments, unless it
  // waits before the loop. A block with one predecessor has only one assignment. But a loop may
  // assign the variable again, for lanes that leave it later.
  bool isMerge = llvm::any_of(open, [&](const Construct &of) { return of.merge == target; });
  bool overwrite = target->getTerminator()->hasAttr("lane.continue")
                       ? !isMerge
                       : target->getSinglePredecessor() && !leavesLoop(target);
  for (auto [argument, value] : llvm::zip(target->getArguments(), operands))
    if (!value.getDefiningOp<ub::PoisonOp>())
      lane::SetOp::create(builder, value.getLoc(), variable(argument), value, overwrite);
}

bool Structurer::isExit(Block *target) const {
  return llvm::any_of(open, [&](const Construct &construct) {
    return target == construct.merge || target == construct.continueBlock;
  });
}

bool Structurer::endsHere(Block *target) const {
  if (open.empty())
    return false;
  const Construct &inner = open.back();
  if (!inner.header)
    return target == inner.merge && !inner.isSwitch;
  return target == (inner.continuing ? inner.header : inner.continueBlock);
}

bool Structurer::leavesLoop(Block *target) const {
  bool within = false;
  for (const Construct &construct : llvm::reverse(open)) {
    bool loop = construct.header != nullptr;
    if (target == construct.merge)
      return within || loop;
    if (loop && (target == construct.continueBlock || target == construct.header))
      return false;
    within |= loop;
  }
  return false;
}

bool Structurer::leave(Location loc, Block *target) {
  if (endsHere(target)) {
    setTerminator(builder, loc, "end");
    return true;
  }
  for (size_t depth = 0; depth < open.size(); ++depth) {
    const Construct &construct = open[open.size() - 1 - depth];
    bool loop = construct.header != nullptr;
    if (target == construct.merge) {
      setTerminator(builder, loc, "exit", depth);
      return true;
    }
    if (loop && !construct.continuing && target == construct.continueBlock) {
      setTerminator(builder, loc, "continue", depth);
      return true;
    }
  }
  return false;
}

LogicalResult Structurer::fillRegion(Region &region, Block *block, ValueRange operands,
                                     bool enter) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  pass(block, operands);
  return fill(block, enter);
}

LogicalResult Structurer::fill(Block *block, bool enter) {
  Location loc = function.getLoc();
  while (block) {
    if (!enter && leave(loc, block))
      return success();
    enter = false;
    Operation *terminator = block->getTerminator();
    Block *continueBlock = labelled(terminator, "lane.continue");
    if (continueBlock && !loops.contains(block)) {
      Block *merge = labelled(terminator, "lane.merge");
      if (failed(loop(block, merge, continueBlock)))
        return failure();
      if (!merge) {
        lane::UnreachableOp::create(builder, terminator->getLoc());
        return success();
      }
      block = merge;
      continue;
    }
    if (!filled.insert(block).second)
      return terminator->emitError("control flow is not structured: the block that ends here has "
                                   "two predecessors, but is not a merge block");
    loc = terminator->getLoc();
    for (BlockArgument argument : block->getArguments()) {
      Value value =
          lane::GetOp::create(builder, argument.getLoc(), argument.getType(), variable(argument));
      argument.replaceAllUsesWith(value);
    }
    for (Operation &op : llvm::make_early_inc_range(block->without_terminator()))
      if (isa<lane::LabelOp>(op))
        op.erase();
      else
        op.moveBefore(builder.getInsertionBlock(), builder.getInsertionBlock()->end());
    builder.setInsertionPointToEnd(builder.getInsertionBlock());
    if (failed(terminate(terminator, block)))
      return failure();
  }
  return success();
}

LogicalResult Structurer::loop(Block *header, Block *merge, Block *continueBlock) {
  Operation *terminator = header->getTerminator();
  reset(merge);
  auto op = lane::LoopOp::create(
      builder, terminator->getLoc(), terminator->getAttrOfType<IntegerAttr>("lane.control"),
      terminator->getAttrOfType<DenseI32ArrayAttr>("lane.control_operands"));
  loops.insert(header);
  open.push_back({.merge = merge, .continueBlock = continueBlock, .header = header});
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  if (continueBlock != header)
    reset(continueBlock);
  if (failed(fill(header, /*enter=*/true)))
    return failure();
  builder.createBlock(&op.getContinuing());
  open.back().continuing = true;
  if (continueBlock == header || filled.contains(continueBlock) ||
      continueBlock->hasNoPredecessors())
    setTerminator(builder, terminator->getLoc(), "end");
  else if (failed(fill(continueBlock, /*enter=*/true)))
    return failure();
  open.pop_back();
  return success();
}

LogicalResult Structurer::terminate(Operation *terminator, Block *&next) {
  Location loc = terminator->getLoc();
  next = nullptr;
  if (auto op = dyn_cast<cf::BranchOp>(terminator))
    return branch(op, next);
  if (auto op = dyn_cast<cf::CondBranchOp>(terminator))
    return conditional(op, next);
  if (auto op = dyn_cast<cf::SwitchOp>(terminator))
    return switched(op, next);
  if (isa<func::ReturnOp, lane::ReturnOp>(terminator)) {
    if (open.empty())
      func::ReturnOp::create(builder, loc);
    else
      lane::ReturnOp::create(builder, loc);
    return success();
  }
  if (isa<lane::UnreachableOp, LLVM::UnreachableOp, ub::UnreachableOp>(terminator)) {
    lane::UnreachableOp::create(builder, loc);
    return success();
  }
  return terminator->emitError("a flat function has no terminator like this one");
}

LogicalResult Structurer::branch(cf::BranchOp op, Block *&next) {
  Block *header = op->getBlock(), *merge = labelled(op, "lane.merge");
  if (merge && !loops.contains(header)) {
    reset(merge);
    auto scope = lane::ScopeOp::create(builder, op.getLoc());
    open.push_back({.merge = merge});
    if (failed(fillRegion(scope.getBody(), op.getDest(), op.getDestOperands())))
      return failure();
    open.pop_back();
    next = merge;
    return success();
  }
  pass(op.getDest(), op.getDestOperands());
  next = op.getDest();
  return success();
}

LogicalResult Structurer::conditional(cf::CondBranchOp op, Block *&next) {
  Block *taken = op.getTrueDest(), *other = op.getFalseDest();
  Block *merge = loops.contains(op->getBlock()) ? nullptr : labelled(op, "lane.merge");
  if (taken == other && !merge) {
    pass(taken, op.getTrueDestOperands());
    next = taken;
    return success();
  }
  // Without a merge, one branch usually leaves the construct. The other branch is then filled after
  // the conditional. Otherwise, both branches are filled up to their exits.
  bool goOnWithTaken = !merge && (endsHere(taken) || (isExit(other) && !isExit(taken)));
  bool goOnWithOther =
      !merge && !goOnWithTaken && (endsHere(other) || (isExit(taken) && !isExit(other)));
  reset(merge);
  auto weights = op->getAttrOfType<DenseI32ArrayAttr>("lane.weights");
  auto control = merge ? op->getAttrOfType<IntegerAttr>("lane.control") : IntegerAttr();
  auto conditional = lane::IfOp::create(builder, op.getLoc(), op.getCondition(), weights, control);
  open.push_back({.merge = merge});
  auto way = [&](Region &region, Block *target, ValueRange operands, bool after) -> LogicalResult {
    if (!after)
      return fillRegion(region, target, operands);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    pass(target, operands);
    setTerminator(builder, op.getLoc(), "end");
    return success();
  };
  if (failed(way(conditional.getThenRegion(), taken, op.getTrueDestOperands(), goOnWithTaken)) ||
      failed(way(conditional.getElseRegion(), other, op.getFalseDestOperands(), goOnWithOther)))
    return failure();
  open.pop_back();
  next = goOnWithTaken ? taken : goOnWithOther ? other : merge;
  if (!next)
    lane::UnreachableOp::create(builder, op.getLoc());
  return success();
}

LogicalResult Structurer::switched(cf::SwitchOp op, Block *&next) {
  // Null if every path leaves the construct. No block reached the merge, so it was removed.
  Block *merge = labelled(op, "lane.merge");
  if (!op->hasAttr("lane.merge"))
    return op.emitError("a switch names no merge block (lane.merge)");
  auto stops = [&](Block *block) { return block == merge || isExit(block); };
  cpu::SwitchOrder order = cpu::orderSwitch(op, stops);
  reset(merge);
  for (const cpu::SwitchEntry &entry : order.entries)
    if (!stops(entry.target))
      reset(entry.target);
  auto edge = [&](Block *target, ValueRange operands) {
    if (target != merge || !operands.empty())
      pass(target, operands);
  };
  // All edges from the switch to one target pass the same values, because a phi has only one value
  // for each predecessor.
  edge(op.getDefaultDestination(), op.getDefaultOperands());
  for (auto [index, target] : llvm::enumerate(op.getCaseDestinations()))
    edge(target, op.getCaseOperands(index));
  auto created = lane::SwitchOp::create(builder, op.getLoc(), op.getFlag(), order.cases,
                                        order.defaultPosition, order.entries.size());
  open.push_back({.merge = merge, .isSwitch = true});
  for (auto [region, entry] : llvm::zip(created.getEntries(), order.entries)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    if (entry.sharesNext) {
      setTerminator(builder, op.getLoc(), "end");
      continue;
    }
    if (stops(entry.target)) {
      if (entry.target == merge)
        setTerminator(builder, op.getLoc(), "exit", 0);
      else
        leave(op.getLoc(), entry.target);
      continue;
    }
    if (!entry.fallsTo) {
      if (failed(fill(entry.target)))
        return failure();
      continue;
    }
    // A case may fall through from any depth. So each entry is a scope, and falling through exits
    // that scope.
    auto scope = lane::ScopeOp::create(builder, op.getLoc());
    setTerminator(builder, op.getLoc(), "end");
    open.push_back({.merge = entry.fallsTo});
    builder.createBlock(&scope.getBody());
    if (failed(fill(entry.target)))
      return failure();
    open.pop_back();
  }
  open.pop_back();
  next = merge;
  if (!next)
    lane::UnreachableOp::create(builder, op.getLoc());
  return success();
}

LogicalResult Structurer::run() {
  Region &body = function.getBody();
  for (Block &block : body)
    if (auto label = dyn_cast<lane::LabelOp>(block.front()))
      labels[label.getNumber()] = &block;
  Region structured;
  top = builder.createBlock(&structured);
  Block *entry = &body.front();
  if (failed(fill(entry))) {
    // Drops all references first, because operations in one half use values of the other half.
    for (Region *half : {&body, &structured})
      for (Block &block : *half) {
        block.dropAllReferences();
        block.dropAllDefinedValueUses();
      }
    body.getBlocks().clear();
    return failure();
  }
  if (top->empty() || !top->back().hasTrait<OpTrait::IsTerminator>() ||
      !isa<func::ReturnOp>(top->back())) {
    if (!top->empty() && top->back().hasTrait<OpTrait::IsTerminator>())
      top->back().erase(); // the end cannot be reached
    builder.setInsertionPointToEnd(top);
    func::ReturnOp::create(builder, function.getLoc());
  }
  for (Block &block : body)
    block.dropAllReferences();
  for (Block &block : body)
    block.dropAllDefinedValueUses();
  body.getBlocks().clear();
  body.takeBody(structured);
  cpu::passValuesThroughVariables(function);
  return success();
}

namespace {
struct StructureLanes final : cpu::impl::StructureLanesBase<StructureLanes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function->hasAttr("lane.kernel"))
      return;
    if (failed(Structurer(function).run()))
      signalPassFailure();
  }
};
} // namespace
