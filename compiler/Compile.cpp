//===- Compile.cpp - MLIR in, executable out --------------------------------===//
#include "compiler/Compile.h"

#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/import/gpu/FlattenModules.h"
#include "compiler/lower/Passes.h"
#include "compiler/package/Package.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace pumice;

/// What no target changes: modules in modules become one, and bodies of gpu.launch kernels. Host
/// code then goes: its launches would not verify once kernels have lost their arguments.
static FailureOr<OwningOpRef<ModuleOp>> outlined(ModuleOp module, const CompileOptions &options) {
  OwningOpRef<ModuleOp> result = module.clone();
  if (failed(host::flattenModules(*result)))
    return failure();
  PassManager pm(module.getContext());
  if (options.configure)
    options.configure(pm);
  // Before outlining: it would take a gpu.launch out of a kernel too.
  pm.nest<gpu::GPUModuleOp>().addPass(lower::createCheckOperations());
  pm.addPass(createGpuKernelOutliningPass());
  if (failed(pm.run(*result)))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*result->getBody()))
    if (!isa<gpu::GPUModuleOp>(op))
      op.erase();
  return result;
}

FailureOr<OwningOpRef<ModuleOp>> pumice::lowerToSpirv(ModuleOp module,
                                                      const target::TargetEnv &target,
                                                      const CompileOptions &options) {
  FailureOr<OwningOpRef<ModuleOp>> lowered = outlined(module, options);
  if (failed(lowered))
    return failure();
  module.getContext()->loadDialect<vk::VkDialect, mlir::spirv::SPIRVDialect>();
  for (auto kernels : (*lowered)->getOps<gpu::GPUModuleOp>())
    vk::setTarget(kernels, target);
  PassManager pm(module.getContext());
  if (options.configure)
    options.configure(pm);
  buildKernelPipeline(pm, options.kernel);
  if (failed(pm.run(**lowered)))
    return failure();
  return lowered;
}

FailureOr<executable::Executable> pumice::compile(ModuleOp module,
                                                  const std::vector<target::TargetEnv> &targets,
                                                  const CompileOptions &options) {
  package::Packager packager;
  for (const target::TargetEnv &target : targets) {
    FailureOr<OwningOpRef<ModuleOp>> lowered = lowerToSpirv(module, target, options);
    if (failed(lowered) || failed(packager.add(**lowered, target)))
      return failure();
  }
  if (packager.empty()) {
    module.emitError() << "holds no kernel; mark a gpu.func as 'kernel', or use gpu.launch";
    return failure();
  }
  return std::move(packager).finish();
}
