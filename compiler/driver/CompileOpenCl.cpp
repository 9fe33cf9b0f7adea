//===- CompileOpenCl.cpp - OpenCL C and LLVM IR to an executable ------------===//
// Targets of OpenCL and the CPU device take one OpenCL module, which LLVM's backend writes. For
// each target of Vulkan, the kernels go through the passes of all other kernels. A launch passes
// the same arguments to both.
//===-------------------------------------------------------------------------===//
#include "compiler/driver/CompileOpenCl.h"

#include "compiler/import/llvm/ImportLlvm.h"
#include "compiler/opencl/LlvmToSpirv.h"
#include "compiler/package/ImportSpirv.h"
#include "compiler/passes/Progress.h"
#include "compiler/target/Triples.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace pumice;
namespace exe = pumice::executable;

bool pumice::takesOpenClModules(const target::TargetEnv &target) {
  return target.isOpenCl() || !target.nativeCode.empty();
}

FailureOr<OwningOpRef<ModuleOp>> pumice::importKernels(MLIRContext *context, StringRef llvm,
                                                       StringRef name, StringRef kernel) {
  llvm::LLVMContext own;
  Result<std::unique_ptr<llvm::Module>> module = opencl::parseLlvm(own, llvm, name);
  if (!module.isOk())
    return emitError(FileLineColLoc::get(context, name, 0, 0)) << module.status().message();
  return llvm_import::importLlvm(context, **module, name, kernel);
}

/// Compiles to a module of OpenCL's flavour, for the first of these targets that names a version
/// of SPIR-V.
static FailureOr<exe::Executable> compileModule(MLIRContext *context, StringRef llvm,
                                                StringRef name,
                                                const std::vector<target::TargetEnv> &targets,
                                                std::span<const uint8_t> module) {
  if (!module.empty())
    return package::importSpirv(context, module, name, targets);
  Location place = FileLineColLoc::get(context, name, 0, 0);
  auto openCl = llvm::find_if(targets, std::mem_fn(&target::TargetEnv::isOpenCl));
  Result<target::TargetEnv> chosen = openCl != targets.end() ? Result<target::TargetEnv>(*openCl)
                                                             : target::lookupTriple("intel-cpu");
  if (!chosen.isOk())
    return emitError(place) << chosen.status().message();
  if (openCl == targets.end())
    chosen->spirvMinor = 2; // the newest version for which OpenCL has rules of its own
  auto leaves = llvm::all_of(targets, std::mem_fn(&target::TargetEnv::isOpenCl))
                    ? opencl::LeftCalls::Permit
                    : opencl::LeftCalls::Reject;
  Result<std::vector<uint8_t>> words = opencl::llvmToSpirv(llvm, name, *chosen, leaves);
  if (!words.isOk())
    return emitError(place) << words.status().message();
  return package::importSpirv(context, *words, name, targets);
}

/// Returns whether a launch can pass the same arguments to both.
static bool takeSameArguments(const exe::EntryPoint &a, const exe::EntryPoint &b) {
  if (a.arguments.size() != b.arguments.size())
    return false;
  return llvm::all_of(llvm::zip(a.arguments, b.arguments), [](auto pair) {
    auto &[x, y] = pair;
    return x.kind == y.kind && x.elementBytes == y.elementBytes && x.vectorWidth == y.vectorWidth;
  });
}

/// Adds the variants of `other` to `all`.
static LogicalResult merge(Location place, exe::Executable &all, exe::Executable other) {
  for (exe::EntryPoint &entry : other.entryPoints) {
    auto known = llvm::find_if(all.entryPoints,
                               [&](const exe::EntryPoint &one) { return one.name == entry.name; });
    if (known == all.entryPoints.end() || !takeSameArguments(*known, entry))
      return emitError(place) << "the kernel '" << entry.name
                              << "' takes other arguments on OpenCL devices than on Vulkan "
                                 "devices; compile for each with its own command";
    known->workgroupMemoryBytes = std::min(known->workgroupMemoryBytes, entry.workgroupMemoryBytes);
    known->touchesUnnamedMemory |= entry.touchesUnnamedMemory;
    known->assumesNoOverlap |= entry.assumesNoOverlap;
    known->printfs = std::move(entry.printfs);
    if (known->location.line == 0)
      known->location = entry.location;
  }
  llvm::move(other.variants, std::back_inserter(all.variants));
  return success();
}

FailureOr<exe::Executable> pumice::compileOpenCl(MLIRContext *context, StringRef llvm,
                                                 StringRef name,
                                                 const std::vector<target::TargetEnv> &targets,
                                                 const CompileOptions &options,
                                                 std::span<const uint8_t> module) {
  std::vector<target::TargetEnv> ofModules, ofVulkan;
  for (const target::TargetEnv &target : targets) {
    auto &group = takesOpenClModules(target) ? ofModules : ofVulkan;
    group.push_back(target);
    if (!options.nativeCode)
      group.back().nativeCode.clear();
  }
  FailureOr<exe::Executable> all = failure();
  if (!ofModules.empty()) {
    reachStage("LLVM's SPIR-V backend");
    all = compileModule(context, llvm, name, ofModules, module);
    if (failed(all) || ofVulkan.empty())
      return all;
  }
  reachStage("import of LLVM IR");
  FailureOr<OwningOpRef<ModuleOp>> kernels = importKernels(context, llvm, name);
  if (failed(kernels))
    return failure();
  FailureOr<exe::Executable> vulkan = compile(**kernels, ofVulkan, options);
  if (failed(vulkan) || failed(all))
    return vulkan;
  if (failed(merge(FileLineColLoc::get(context, name, 0, 0), *all, std::move(*vulkan))))
    return failure();
  return all;
}
