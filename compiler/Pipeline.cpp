//===- Pipeline.cpp - START HERE: every pass from kernel to SPIR-V ----------===//
// The order is the design. Beside each pass stands why it cannot move.
//===-------------------------------------------------------------------------===//
#include "compiler/Pipeline.h"

#include "compiler/lower/Passes.h"
#include "compiler/spirv/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace pumice;

void pumice::buildKernelPipeline(OpPassManager &pm, const KernelOptions &options) {
  // 1. Every kernel becomes one structured function in a module of its own.
  OpPassManager &functions = pm.nest<gpu::GPUModuleOp>();
  functions.addPass(lower::createInlineCalls());
  pm.addPass(lower::createSplitKernels()); // after inlining: a kernel then uses no other function

  // 2. What SPIR-V has no operation for becomes arithmetic, while memrefs still have shapes.
  OpPassManager &operations = pm.nest<gpu::GPUModuleOp>();
  operations.addPass(lower::createLowerVectors()); // makes arithmetic: before it is expanded
  operations.addPass(lower::createExpandMath());
  operations.addPass(lower::createLowerAllReduce()); // makes subgroup reductions and attributions
  operations.addPass(lower::createLowerSubgroupOps());

  // 3. Interface and memory.
  OpPassManager &memory = pm.nest<gpu::GPUModuleOp>();
  lower::LowerKernelArgumentsOptions arguments;
  arguments.addressing = options.addressing;
  arguments.indexBits = options.indexBits;
  memory.addPass(lower::createLowerKernelArguments(arguments)); // adds views: before flattening
  memory.addPass(lower::createFlattenMemory());
  memory.addPass(lower::createSplitVectors()); // cuts flat accesses: after flattening
  memory.addPass(createCanonicalizerPass());
  memory.addPass(createCSEPass());

  // 4. SPIR-V.
  spirv::ConvertToSpirvOptions conversion;
  conversion.indexBits = options.indexBits;
  pm.addPass(spirv::createConvertToSpirv(conversion));
  OpPassManager &modules = pm.nest<mlir::spirv::ModuleOp>();
  modules.addPass(createCSEPass()); // merges constants and interface reads that patterns repeated
  modules.addPass(spirv::createFinalizeSpirv()); // last: it counts what is really there
}
