//===- InlineCalls.cpp - inlines all calls into kernels ---------------------===//
//   before: func.func @square(%x: f32) -> f32 { … return %y : f32 }
//           gpu.func @k(…) kernel { %r = func.call @square(%a) : (f32) -> f32 … }
//   after:  gpu.func @k(…) kernel { %r = arith.mulf %a, %a : f32 … }
//
// Needs: functions of one block (pumice-structure-control-flow). Leaves: kernels only.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/passes/CallInliner.h"

namespace pumice::lower {
#define GEN_PASS_DEF_INLINECALLS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {

struct Inliner final : pumice::CallInliner {
  explicit Inliner(gpu::GPUModuleOp module) : CallInliner(module) {}

  StringRef calleeName(Operation *op) const override {
    auto call = dyn_cast<func::CallOp>(op);
    return call ? call.getCallee() : "";
  }

  LogicalResult checkOperation(Operation *op) const override {
    if (!isa<func::CallIndirectOp, func::ConstantOp>(op))
      return success();
    return op->emitError()
           << "'" << op->getName()
           << "' needs function pointers, which Vulkan does not have; use func.call";
  }
};

struct InlineCalls final : pumice::lower::impl::InlineCallsBase<InlineCalls> {
  void runOnOperation() override;
};

} // namespace

void InlineCalls::runOnOperation() {
  Inliner inliner(getOperation());
  SmallVector<Operation *> helpers;
  for (auto func : getOperation().getOps<FunctionOpInterface>()) {
    auto kernel = dyn_cast<gpu::GPUFuncOp>(func.getOperation());
    if (kernel ? !kernel.isKernel() : isa<func::FuncOp>(func.getOperation()))
      helpers.push_back(func);
    else if (kernel && failed(inliner.inlineInto(func)))
      return signalPassFailure();
  }
  for (Operation *helper : helpers)
    helper->erase();
}
