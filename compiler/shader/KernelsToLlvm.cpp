//===- KernelsToLlvm.cpp - OpenCL kernels in SPIR-V as LLVM IR --------------===//
//   before: OpFunction %k … OpFunctionParameter %_ptr_CrossWorkgroup_float %x …
//   after:  define spir_kernel void @k(ptr addrspace(1) %0) { … }
//===-------------------------------------------------------------------------===//
#include "compiler/shader/KernelsToLlvm.h"

#include "compiler/import/spirv/ReadSpirv.h"
#include "compiler/passes/Verification.h"
#include "compiler/shader/ShaderToKernel.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "executable/SpirvReflection.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <cstring>
#include <vector>

using namespace mlir;
using namespace pumice;

bool shader::isOpenClModule(std::span<const uint8_t> code) {
  Result<executable::SpirvModule> module = executable::reflectSpirv(code);
  return module.isOk() && module->openCl;
}

Result<std::string> shader::kernelsToLlvm(std::span<const uint8_t> code, const std::string &name,
                                          const std::string &kernel) {
  MLIRContext context(dialectsOfKernels(), MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  DiagnosticPrinter handler(sources, &context, llvm::errs());
  std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(uint32_t));
  PUMICE_TRY(OwningOpRef<ModuleOp> module,
             spirv_import::readUntrustedSpirv(&context, words,
                                              {.sourceName = name, .entryPoint = kernel}));
  PassManager pm(&context);
  pm.enableVerifier(verifiesEachPass);
  buildKernelPipeline(pm, {.fixedSubgroups = true, .listArguments = true});
  if (failed(pm.run(*module)) || failed(verify(*module)))
    return Status(StatusCode::Unsupported,
                  name + ": this module for OpenCL could not be translated for Vulkan: compile the "
                         "kernel from its source");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return Status(StatusCode::Internal, name + ": could not be translated to LLVM IR");
  // Sizes and alignments are those that clang uses.
  llvm::Triple triple("spirv64-unknown-unknown");
  translated->setTargetTriple(triple);
  translated->setDataLayout(triple.computeDataLayout());
  simplify(*translated);
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(*translated, out);
  return bitcode;
}
