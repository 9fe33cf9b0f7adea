//===- HostPipeline.cpp - host code to LLVM's dialect, every pass in order --===//
// Lists upstream's passes, and LowerHostGpu among them. A comment at each pass says why it cannot
// move.
//===-------------------------------------------------------------------------===//
#include "compiler/host/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace pumice;

void host::buildHostPipeline(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());   // makes loops: before these go
  functions.addPass(createConvertVectorToSCFPass());     // makes loops too
  pm.addPass(memref::createExpandReallocPass());         // makes scf.if
  pm.addPass(memref::createExpandOpsPass());             // atomics and reshapes, on memrefs still
  pm.addPass(memref::createExpandStridedMetadataPass()); // subviews become affine arithmetic
  pm.addPass(createLowerAffinePass());                   // after passes that make affine operations
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(arith::createArithExpandOpsPass()); // ceildiv and others that LLVM lacks
  pm.addPass(createConvertVectorToLLVMPass());   // has steps of its own: not in one conversion
  pm.addPass(createConvertMathToLLVMPass());     // intrinsics where there are, else libm
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createLowerHostGpu()); // last: all types of functions and blocks change at once
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void host::registerHostPipeline() {
  PassPipelineRegistration<>("pumice-host-pipeline",
                             "Host code without kernels to LLVM's dialect, for pumice run",
                             [](OpPassManager &pm) { buildHostPipeline(pm); });
}
