//===- Compile.cpp - compiles MLIR to an executable -------------------------===//
#include "compiler/driver/Compile.h"

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/import/triton/ImportTriton.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/package/MslVariants.h"
#include "compiler/package/Package.h"
#include "compiler/passes/Progress.h"
#include "compiler/passes/Verification.h"
#include "compiler/source/FlattenModules.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace pumice;

static LogicalResult run(ModuleOp module, const CompileOptions &options, StringRef stage,
                         llvm::function_ref<void(PassManager &)> build) {
  PassManager pm(module.getContext());
  pm.enableVerifier(verifiesEachPass);
  if (options.configure)
    options.configure(pm);
  reachPassesOf(pm, stage);
  build(pm);
  return success(succeeded(pm.run(module)) && succeeded(verify(module)));
}

static void setTargets(ModuleOp module, const target::TargetEnv &target) {
  module.getContext()->loadDialect<vk::VkDialect, mlir::spirv::SPIRVDialect>();
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    vk::setTarget(kernels, target);
}

/// Returns the number of warps that the module requests for launches of its kernels.
static FailureOr<unsigned> warpsOf(ModuleOp module) {
  Attribute said = module->getAttr(warpsAttrName);
  if (!said)
    return 1u;
  auto number = dyn_cast<IntegerAttr>(said);
  if (!number || !number.getValue().isPowerOf2() || number.getValue().ugt(64)) {
    module.emitError() << warpsAttrName << " = " << said << ": must be a power of two from 1 to 64";
    return failure();
  }
  return static_cast<unsigned>(number.getValue().getZExtValue());
}

static FailureOr<uint64_t> layoutSeedOf(ModuleOp module) {
  Attribute said = module->getAttr(layoutSeedAttrName);
  if (!said)
    return uint64_t(0);
  auto number = dyn_cast<IntegerAttr>(said);
  if (!number || number.getValue().getActiveBits() > 64) {
    module.emitError() << layoutSeedAttrName << " = " << said << ": must be an integer of 64 bits";
    return failure();
  }
  return number.getValue().getZExtValue();
}

/// Separates stores from the loads before them. Some OpenCL drivers run the invocations of a
/// subgroup one after the other, so one's stores would precede another's loads.
static void separateStores(ModuleOp module) {
  SmallVector<tile::StoreOp> stores;
  module.walk([&](tile::StoreOp store) { stores.push_back(store); });
  for (tile::StoreOp store : stores) {
    OpBuilder b(store);
    gpu::BarrierOp::create(b, store.getLoc());
  }
}

/// Converts Triton kernels to kernels for the lanes of this target, in the form that hand-written
/// kernels have.
static FailureOr<OwningOpRef<ModuleOp>> fromTriton(ModuleOp module, const target::TargetEnv &target,
                                                   const CompileOptions &options) {
  FailureOr<unsigned> warps = warpsOf(module);
  FailureOr<uint64_t> layoutSeed = layoutSeedOf(module);
  if (failed(warps) || failed(layoutSeed))
    return failure();
  bool overlaps = module->hasAttr(overlapAttrName);
  OwningOpRef<ModuleOp> result = module.clone();
  module.getContext()->loadDialect<vk::VkDialect>();
  (*result)->setAttr(vk::targetEnvAttrName, vk::toAttr(module.getContext(), target));
  if (failed(run(*result, options, "distribution of tensors", [&](PassManager &pm) {
        TritonOptions triton = tritonOptionsFor(target, *warps);
        triton.layoutSeed = *layoutSeed;
        triton.hasAddresses &= options.kernel.addressing != Addressing::Descriptors;
        triton.reportsLoads = bool(options.reportLoads);
        buildTritonPipeline(pm, triton);
      })))
    return failure();
  (*result)->removeAttr(vk::targetEnvAttrName); // from here on, its gpu.module has this attribute
  setTargets(*result, target);
  if (overlaps && target.isOpenCl())
    separateStores(*result);
  if (failed(run(*result, options, "tile lowering", [&](PassManager &pm) {
        buildTilePipeline(pm, target, {overlaps, bool(options.reportLoads)});
      })))
    return failure();
  if (options.reportLoads)
    result->walk([&](gpu::GPUFuncOp kernel) {
      options.reportLoads(kernel.getName(), target, lower::tiles::takeLoadPlaces(kernel));
    });
  return result;
}

static void buildOutliningPipeline(OpPassManager &pm) {
  // This comes before outlining, which would also move a gpu.launch out of a kernel.
  pm.nest<gpu::GPUModuleOp>().addPass(lower::createCheckOperations());
  pm.addPass(createGpuKernelOutliningPass());
}

/// Performs the steps that are the same for all targets. Nested modules are merged into one, and
/// bodies of gpu.launch become kernels. Host code is then removed, because its launches would not
/// verify once kernels have lost their arguments.
static FailureOr<OwningOpRef<ModuleOp>> outlined(ModuleOp module, const CompileOptions &options) {
  OwningOpRef<ModuleOp> result = module.clone();
  if (failed(flattenModules(*result)))
    return failure();
  if (failed(run(*result, options, "outlining", buildOutliningPipeline)))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*result->getBody()))
    if (!isa<gpu::GPUModuleOp>(op))
      op.erase();
  return result;
}

FailureOr<OwningOpRef<ModuleOp>> pumice::lowerToSpirv(ModuleOp module,
                                                      const target::TargetEnv &target,
                                                      const CompileOptions &options) {
  OwningOpRef<ModuleOp> kernels;
  bool assumesNoOverlap = triton::holdsTriton(module) && !module->hasAttr(overlapAttrName);
  if (triton::holdsTriton(module)) {
    FailureOr<OwningOpRef<ModuleOp>> made = fromTriton(module, target, options);
    if (failed(made))
      return failure();
    kernels = std::move(*made);
    module = *kernels;
  }
  FailureOr<OwningOpRef<ModuleOp>> lowered = outlined(module, options);
  if (failed(lowered))
    return failure();
  setTargets(**lowered, target);
  if (failed(run(**lowered, options, "lowering to SPIR-V",
                 [&](PassManager &pm) { buildKernelPipeline(pm, options.kernel); })))
    return failure();
  if (assumesNoOverlap)
    (*lowered)->walk([&](spirv::FuncOp kernel) {
      if (kernel->hasAttr(lower::interfaceAttrName))
        kernel->setAttr(lower::noOverlapAttrName, UnitAttr::get(kernel.getContext()));
    });
  return lowered;
}

/// Returns the passes of a pipeline in MLIR's notation: "builtin.module(gpu.module(cse,a{n=1
/// m=2}),b)".
static std::vector<std::string> passNames(StringRef pipeline) {
  std::vector<std::string> names;
  std::string word;
  unsigned braces = 0; // of options
  for (char c : pipeline) {
    braces += c == '{';
    braces -= c == '}';
    if (braces || c == '}')
      continue;
    if (c != ',' && c != '(' && c != ')') {
      word += c;
      continue;
    }
    // The word before a parenthesis is the operation of a nested pipeline.
    if (c != '(' && !word.empty())
      names.push_back(word);
    word.clear();
  }
  return names;
}

std::vector<std::string> pumice::passesToSpirv(ModuleOp module, const target::TargetEnv &target,
                                               const KernelOptions &options) {
  PassManager pm(module.getContext());
  if (triton::holdsTriton(module)) {
    buildTritonPipeline(pm, tritonOptionsFor(target, 1));
    buildTilePipeline(pm, target);
  }
  buildOutliningPipeline(pm);
  buildKernelPipeline(pm, options);
  std::string pipeline;
  llvm::raw_string_ostream out(pipeline);
  pm.printAsTextualPipeline(out);
  return passNames(pipeline);
}

/// Returns whether the kernels have products of matrices whose tiles they choose themselves. Those
/// of Triton need to know where lanes keep elements, which Metal does not say.
static bool multipliesTiles(ModuleOp module) {
  return module
      ->walk([](Operation *op) {
        bool product = op->getName().getStringRef().starts_with("gpu.subgroup_mma");
        return product ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds kernels for Metal that use its matrices, if there are any. What fails here is left out,
/// without a message: the packager has the kernels without matrices.
static void addMetalMatrices(package::Packager &packager, ModuleOp module,
                             const target::TargetEnv &target, const CompileOptions &options) {
  std::optional<target::TargetEnv> env = package::withMetalMatrices(target);
  if (!options.nativeCode || !env || !multipliesTiles(module))
    return;
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<OwningOpRef<ModuleOp>> lowered = lowerToSpirv(module, *env, options);
  if (succeeded(lowered))
    (void)packager.addMslWithMatrices(**lowered, *env);
}

FailureOr<executable::Executable> pumice::compile(ModuleOp module,
                                                  const std::vector<target::TargetEnv> &targets,
                                                  const CompileOptions &options) {
  package::Packager packager(options.viaLlvm, options.nativeCode);
  for (const target::TargetEnv &target : targets) {
    target::TargetEnv packaged = package::withoutMetalMatrices(target);
    FailureOr<OwningOpRef<ModuleOp>> lowered = lowerToSpirv(module, packaged, options);
    reachStage("SPIR-V binary");
    if (!options.nativeCode)
      packaged.nativeCode.clear();
    if (failed(lowered) || failed(packager.add(**lowered, packaged)))
      return failure();
    addMetalMatrices(packager, module, target, options);
  }
  if (packager.empty()) {
    // The place of a module that the text leaves out is line 0.
    Operation *first = module.getBody()->empty() ? module : &module.getBody()->front();
    first->emitError() << "holds no kernel; mark a gpu.func as 'kernel', or use gpu.launch";
    return failure();
  }
  return std::move(packager).finish();
}
