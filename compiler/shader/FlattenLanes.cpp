//===- FlattenLanes.cpp - lane operations with regions to branches ----------===//
//   before: lane.if %c { A; lane.end } else { lane.end }   B
//   after:  cf.cond_br %c, ^a, ^b     ^a: A; cf.br ^after     ^b: cf.br ^after     ^after: B
//===-------------------------------------------------------------------------===//
#include "compiler/shader/Passes.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace pumice::shader {
#define GEN_PASS_DEF_FLATTENLANES
#include "compiler/shader/Passes.h.inc"
} // namespace pumice::shader

using namespace mlir;
using namespace pumice;

namespace {

/// The blocks to which a construct's terminators lead.
struct Construct {
  Block *exit = nullptr;
  Block *continuing = nullptr; // loops only
};

struct FlattenLanes final : shader::impl::FlattenLanesBase<FlattenLanes> {
  void runOnOperation() override;

private:
  void flatten(Region &region, Block *end);
  void flattenConstruct(Operation *op);
  Block *moveOut(Region &region, Block *end, Block *before);
  void replaceTerminator(Block &block, Block *end);

  SmallVector<Construct> enclosing; // the innermost one last
};

} // namespace

/// Replaces the end of a region's block. `end` follows the region.
void FlattenLanes::replaceTerminator(Block &block, Block *end) {
  Operation *last = block.empty() ? nullptr : &block.back();
  bool isTerminator = last && last->hasTrait<OpTrait::IsTerminator>();
  Location loc = last ? last->getLoc() : block.getParentOp()->getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  auto branch = [&](Block *to) { cf::BranchOp::create(b, loc, to); };
  auto at = [&](uint32_t depth) { return enclosing[enclosing.size() - 1 - depth]; };
  if (!isTerminator || isa<lane::EndOp>(last))
    branch(end);
  else if (auto exit = dyn_cast<lane::ExitOp>(last))
    branch(at(exit.getDepth()).exit);
  else if (auto next = dyn_cast<lane::ContinueOp>(last))
    branch(at(next.getDepth()).continuing);
  else if (isa<lane::ReturnOp>(last))
    func::ReturnOp::create(b, loc);
  else if (isa<lane::UnreachableOp>(last))
    LLVM::UnreachableOp::create(b, loc);
  else
    return; // a branch of the flat form
  if (isTerminator)
    last->erase();
}

/// Flattens a region, moves its blocks in front of `before`, and returns the first one.
Block *FlattenLanes::moveOut(Region &region, Block *end, Block *before) {
  if (region.empty())
    return end;
  flatten(region, end);
  Block *first = &region.front();
  before->getParent()->getBlocks().splice(before->getIterator(), region.getBlocks());
  return first;
}

void FlattenLanes::flattenConstruct(Operation *op) {
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op->getNextNode());
  OpBuilder b = OpBuilder::atBlockEnd(before);
  Location loc = op->getLoc();
  enclosing.push_back({after, nullptr});
  if (auto loop = dyn_cast<lane::LoopOp>(op)) {
    // The body refers to the continuing region, which refers to the body.
    auto *header = new Block, *latch = new Block;
    before->getParent()->getBlocks().insert(after->getIterator(), header);
    before->getParent()->getBlocks().insert(after->getIterator(), latch);
    enclosing.back().continuing = latch;
    Block *body = moveOut(loop.getBody(), latch, latch);
    Block *continuing = moveOut(loop.getContinuing(), header, after);
    cf::BranchOp::create(b, loc, header);
    b.setInsertionPointToEnd(header);
    cf::BranchOp::create(b, loc, body);
    b.setInsertionPointToEnd(latch);
    cf::BranchOp::create(b, loc, continuing);
  } else if (auto choice = dyn_cast<lane::IfOp>(op)) {
    Block *then = moveOut(choice.getThenRegion(), after, after);
    Block *otherwise = moveOut(choice.getElseRegion(), after, after);
    cf::CondBranchOp::create(b, loc, choice.getCondition(), then, otherwise);
  } else if (auto scope = dyn_cast<lane::ScopeOp>(op)) {
    cf::BranchOp::create(b, loc, moveOut(scope.getBody(), after, after));
  } else {
    auto switchOp = cast<lane::SwitchOp>(op);
    SmallVector<Block *> entries(switchOp.getEntries().size());
    Block *next = after; // a region falls through to the next one
    for (size_t i = entries.size(); i-- > 0;)
      next = entries[i] = moveOut(switchOp.getEntries()[i], next, next);
    Block *defaultEntry = after;
    SmallVector<APInt> cases;
    SmallVector<Block *> targets;
    unsigned width = switchOp.getValue().getType().getIntOrFloatBitWidth();
    for (auto [i, entry] : llvm::enumerate(entries)) {
      if (i == switchOp.getDefaultPosition()) {
        defaultEntry = entry;
        continue;
      }
      cases.push_back(APInt(64, static_cast<uint64_t>(switchOp.getCases()[i])).trunc(width));
      targets.push_back(entry);
    }
    SmallVector<ValueRange> none(targets.size());
    cf::SwitchOp::create(b, loc, switchOp.getValue(), defaultEntry, ValueRange(), cases,
                         BlockRange(targets), none);
  }
  enclosing.pop_back();
  op->erase();
}

void FlattenLanes::flatten(Region &region, Block *end) {
  // Constructs split blocks, and add blocks after them. The list has those of this region alone.
  SmallVector<Block *> blocks;
  for (Block &block : region)
    blocks.push_back(&block);
  for (Block *block : blocks) {
    if (end)
      replaceTerminator(*block, end);
    while (true) {
      auto found = llvm::find_if(
          *block, llvm::IsaPred<lane::IfOp, lane::LoopOp, lane::ScopeOp, lane::SwitchOp>);
      if (found == block->end())
        break;
      Operation *construct = &*found;
      Block *rest = nullptr;
      // The terminator of the block moves to the block after the construct.
      Operation *last = block->getTerminator();
      flattenConstruct(construct);
      rest = last->getBlock();
      block = rest;
    }
  }
}

void FlattenLanes::runOnOperation() { flatten(getOperation().getBody(), nullptr); }
