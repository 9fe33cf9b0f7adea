//===- StructureTriton.cpp - turns early returns into conditions ------------===//
//   before:   cf.cond_br %beyond, ^bb1, ^bb2
//           ^bb1:
//             tt.return
//           ^bb2:
//             tt.store %p, %v : !tt.ptr<f32>
//             tt.return
//   after:    scf.if %beyond {
//             } else {
//               tt.store %p, %v : !tt.ptr<f32>
//             }
//             tt.return
// Leaves: regions of one block, and no operations of cf.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"

namespace pumice::triton {
#define GEN_PASS_DEF_STRUCTURETRITON
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice::triton;

namespace {

class Lifting final : public ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &, Region &) override {
    return emitError(loc, "a loop that never ends; give it a condition");
  }
};

/// If the exits of a condition continue in different places, MLIR creates a switch on a number.
/// This function rewrites the switch to nested conditions. The condition of each case is in the
/// else branch of the preceding case.
void switchToConditions(scf::IndexSwitchOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto cast = op.getArg().getDefiningOp<arith::IndexCastUIOp>();
  Value number = cast ? cast.getIn() : op.getArg();
  scf::IfOp first, last;
  for (auto [wanted, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    if (last)
      builder.setInsertionPointToEnd(last.elseBlock());
    Value value =
        arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(number.getType(), wanted));
    Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number, value);
    auto condition =
        scf::IfOp::create(builder, loc, op.getResultTypes(), same, /*withElseRegion=*/true);
    condition.getThenRegion().takeBody(region);
    condition.elseBlock()->clear();
    if (last)
      scf::YieldOp::create(builder, loc, condition.getResults());
    else
      first = condition;
    last = condition;
  }
  if (!first)
    return;
  last.getElseRegion().takeBody(op.getDefaultRegion());
  op.replaceAllUsesWith(first.getResults());
  op.erase();
  if (cast && cast->use_empty())
    cast.erase();
}

struct StructureTriton final : pumice::triton::impl::StructureTritonBase<StructureTriton> {
  void runOnOperation() override {
    SmallVector<Region *> regions; // inner regions come first
    getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        if (!region.empty() && !region.hasOneBlock())
          regions.push_back(&region);
    });
    Lifting lifting;
    IRRewriter rewriter(&getContext());
    for (Region *region : regions) {
      (void)eraseUnreachableBlocks(rewriter, *region);
      DominanceInfo dominance(region->getParentOp());
      if (failed(transformCFGToSCF(*region, lifting, dominance)))
        return signalPassFailure();
    }
    SmallVector<scf::IndexSwitchOp> switches;
    getOperation().walk([&](scf::IndexSwitchOp op) { switches.push_back(op); });
    for (scf::IndexSwitchOp op : switches)
      switchToConditions(op);
  }
};

} // namespace
