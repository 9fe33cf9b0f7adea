//===- CompileProgram.cpp - compiles a program's kernels for a target -------===//
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/host/HostSites.h"
#include "compiler/host/Program.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::host;

const executable::EntryPoint *Kernel::packaged() const {
  if (executable)
    for (const executable::EntryPoint &entry : executable->entryPoints)
      if (entry.name == entryPoint)
        return &entry;
  return nullptr;
}

const executable::SpirvEntryPoint *Kernel::bare() const {
  if (reflection)
    for (const executable::SpirvEntryPoint &entry : reflection->entryPoints)
      if (entry.name == entryPoint)
        return &entry;
  return nullptr;
}

/// Returns the name of an entry point. The packager omits the module's name if the kernel's own
/// name is unique.
static std::string entryPointNamed(const executable::Executable &contents,
                                   const std::string &module, const std::string &name) {
  std::string qualified = module + "::" + name;
  for (const executable::EntryPoint &entry : contents.entryPoints)
    if (entry.name == qualified)
      return qualified;
  return name;
}

/// Before SPIR-V 1.4, an entry point lists inputs and outputs only. The rule depends on the
/// module's version, which is only known at the end. Upstream uses the target's version instead.
static void trimInterface(mlir::spirv::ModuleOp module) {
  if (module.getVceTriple()->getVersion() >= mlir::spirv::Version::V_1_4)
    return;
  for (auto entry : module.getOps<mlir::spirv::EntryPointOp>()) {
    SmallVector<Attribute> kept;
    for (auto name : entry.getInterface().getAsRange<FlatSymbolRefAttr>()) {
      auto variable = module.lookupSymbol<mlir::spirv::GlobalVariableOp>(name);
      if (!variable ||
          llvm::is_contained({mlir::spirv::StorageClass::Input, mlir::spirv::StorageClass::Output},
                             variable.storageClass()))
        kept.push_back(name);
    }
    entry.setInterfaceAttr(ArrayAttr::get(module.getContext(), kept));
  }
}

/// Adds the parts that a serialized module needs and a hand-written one may lack. These are the
/// version, the capabilities and the extensions. They also include an entry point, if an ABI
/// attribute marks a function as one.
static LogicalResult finishSpirv(ModuleOp wrapper, mlir::spirv::ModuleOp module,
                                 const target::TargetEnv &target) {
  MLIRContext *context = wrapper.getContext();
  bool hasEntry = !module.getOps<mlir::spirv::EntryPointOp>().empty();
  if (hasEntry && module.getVceTriple())
    return success();
  if (!module->hasAttr(mlir::spirv::getTargetEnvAttrName()))
    module->setAttr(mlir::spirv::getTargetEnvAttrName(), vk::toSpirvTargetEnv(context, target));
  PassManager pm(context);
  OpPassManager &modules = pm.nest<mlir::spirv::ModuleOp>();
  if (!hasEntry)
    modules.addPass(mlir::spirv::createSPIRVLowerABIAttributesPass());
  if (!module.getVceTriple())
    modules.addPass(mlir::spirv::createSPIRVUpdateVCEPass());
  if (failed(pm.run(wrapper)))
    return failure();
  if (!hasEntry)
    trimInterface(module);
  return success();
}

FailureOr<Kernel> Program::compileSpirv(const Launched &launched, const target::TargetEnv &target) {
  const Candidate &candidate = launched.candidate;
  for (auto original : origins[candidate.origin].spirv->getOps<mlir::spirv::ModuleOp>()) {
    if (original.getName() != StringRef(candidate.module))
      continue;
    OwningOpRef<ModuleOp> wrapper = ModuleOp::create(original.getLoc());
    auto module = cast<mlir::spirv::ModuleOp>(original->clone());
    wrapper->push_back(module);
    SmallVector<uint32_t> words;
    if (failed(finishSpirv(*wrapper, module, target)) ||
        failed(mlir::spirv::serialize(module, words)))
      return failure();
    auto bytes = reinterpret_cast<const uint8_t *>(words.data());
    Kernel kernel;
    kernel.spirv = std::make_shared<std::vector<uint8_t>>(bytes, bytes + words.size() * 4);
    kernel.entryPoint = candidate.name;
    Result<executable::SpirvModule> reflection = executable::reflectSpirv(*kernel.spirv);
    if (!reflection.isOk())
      return original.emitError() << reflection.status().message();
    kernel.reflection = std::make_shared<executable::SpirvModule>(std::move(*reflection));
    return kernel;
  }
  return failure(); // load() has already reported this
}

Result<std::vector<Kernel>> Program::compileKernels(const target::TargetEnv &target,
                                                    const CompileOptions &options) {
  Status diagnosed(StatusCode::InvalidArgument, "the kernels could not be compiled");
  for (Origin &origin : origins) {
    if (!origin.gpu || origin.gpu->getBody()->empty() || origin.executable)
      continue;
    FailureOr<executable::Executable> compiled = compile(*origin.gpu, {target}, options);
    if (failed(compiled))
      return diagnosed;
    origin.executable = std::make_shared<executable::Executable>(std::move(*compiled));
  }
  std::vector<Kernel> kernels;
  for (const Launched &one : launched) {
    const Origin &origin = origins[one.candidate.origin];
    Kernel kernel;
    if (one.candidate.isSpirv) {
      FailureOr<Kernel> compiled = compileSpirv(one, target);
      if (failed(compiled))
        return diagnosed;
      kernel = std::move(*compiled);
    } else if (origin.binary) {
      kernel.spirv = origin.binary;
      kernel.reflection = origin.reflection;
      kernel.entryPoint = one.candidate.name;
    } else {
      kernel.executable = origin.executable;
      kernel.entryPoint =
          entryPointNamed(*origin.executable, one.candidate.module, one.candidate.name);
    }
    kernel.symbol = one.symbol;
    kernel.origin = origin.path;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}
