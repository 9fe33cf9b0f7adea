//===- Spirv.cpp - SPIR-V modules that a benchmark looks at -----------------===//
#include "bench/Spirv.h"

#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"

#include <memory>
#include <spirv-tools/libspirv.h>

using namespace mlir;
using namespace pumice;

std::string bench::whyInvalid(std::span<const uint32_t> words) {
  std::unique_ptr<spv_context_t, void (*)(spv_context)> context(
      spvContextCreate(SPV_ENV_VULKAN_1_3), spvContextDestroy);
  std::unique_ptr<spv_validator_options_t, void (*)(spv_validator_options)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  // Every target of the benchmarks has scalarBlockLayout.
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &diagnostic);
  std::string why = diagnostic ? diagnostic->error : "invalid";
  spvDiagnosticDestroy(diagnostic);
  return result == SPV_SUCCESS ? "" : why.substr(0, why.find('\n'));
}

std::vector<uint32_t> bench::compileUpstream(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager pm(module.getContext());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createConvertGPUToSPIRVPass());
  OpPassManager &modules = pm.nest<mlir::spirv::ModuleOp>();
  modules.addPass(mlir::spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(mlir::spirv::createSPIRVUpdateVCEPass());
  if (failed(pm.run(*copy)))
    return {};
  SmallVector<uint32_t, 0> words;
  for (auto converted : copy->getOps<mlir::spirv::ModuleOp>())
    if (failed(mlir::spirv::serialize(converted, words)))
      return {};
  return {words.begin(), words.end()};
}
