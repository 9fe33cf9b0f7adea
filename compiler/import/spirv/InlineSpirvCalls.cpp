//===- InlineSpirvCalls.cpp - inlines calls into entry points ---------------===//
//   before:   %r = spirv.FunctionCall @f(%x) : (i32) -> i32
//             rest(%r)
//   after:    cf.br ^f(%x : i32) {lane.merge = 9 : i32}
//           ^f(%a: i32):  ...  cf.br ^merge(%b : i32)
//           ^merge(%r: i32):
//             lane.label 9
//             rest(%r)
// The calls inside a callee are inlined first, so that its whole body is copied only once.
// Needs: FlattenSpirv, or the reader.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/spirv/ProgramVariables.h"
#include "compiler/passes/CallInliner.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

namespace pumice::spirv_import {
#define GEN_PASS_DEF_INLINESPIRVCALLS
#include "compiler/import/spirv/Passes.h.inc"
} // namespace pumice::spirv_import

using namespace mlir;
using namespace pumice;
using mlir::spirv::FuncOp;
using mlir::spirv::FunctionCallOp;

namespace {

class Inliner final : public CallInliner {
public:
  explicit Inliner(ModuleOp module) : CallInliner(module) {}

private:
  StringRef calleeName(Operation *op) const override {
    auto call = dyn_cast<FunctionCallOp>(op);
    return call ? call.getCallee() : "";
  }
  LogicalResult checkCallee(Operation *call, FunctionOpInterface callee) const override;
  void enter(FunctionOpInterface function) override;
  void expand(Operation *call, FunctionOpInterface callee) override;

  /// The number of labels of each function. Labels are numbered from 1 on.
  llvm::DenseMap<Operation *, int32_t> labels;
};

constexpr llvm::StringLiteral numberNames[] = {"lane.merge", "lane.continue"};

template <class Change> void changeNumbers(Operation &op, Change change) {
  Builder builder(op.getContext());
  if (auto label = dyn_cast<lane::LabelOp>(op))
    label.setNumber(change(static_cast<int32_t>(label.getNumber())));
  for (StringRef name : numberNames)
    if (auto number = op.getAttrOfType<IntegerAttr>(name))
      op.setAttr(name, builder.getI32IntegerAttr(change(static_cast<int32_t>(number.getInt()))));
}

/// Numbers the labels from 1 on, so that labels of repeated copies stay within 32 bits.
void Inliner::enter(FunctionOpInterface function) {
  llvm::DenseMap<int64_t, int32_t> numbers;
  for (Block &block : function.getFunctionBody())
    for (Operation &op : block)
      changeNumbers(op, [&](int32_t old) {
        return numbers.try_emplace(old, static_cast<int32_t>(numbers.size() + 1)).first->second;
      });
  labels[function] = static_cast<int32_t>(numbers.size());
}

LogicalResult Inliner::checkCallee(Operation *call, FunctionOpInterface callee) const {
  if (callee.getArgumentTypes() == call->getOperandTypes() &&
      callee.getResultTypes() == call->getResultTypes())
    return success();
  return call->emitError() << "does not fit the type of '" << callee.getName() << "'";
}

/// Moves the code of a loop's header to a separate block. The header must keep its mark when its
/// code is split.
///   ^h: a; cf.cond_br … {loop}   →   ^h: cf.br ^rest {loop}; ^rest: a; cf.cond_br …
void separateHeader(Block *block) {
  Operation *end = block->getTerminator();
  if (!end->hasAttr("lane.continue"))
    return;
  auto first = block->begin();
  if (isa<lane::LabelOp>(*first))
    ++first;
  Block *rest = block->splitBlock(first);
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  auto enter = cf::BranchOp::create(builder, end->getLoc(), rest);
  for (StringRef name : {"lane.merge", "lane.continue", "lane.control", "lane.control_operands"})
    if (Attribute attribute = end->removeAttr(name))
      enter->setAttr(name, attribute);
}

void Inliner::expand(Operation *call, FunctionOpInterface callee) {
  separateHeader(call->getBlock());
  auto caller = call->getParentOfType<FuncOp>();
  Region &body = caller.getBody(), &calleeBody = callee.getFunctionBody();
  int32_t &callerLabels = labels[caller];
  Block *before = call->getBlock(), *merge = before->splitBlock(call);
  IRMapping mapping;
  calleeBody.cloneInto(&body, Region::iterator(merge), mapping);
  Block *start = mapping.lookup(&calleeBody.front());

  // Variables belong to the whole invocation, so they go to the entry block. A repeated call must
  // not create them again.
  for (Operation &op : llvm::make_early_inc_range(*start))
    if (isa<mlir::spirv::VariableOp>(op))
      op.moveBefore(&body.front(), body.front().begin());

  Location location = call->getLoc();
  OpBuilder builder(call->getContext());
  for (Block &original : calleeBody) {
    Block *copy = mapping.lookup(&original);
    for (Operation &op : *copy) {
      changeNumbers(op, [&](int32_t old) { return old + callerLabels; });
      nameBothPlaces(&op, call);
    }
    Operation *end = copy->getTerminator();
    if (!isa<mlir::spirv::ReturnOp, mlir::spirv::ReturnValueOp>(end))
      continue;
    builder.setInsertionPoint(end);
    cf::BranchOp::create(builder, end->getLoc(), merge, end->getOperands());
    end->erase();
  }
  callerLabels += labels.lookup(callee) + 1;
  builder.setInsertionPointToEnd(before);
  auto enter = cf::BranchOp::create(builder, location, start, call->getOperands());
  enter->setAttr("lane.merge", builder.getI32IntegerAttr(callerLabels));
  for (Value result : call->getResults())
    result.replaceAllUsesWith(merge->addArgument(result.getType(), location));
  builder.setInsertionPointToStart(merge);
  lane::LabelOp::create(builder, location, callerLabels);
  call->erase();
}

struct InlineSpirvCalls final : spirv_import::impl::InlineSpirvCallsBase<InlineSpirvCalls> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Inliner inliner(module);
    SmallVector<FuncOp> others;
    for (FuncOp function : module.getOps<FuncOp>()) {
      if (!function->hasAttr("spvx.entry_point"))
        others.push_back(function);
      else if (failed(inliner.inlineInto(function)))
        return signalPassFailure();
    }
    for (FuncOp function : others)
      function.erase();
    llvm::StringSet<> used;
    module.walk([&](mlir::spirv::AddressOfOp op) { used.insert(op.getVariable()); });
    module.walk([&](spvx::InstructionOp op) { // operands that may be addresses
      if (Attribute value = op->getAttr("value"))
        value.walk([&](FlatSymbolRefAttr symbol) { used.insert(symbol.getValue()); });
    });
    for (FuncOp entry : module.getOps<FuncOp>())
      if (auto zeroed = entry->getAttrOfType<ArrayAttr>("spvx.zeroed"))
        for (auto name : zeroed.getAsRange<FlatSymbolRefAttr>())
          used.insert(name.getValue());
    for (mlir::spirv::GlobalVariableOp variable : spirv_import::programVariables(module))
      used.insert(variable.getSymName());
    for (auto variable : llvm::make_early_inc_range(module.getOps<mlir::spirv::GlobalVariableOp>()))
      if (!used.contains(variable.getSymName()))
        variable.erase();
  }
};

} // namespace
