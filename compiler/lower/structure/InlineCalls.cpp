//===- InlineCalls.cpp - a kernel becomes one function ----------------------===//
//   before: func.func @square(%x: f32) -> f32 { … return %y : f32 }
//           gpu.func @k(…) kernel { %r = func.call @square(%a) : (f32) -> f32 … }
//   after:  gpu.func @k(…) kernel { %r = arith.mulf %a, %a : f32 … }
// Needs: functions of one block (pumice-structure-control-flow). Leaves: kernels only.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace pumice::lower {
#define GEN_PASS_DEF_INLINECALLS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {

/// Inlines callees before their callers, so that every body is cloned in its final form.
class Inliner {
public:
  explicit Inliner(gpu::GPUModuleOp module) : symbols(module) {}

  /// Removes all calls from `func`, and from what it calls.
  LogicalResult run(FunctionOpInterface func);

private:
  FailureOr<FunctionOpInterface> calleeOf(func::CallOp call);
  LogicalResult refuseRecursion(func::CallOp call, FunctionOpInterface callee);

  SymbolTable symbols;
  /// The functions whose calls are being inlined, from the outermost on.
  SmallVector<FunctionOpInterface> path;
  DenseSet<Operation *> done;
};

struct InlineCalls final : pumice::lower::impl::InlineCallsBase<InlineCalls> {
  void runOnOperation() override;
};

} // namespace

FailureOr<FunctionOpInterface> Inliner::calleeOf(func::CallOp call) {
  auto callee = symbols.lookup<FunctionOpInterface>(call.getCallee());
  if (!callee)
    return FailureOr<FunctionOpInterface>(
        call.emitError("'") << call.getCallee() << "' is not a function of this gpu.module");
  if (callee.isExternal())
    return FailureOr<FunctionOpInterface>(call.emitError("'")
                                          << call.getCallee()
                                          << "' has no body: define it in the same gpu.module");
  if (!callee.getFunctionBody().hasOneBlock())
    return FailureOr<FunctionOpInterface>(
        call.emitError("'") << call.getCallee()
                            << "' has several blocks: run pumice-structure-control-flow first");
  return callee;
}

LogicalResult Inliner::refuseRecursion(func::CallOp call, FunctionOpInterface callee) {
  InFlightDiagnostic error = call.emitError("kernels cannot recurse: ");
  for (FunctionOpInterface func : ArrayRef(path).drop_until([&](auto f) { return f == callee; }))
    error << "'" << func.getName() << "' calls ";
  return error << "'" << callee.getName() << "'; use a loop";
}

/// Clones the callee's body in front of `call`; locations remember both places.
static void inlineCall(func::CallOp call, FunctionOpInterface callee) {
  OpBuilder b(call);
  IRMapping map;
  Block &body = callee.getFunctionBody().front();
  map.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    b.clone(op, map)->walk(
        [&](Operation *inner) { inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc())); });
  for (auto [result, returned] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(map.lookupOrDefault(returned));
  call.erase();
}

LogicalResult Inliner::run(FunctionOpInterface func) {
  if (!done.insert(func).second)
    return success();
  path.push_back(func);
  SmallVector<func::CallOp> calls;
  WalkResult indirect = func.walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      calls.push_back(call);
    if (!isa<func::CallIndirectOp, func::ConstantOp>(op))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName()
                    << "' needs function pointers, which Vulkan does not have: use func.call";
    return WalkResult::interrupt();
  });
  if (indirect.wasInterrupted())
    return failure();
  for (func::CallOp call : calls) {
    FailureOr<FunctionOpInterface> callee = calleeOf(call);
    if (failed(callee))
      return failure();
    if (llvm::is_contained(path, *callee))
      return refuseRecursion(call, *callee);
    if (failed(run(*callee)))
      return failure();
    inlineCall(call, *callee);
  }
  path.pop_back();
  return success();
}

void InlineCalls::runOnOperation() {
  Inliner inliner(getOperation());
  SmallVector<Operation *> helpers;
  for (auto func : getOperation().getOps<FunctionOpInterface>()) {
    auto kernel = dyn_cast<gpu::GPUFuncOp>(func.getOperation());
    if (kernel ? !kernel.isKernel() : isa<func::FuncOp>(func.getOperation()))
      helpers.push_back(func);
    else if (kernel && failed(inliner.run(func)))
      return signalPassFailure();
  }
  for (Operation *helper : helpers)
    helper->erase();
}
