//===- Registration.cpp - registers dialects and passes by name -------------===//
#include "compiler/Registration.h"

#include "compiler/cpu/Passes.h"
#include "compiler/cpu/native/CompileNative.h"
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/dialect/tile/Passes.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/gen/Passes.h"
#include "compiler/host/Passes.h"
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/triton/ImportTriton.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/shader/Passes.h"
#include "compiler/shader/ShaderToKernel.h"
#include "compiler/spirv/Passes.h"

#include "mlir/IR/DialectRegistry.h"

void pumice::registerDialects(mlir::DialectRegistry &registry) {
  cpu::registerNativeDialects(registry);
  registry.insert<gen::GenDialect, tile::TileDialect, vk::VkDialect>();
  triton::registerTritonDialect(registry);
}

void pumice::registerPasses() {
  cpu::registerPumiceCpuPasses();
  cpu::registerCpuPipeline();
  gen::registerPumiceGenPasses();
  host::registerPumiceHostPasses();
  host::registerHostPipeline();
  lower::registerPumiceLowerPasses();
  lower::tiles::registerPumiceLowerTilePasses();
  shader::registerPumiceShaderPasses();
  shader::registerKernelPipeline();
  spirv::registerPumiceSpirvPasses();
  spirv_import::registerPumiceImportSpirvPasses();
  tile::registerPumiceTilePasses();
  triton::registerPumiceImportTritonPasses();
}
