//===- InlineTritonCalls.cpp - inlines calls into kernels -------------------===//
//   before: %r = tt.call @twice(%x) : (f32) -> f32
//   after:  %r = arith.addf %x, %x : f32
// The calls inside a callee are inlined first, so that its whole body is copied only once.
// Needs: StructureTriton. Leaves: no tt.call, and only public functions.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/passes/CallInliner.h"

namespace pumice::triton {
#define GEN_PASS_DEF_INLINETRITONCALLS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using pumice::triton::CallOp;
using pumice::triton::FuncOp;

namespace {

struct Inliner final : pumice::CallInliner {
  explicit Inliner(ModuleOp module) : CallInliner(module) {}

  StringRef calleeName(Operation *op) const override {
    auto call = dyn_cast<CallOp>(op);
    return call ? call.getCallee() : "";
  }
};

struct InlineTritonCalls final : pumice::triton::impl::InlineTritonCallsBase<InlineTritonCalls> {
  void runOnOperation() override {
    Inliner inliner(getOperation());
    for (FuncOp function : getOperation().getOps<FuncOp>())
      if (function.isPublic() && failed(inliner.inlineInto(function)))
        return signalPassFailure();
    for (FuncOp function : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (!function.isPublic())
        function.erase();
  }
};

} // namespace
