//===- HostPipeline.cpp - the passes from host code to LLVM's dialect -------===//
// Lists upstream's passes and LowerHostGpu in order. A comment at each pass says why it must be at
// this place.
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
  functions.addPass(createConvertLinalgToLoopsPass());   // makes loops, which are lowered below
  functions.addPass(createConvertVectorToSCFPass());     // makes loops, too
  pm.addPass(memref::createExpandReallocPass());         // makes scf.if
  pm.addPass(memref::createExpandOpsPass());             // expands atomics and reshapes of memrefs
  pm.addPass(memref::createExpandStridedMetadataPass()); // subviews become affine arithmetic
  pm.addPass(createLowerAffinePass()); // follows passes that make affine operations
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(arith::createArithExpandOpsPass()); // expands ceildiv and others that LLVM lacks
  pm.addPass(createConvertVectorToLLVMPass());   // has several steps, so it is a separate pass
  pm.addPass(createConvertMathToLLVMPass());     // makes intrinsics if they exist, else libm calls
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createLowerHostGpu()); // comes last, since it changes all types at once
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void host::registerHostPipeline() {
  PassPipelineRegistration<>("pumice-host-pipeline",
                             "Host code without kernels to LLVM's dialect, for pumice run",
                             [](OpPassManager &pm) { buildHostPipeline(pm); });
}
