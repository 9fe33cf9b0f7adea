//===- StructureControlFlow.cpp - turns branches into scf -------------------===//
//   before: cf.cond_br %p, ^early, ^rest
//         ^early: gpu.return
//         ^rest:  "work"() … gpu.return
//   after:  scf.if %p {} else { "work"() … }
//           gpu.return
//
// cf.br, cf.cond_br and cf.switch become scf.if and scf.while. Several returns become one. Loops
// with several entries get a variable that selects the entry. Then scf.index_switch becomes a chain
// of scf.if, and scf.execute_region is replaced by its contents. scf.parallel and scf.forall become
// loops that each invocation runs.
//
// Leaves: regions of one block, and no operations of scf except for, while and if.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::lower {
#define GEN_PASS_DEF_STRUCTURECONTROLFLOW
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {

/// Upstream's conversion of control flow to scf. For a loop that never ends, it reports an error
/// instead of adding a return.
class Lifting final : public ControlFlowToSCFTransformation {
public:
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &, Region &) override {
    emitError(loc, "loop never ends: give it an exit, or let it return");
    failed = true;
    return failure();
  }
  bool failed = false;
};

struct StructureControlFlow final
    : pumice::lower::impl::StructureControlFlowBase<StructureControlFlow> {
  void runOnOperation() override;
};

} // namespace

//===-------------------------------------------------------------------------===//
// cf → scf
//===-------------------------------------------------------------------------===//

/// Checks that terminators are known: a branch of cf, or the end of the region.
static LogicalResult checkTerminators(Region &region) {
  for (Block &block : region) {
    Operation *end = block.getTerminator();
    if (block.getNumSuccessors() && !isa<cf::BranchOp, cf::CondBranchOp, cf::SwitchOp>(end))
      return end->emitError() << "'" << end->getName()
                              << "' is not a branch that can be structured: use cf.br, cf.cond_br "
                                 "or cf.switch";
  }
  return success();
}

static LogicalResult liftRegion(Region &region) {
  if (region.empty() || region.hasOneBlock())
    return success();
  IRRewriter rewriter(region.getContext());
  (void)eraseUnreachableBlocks(rewriter, region);
  if (failed(checkTerminators(region)))
    return failure();
  Operation *parent = region.getParentOp();
  DominanceInfo dominance(parent);
  Lifting lifting;
  FailureOr<bool> changed = transformCFGToSCF(region, lifting, dominance);
  if (succeeded(changed) && region.hasOneBlock())
    return success();
  if (!lifting.failed)
    parent->emitError() << "the branches in '" << parent->getName() << "' cannot be structured";
  return failure();
}

//===-------------------------------------------------------------------------===//
// Other operations of scf
//===-------------------------------------------------------------------------===//

/// Expands a switch to a chain of conditionals.
///
/// before: %r = scf.index_switch %i case 2 { A } case 5 { B } default { C }
/// after:  %r = scf.if %i == 2 { A } else { %s = scf.if %i == 5 { B } else { C }  yield %s }
static void expandSwitch(scf::IndexSwitchOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto moveInto = [](Region &from, Block *to) {
    to->getOperations().splice(to->end(), from.front().getOperations());
  };
  if (op.getNumCases() == 0) {
    Block &body = op.getDefaultRegion().front();
    Operation *yield = body.getTerminator();
    op->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op.erase();
    return;
  }
  scf::IfOp outermost, innermost;
  for (auto [value, region] : llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    Value constant = arith::ConstantIndexOp::create(b, loc, value);
    Value matches = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getArg(), constant);
    auto branch = scf::IfOp::create(b, loc, op.getResultTypes(), matches,
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
    branch.thenBlock()->clear();
    branch.elseBlock()->clear();
    moveInto(region, branch.thenBlock());
    if (innermost)
      scf::YieldOp::create(b, loc, branch.getResults());
    else
      outermost = branch;
    innermost = branch;
    b.setInsertionPointToEnd(branch.elseBlock());
  }
  moveInto(op.getDefaultRegion(), innermost.elseBlock());
  op->replaceAllUsesWith(outermost.getResults());
  op.erase();
}

/// Inlines scf.execute_region and memref.alloca_scope. This is correct because a SPIR-V variable
/// lives as long as its function.
static void inlineRegion(Operation *op) {
  Block &body = op->getRegion(0).front();
  Operation *yield = body.getTerminator();
  op->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op->erase();
}

/// Makes each invocation run all iterations of scf.parallel. The last dimension is innermost.
static void serialize(scf::ParallelOp op) {
  OpBuilder b(op);
  scf::LoopNest nest = scf::buildLoopNest(
      b, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), op.getInitVals(),
      [&](OpBuilder &b, Location loc, ValueRange ivs, ValueRange sums) -> scf::ValueVector {
        IRMapping map;
        map.map(op.getInductionVars(), ivs);
        for (Operation &inner : op.getBody()->without_terminator())
          b.clone(inner, map);
        scf::ValueVector results;
        auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
        for (auto [region, operand, sum] :
             llvm::zip_equal(reduce.getReductions(), reduce.getOperands(), sums)) {
          Block &body = region.front();
          map.map(body.getArgument(0), sum);
          map.map(body.getArgument(1), map.lookupOrDefault(operand));
          for (Operation &inner : body.without_terminator())
            b.clone(inner, map);
          results.push_back(map.lookupOrDefault(body.getTerminator()->getOperand(0)));
        }
        return results;
      });
  op->replaceAllUsesWith(nest.results);
  op.erase();
}

static LogicalResult serialize(scf::ForallOp op) {
  if (!op.getOutputs().empty())
    return op.emitError("scf.forall has shared_outs, which are tensors: bufferize first");
  IRRewriter rewriter(op);
  return scf::forallToForLoop(rewriter, op);
}

static LogicalResult simplify(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](scf::IndexSwitchOp op) { return expandSwitch(op), success(); })
      .Case<scf::ExecuteRegionOp, memref::AllocaScopeOp>(
          [](Operation *op) { return inlineRegion(op), success(); })
      .Case([](scf::ParallelOp op) { return serialize(op), success(); })
      .Case([](scf::ForallOp op) { return serialize(op); })
      .Default(success());
}

void StructureControlFlow::runOnOperation() {
  // Converts inner regions first, since structured code must not be built around unstructured code.
  WalkResult lifted = getOperation().walk([](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::advance();
    for (Region &region : op->getRegions())
      if (failed(liftRegion(region)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (lifted.wasInterrupted())
    return signalPassFailure();
  SmallVector<Operation *> structured;
  getOperation().walk([&](Operation *op) {
    if (isa<scf::IndexSwitchOp, scf::ExecuteRegionOp, scf::ParallelOp, scf::ForallOp,
            memref::AllocaScopeOp>(op))
      structured.push_back(op);
  });
  for (Operation *op : structured)
    if (failed(simplify(op)))
      return signalPassFailure();
}
