//===- FlattenSpirv.cpp - converts spirv.modules to the reader's form -------===//
//   before:   spirv.mlir.selection { cond_br %c, ^a, ^m  ^a: …  ^m: spirv.mlir.merge }
//             rest
//   after:    cf.br ^h
//           ^h: cf.cond_br %c, ^a, ^m {lane.merge = 1 : i32}
//           ^a: …
//           ^m: lane.label 1
//             rest
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/FlattenModule.h"
#include "compiler/import/spirv/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv_import {
#define GEN_PASS_DEF_FLATTENSPIRV
#include "compiler/import/spirv/Passes.h.inc"
} // namespace pumice::spirv_import

using namespace mlir;
using namespace pumice;
namespace spv = mlir::spirv;

namespace {

/// Replaces branches of spirv by branches of cf, which can print additional attributes.
void replaceBranch(Operation *op) {
  OpBuilder builder(op);
  Location location = op->getLoc();
  if (auto branch = dyn_cast<spv::BranchOp>(op)) {
    cf::BranchOp::create(builder, location, branch.getTarget(), branch.getTargetOperands());
  } else if (auto branch = dyn_cast<spv::BranchConditionalOp>(op)) {
    auto made = cf::CondBranchOp::create(builder, location, branch.getCondition(),
                                         branch.getTrueTarget(), branch.getTrueTargetOperands(),
                                         branch.getFalseTarget(), branch.getFalseTargetOperands());
    if (std::optional<ArrayAttr> weights = branch.getBranchWeights()) {
      SmallVector<int32_t> numbers;
      for (auto number : weights->getAsRange<IntegerAttr>())
        numbers.push_back(static_cast<int32_t>(number.getInt()));
      made->setAttr("lane.weights", builder.getDenseI32ArrayAttr(numbers));
    }
  } else if (auto choice = dyn_cast<spv::SwitchOp>(op)) {
    SmallVector<ValueRange> operands;
    for (unsigned i = 0, end = choice.getTargets().size(); i < end; ++i)
      operands.push_back(choice.getTargetOperands(i));
    DenseIntElementsAttr literals;
    if (std::optional<DenseIntElementsAttr> given = choice.getLiterals())
      literals = *given;
    cf::SwitchOp::create(builder, location, choice.getSelector(), choice.getDefaultTarget(),
                         choice.getDefaultOperands(), literals, choice.getTargets(), operands);
  } else {
    return;
  }
  op->erase();
}

class Flattener {
public:
  explicit Flattener(spv::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult flatten(Operation *construct);
  int32_t label(Block *block);
  void mark(Operation *terminator, StringRef name, int32_t number) {
    terminator->setAttr(name, builder.getI32IntegerAttr(number));
  }

  spv::FuncOp function;
  OpBuilder builder;
  llvm::DenseMap<Operation *, Operation *> choices; // the last operation of each selection's header
  int32_t labels = 0;
};

int32_t Flattener::label(Block *block) {
  if (!block->empty())
    if (auto existing = dyn_cast<lane::LabelOp>(block->front()))
      return static_cast<int32_t>(existing.getNumber());
  builder.setInsertionPointToStart(block);
  lane::LabelOp::create(builder, function.getLoc(), ++labels);
  return labels;
}

/// Replaces a construct by its blocks. The code behind it becomes part of its merge block.
LogicalResult Flattener::flatten(Operation *construct) {
  Region &region = construct->getRegion(0);
  auto loop = dyn_cast<spv::LoopOp>(construct);
  Block *before = construct->getBlock();
  if (region.empty()) {
    construct->erase();
    return success();
  }
  Block *entry = &region.front(), *merge = &region.back();
  auto end = dyn_cast<spv::MergeOp>(merge->getTerminator());
  if (!end || (loop && llvm::hasNItemsOrLess(region, 2)))
    return construct->emitError() << "its last block is not a merge block of its own";
  Block *header = loop ? &*std::next(region.begin()) : entry;
  Block *again = loop ? &*std::prev(region.end(), 2) : nullptr;
  Block *rest = before->splitBlock(construct);
  construct->remove();
  before->getParent()->getBlocks().splice(Region::iterator(rest), region.getBlocks());
  builder.setInsertionPointToEnd(before);
  cf::BranchOp::create(builder, construct->getLoc(), entry);
  for (auto [result, operand] : llvm::zip_equal(construct->getResults(), end->getOperands()))
    result.replaceAllUsesWith(operand);
  end->erase();
  merge->getOperations().splice(merge->end(), rest->getOperations());
  rest->replaceAllUsesWith(merge); // a terminator that moved must not refer to the erased block
  rest->erase();

  // If the header block contains another selection, that selection has split the block, and the
  // branch is further down. The header of a loop remains the block to which the last block branches
  // back.
  Operation *terminator = loop ? header->getTerminator() : choices[construct];
  mark(terminator, "lane.merge", label(merge));
  if (loop)
    mark(terminator, "lane.continue", label(again));
  uint32_t control =
      loop ? static_cast<uint32_t>(loop.getLoopControl())
           : static_cast<uint32_t>(cast<spv::SelectionOp>(construct).getSelectionControl());
  if (control)
    mark(terminator, "lane.control", static_cast<int32_t>(control));
  construct->destroy();
  return success();
}

LogicalResult Flattener::run() {
  SmallVector<Operation *> branches, constructs, variables;
  function.walk([&](Operation *op) {
    if (isa<spv::BranchOp, spv::BranchConditionalOp, spv::SwitchOp>(op))
      branches.push_back(op);
    if (auto variable = dyn_cast<spv::VariableOp>(op); variable && variable.getInitializer())
      variables.push_back(op);
  });
  for (Operation *op : branches)
    replaceBranch(op);
  for (Operation *op : variables) {
    auto variable = cast<spv::VariableOp>(op);
    builder.setInsertionPointAfter(op);
    spv::StoreOp::create(builder, op->getLoc(), variable, variable.getInitializer());
    variable.getInitializerMutable().clear();
  }
  // Inner constructs come first, so that the blocks of an outer construct are complete.
  function.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (isa<spv::SelectionOp, spv::LoopOp>(op))
      constructs.push_back(op);
    if (isa<spv::SelectionOp>(op) && !op->getRegion(0).empty())
      choices[op] = op->getRegion(0).front().getTerminator();
  });
  for (Operation *op : constructs)
    if (failed(flatten(op)))
      return failure();
  return success();
}

struct FlattenSpirv final : spirv_import::impl::FlattenSpirvBase<FlattenSpirv> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<spv::ModuleOp> inner(module.getOps<spv::ModuleOp>());
    for (spv::ModuleOp each : inner)
      if (failed(spirv_import::dissolve(each, module)))
        return signalPassFailure();
    for (auto function : module.getOps<spv::FuncOp>())
      if (failed(Flattener(function).run()))
        return signalPassFailure();
  }
};

} // namespace
