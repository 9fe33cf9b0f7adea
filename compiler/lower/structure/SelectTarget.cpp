//===- SelectTarget.cpp - sets the target of every gpu.module ---------------===//
//   before: gpu.module @kernels { … }
//   after:  gpu.module @kernels attributes {spirv.target_env = #spirv.target_env<…>,
//                                           vk.target_env = #vk.target_env<v1.3, …>} { … }
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower {
#define GEN_PASS_DEF_SELECTTARGET
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;

namespace {
struct SelectTarget final : pumice::lower::impl::SelectTargetBase<SelectTarget> {
  using SelectTargetBase::SelectTargetBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (target.empty()) {
      FailureOr<pumice::target::TargetEnv> env = pumice::vk::lookupTarget(module);
      if (failed(env))
        return signalPassFailure();
      return pumice::vk::setTarget(module, *env);
    }
    pumice::Result<pumice::target::TargetEnv> env =
        pumice::vk::resolveTarget(&getContext(), target);
    if (!env.isOk()) {
      module.emitError() << "target: " << env.status().message();
      return signalPassFailure();
    }
    pumice::vk::setTarget(module, *env);
  }
};
} // namespace
