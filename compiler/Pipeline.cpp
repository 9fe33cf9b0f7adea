//===- Pipeline.cpp - START HERE: every pass from kernel to SPIR-V ----------===//
#include "compiler/Pipeline.h"

#include "compiler/lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

void pumice::buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options) {
  mlir::OpPassManager &kernels = pm.nest<mlir::gpu::GPUModuleOp>();
  kernels.addPass(lower::createInlineCalls());
}
