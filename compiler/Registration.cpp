//===- Registration.cpp - dialects and passes by name -----------------------===//
#include "compiler/Pipeline.h"
#include "compiler/cpu/CompileNative.h"
#include "compiler/cpu/LaneTranslation.h"
#include "compiler/cpu/Passes.h"
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/dialect/tile/Passes.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/gpu/Passes.h"
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/triton/ImportTriton.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/spirv/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

void pumice::registerDialects(mlir::DialectRegistry &registry) {
  // Compiles faster than naming the dialects that kernels use, and costs no time at run time.
  mlir::registerAllDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  registry.insert<lane::LaneDialect, spvx::SpvxDialect, tile::TileDialect, vk::VkDialect>();
  triton::registerTritonDialect(registry);
  cpu::registerLaneTranslation(registry);
}

void pumice::registerPasses() {
  cpu::registerPumiceCpuPasses();
  cpu::registerCpuPipeline();
  host::registerPumiceImportGpuPasses();
  host::registerHostPipeline();
  lower::registerPumiceLowerPasses();
  lower::tiles::registerPumiceLowerTilePasses();
  spirv::registerPumiceSpirvPasses();
  spirv_import::registerPumiceImportSpirvPasses();
  tile::registerPumiceTilePasses();
  triton::registerPumiceImportTritonPasses();
}
