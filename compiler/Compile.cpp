//===- Compile.cpp - MLIR in, executable out --------------------------------===//
#include "compiler/Compile.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/package/Package.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace pumice;

FailureOr<OwningOpRef<ModuleOp>> pumice::lowerToSpirv(ModuleOp module,
                                                      const target::TargetEnv &target,
                                                      const CompileOptions &options) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager pm(module.getContext());
  if (options.configure)
    options.configure(pm);
  buildTargetPipeline(pm, target, options.kernel);
  if (failed(pm.run(*lowered)))
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
