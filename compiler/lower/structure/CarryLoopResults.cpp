//===- CarryLoopResults.cpp - results of loops as loop variables ------------===//
//   before: %r = scf.while (%i = %lo) : (index) -> i32 {
//             %x = memref.load %m[%i] ...  %c = ...
//             scf.condition(%c) %x
//           } do { ... scf.yield %next }
//   after:  %l:3 = scf.while (%i = %lo, %go = %true, %r = %zero) : (index, i1, i32) -> ... {
//             scf.condition(%go) %i, %go, %r
//           } do {
//           ^bb0(%i, %_, %_):
//             %x = memref.load %m[%i] ...  %c = ...
//             %n = scf.if %c { ... scf.yield %next } else { scf.yield %i }
//             scf.yield %n, %c, %x
//           }
//           (%l#2 for %r)
//
// SPIR-V allows code after a loop to use values that the loop computes. But some CPU drivers run a
// subgroup in lockstep (SwiftShader, lavapipe of Mesa 22). They keep computing such values for
// lanes that have left the loop, as long as other lanes stay in it. Loop variables keep their
// values. This pass also replaces selects of matrices by branches.
//
// Needs: structured control flow. Leaves: only loop variables used after an scf.while.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pumice::lower {
#define GEN_PASS_DEF_CARRYLOOPRESULTS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {
struct CarryLoopResults final : pumice::lower::impl::CarryLoopResultsBase<CarryLoopResults> {
  void runOnOperation() override;
};
} // namespace

/// Returns whether `value` changes from one iteration to the next without being a loop variable.
static bool isComputedIn(scf::WhileOp loop, Value value) {
  return value.getParentBlock() == loop.getBeforeBody() && !isa<BlockArgument>(value);
}

/// Returns the value of a variable of `type` before the first iteration. Nothing reads this value.
static Value placeholder(OpBuilder &b, scf::WhileOp loop, Type type) {
  if (TypedAttr zero = b.getZeroAttr(type))
    return arith::ConstantOp::create(b, loop.getLoc(), zero);
  for (Value init :
       loop.getInits()) // for example the initial value of another matrix, which loops often carry
    if (init.getType() == type)
      return init;
  return {};
}

/// Moves the old loop's two regions, one after the other, to the body of the new one.
static void moveBody(OpBuilder &b, scf::WhileOp loop, ArrayRef<unsigned> used, Block *body) {
  Location loc = loop.getLoc();
  scf::ConditionOp condition = loop.getConditionOp();
  ValueRange variables = body->getArguments().take_front(loop.getInits().size());
  for (auto [old, now] : llvm::zip_equal(loop.getBeforeArguments(), variables))
    old.replaceAllUsesWith(now);
  body->getOperations().splice(body->end(), loop.getBeforeBody()->getOperations());

  b.setInsertionPoint(condition);
  auto step = scf::IfOp::create(b, loc, variables.getTypes(), condition.getCondition(),
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [old, now] : llvm::zip_equal(loop.getAfterArguments(), condition.getArgs()))
    old.replaceAllUsesWith(now);
  step.thenBlock()->getOperations().splice(step.thenBlock()->end(),
                                           loop.getAfterBody()->getOperations());
  b.setInsertionPointToEnd(step.elseBlock());
  scf::YieldOp::create(b, loc, variables);
  b.setInsertionPoint(condition);

  SmallVector<Value> next(step.getResults());
  next.push_back(condition.getCondition());
  for (unsigned index : used)
    next.push_back(condition.getArgs()[index]);
  scf::YieldOp::create(b, loc, next);
  condition.erase();
}

static void carryResults(scf::WhileOp loop) {
  SmallVector<unsigned> used;
  bool computed = false;
  for (OpResult result : loop.getResults())
    if (!result.use_empty()) {
      used.push_back(result.getResultNumber());
      computed |= isComputedIn(loop, loop.getConditionOp().getArgs()[result.getResultNumber()]);
    }
  if (!computed)
    return;

  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  for (unsigned index : used) {
    inits.push_back(placeholder(b, loop, loop.getResult(index).getType()));
    if (!inits.back())
      return; // the loop does not change if a type has no constants and no initial value
  }
  unsigned go = loop.getInits().size();
  auto carried = scf::WhileOp::create(
      b, loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &before, Location, ValueRange variables) {
        scf::ConditionOp::create(before, loc, variables[go], variables);
      },
      [&](OpBuilder &after, Location, ValueRange) {
        moveBody(after, loop, used, after.getInsertionBlock());
      });
  for (auto [at, index] : llvm::enumerate(used))
    loop.getResult(index).replaceAllUsesWith(carried.getResult(go + 1 + at));
  loop.erase();
}

/// Replaces a select of matrices, which SPIR-V lacks. This happens here because canonicalization
/// would turn the branch into a select again.
///
///   before: %r = arith.select %which, %a, %b : !gpu.mma_matrix<…>
///   after:  %r = scf.if %which { scf.yield %a } else { scf.yield %b }
static void branchInstead(arith::SelectOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(b, loc, TypeRange(op.getType()), op.getCondition(),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, op.getTrueValue());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, op.getFalseValue());
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

void CarryLoopResults::runOnOperation() {
  SmallVector<scf::WhileOp> loops; // inner ones first, in the order of the walk
  getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops)
    carryResults(loop);
  SmallVector<arith::SelectOp> selects;
  getOperation().walk([&](arith::SelectOp op) {
    if (isa<gpu::MMAMatrixType>(op.getType()))
      selects.push_back(op);
  });
  llvm::for_each(selects, branchInstead);
}
