//===- ImportLlvm.cpp - LLVM IR for spirv64 as kernels of gpu ---------------===//
//   before: define spir_kernel void @scale(ptr addrspace(1) %x, float %by) { … }
//   after:  gpu.func @scale(%x: i64 {pumice.buffer_address}, %by: f32) kernel { … }
#include "compiler/import/llvm/ImportLlvm.h"

#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/llvm/FunctionImporter.h"
#include "compiler/import/llvm/Prepare.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace pumice;

FailureOr<OwningOpRef<ModuleOp>> llvm_import::importLlvm(MLIRContext *context, llvm::Module &source,
                                                         StringRef name, StringRef kernel) {
  context
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect, gen::GenDialect, gpu::GPUDialect,
                    math::MathDialect, memref::MemRefDialect, mlir::spirv::SPIRVDialect,
                    scf::SCFDialect, vector::VectorDialect, vk::VkDialect>();
  if (failed(prepareKernels(context, source, name)))
    return failure();
  Location location = FileLineColLoc::get(context, name, 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(module->getBodyRegion());
  auto kernels = gpu::GPUModuleOp::create(builder, location, "kernels");
  for (const llvm::Function &function : source)
    if (!function.isDeclaration() && (kernel.empty() || function.getName() == kernel) &&
        failed(FunctionImporter(kernels, function, name).run()))
      return failure();
  if (kernels.getBody()->empty() && !kernel.empty())
    return emitError(location) << "no kernel '" << kernel << "' in the input";
  if (kernels.getBody()->empty())
    return emitError(location) << "holds no kernel; expected a function with the calling "
                                  "convention spir_kernel, which 'kernel' in OpenCL C makes";
  if (failed(verify(*module)))
    return failure();
  return module;
}
