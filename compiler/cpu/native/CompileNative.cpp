//===- CompileNative.cpp - from SPIR-V to native code -----------------------===//
#include "compiler/cpu/native/CompileNative.h"
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/native/LaneTranslation.h"
#include "compiler/dialect/lane/LaneDialect.h"
#include "compiler/dialect/spvx/SpvxDialect.h"
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/spirv/ReadSpirv.h"
#include "compiler/passes/Progress.h"
#include "compiler/passes/Verification.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pumice;

void cpu::buildCpuPipeline(OpPassManager &pm, unsigned lanes, StringRef features,
                           bool robustAccess) {
  // Makes one flat function for each entry point. Functions from the SPIR-V reader are flat
  // already.
  pm.addPass(spirv_import::createFlattenSpirv());
  pm.addPass(spirv_import::createInlineSpirvCalls());
  pm.addPass(createSpirvToLanes({lanes}));
  // Turns variables into values while control flow is flat. Then a loop shows which values it
  // carries.
  pm.addNestedPass<func::FuncOp>(createPromoteVariables());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFoldNanChecks()); // CSE has merged equal values
  pm.addNestedPass<func::FuncOp>(createFindMerges());
  pm.addNestedPass<func::FuncOp>(createStructureLanes());
  // Turns arrays of matrices into values, so that later passes can compare them.
  pm.addNestedPass<func::FuncOp>(createUnrollMatrixLoops());
  // Expands math functions once, on scalars. The conditionals of polyfills are regions.
  bool avx512 = lanes == 16; // only AVX-512 has registers of that size
  auto says = [&](StringRef feature) {
    return llvm::is_contained(llvm::split(features, ','), feature);
  };
  bool halves = says("+avx512fp16") || says("+fullfp16");
  pm.addNestedPass<func::FuncOp>(createExpandLaneMath({avx512, !says("-fma"), halves}));
  // Runs after the passes that look for loads and stores, and before CSE, which merges equal checks
  // of an address.
  if (robustAccess)
    pm.addNestedPass<func::FuncOp>(createBoundAccesses());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  // Runs after CSE, which reveals products that share factors.
  pm.addNestedPass<func::FuncOp>(createMergeMatrixProducts());
  LanesToSimdOptions simd;
  simd.width = lanes;
  simd.features = features.str();
  simd.mayWiden = true;
  pm.addPass(createLanesToSimd(simd));
  pm.addNestedPass<LLVM::LLVMFuncOp>(createSplitRegisters({lanes}));
  pm.addPass(createSimdToLlvm({avx512}));
  pm.addPass(createAttachDebugLines());
}

void cpu::registerCpuPipeline() {
  struct Options : PassPipelineOptions<Options> {
    Option<unsigned> lanes{*this, "lanes", llvm::cl::desc("invocations in a vector"),
                           llvm::cl::init(16)};
    Option<std::string> features{*this, "features", llvm::cl::desc("the processor's, as LLVM's"),
                                 llvm::cl::init("")};
    Option<bool> robust{*this, "robust", llvm::cl::desc("accesses stay inside bound buffers"),
                        llvm::cl::init(false)};
  };
  PassPipelineRegistration<Options>(
      "pumice-spirv-to-cpu", "From a spirv module to SIMD code in the llvm dialect",
      [](OpPassManager &pm, const Options &options) {
        buildCpuPipeline(pm, options.lanes, options.features, options.robust);
      });
}

void cpu::registerNativeDialects(DialectRegistry &registry) {
  // Registers all dialects. To name only those that kernels use would make this file slower to
  // compile, and would save nothing at run time.
  registerAllDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registry.insert<lane::LaneDialect, spvx::SpvxDialect>();
  registerLaneTranslation(registry);
}

/// The registry is made only once, because filling it takes longer than compiling a small kernel.
static const DialectRegistry &dialects() {
  static const DialectRegistry *registry = [] {
    auto *made = new DialectRegistry; // never destroyed; other threads may still compile at exit
    cpu::registerNativeDialects(*made);
    return made;
  }();
  return *registry;
}

/// Fixes what the code leaves open to the choices of the launch.
static void applyChoices(ModuleOp module, const cpu::NativeRequest &request) {
  OpBuilder builder(module.getContext());
  module.walk([&](FunctionOpInterface function) {
    if (!function->hasAttr("spvx.entry_point"))
      return;
    bool open = llvm::any_of(request.workgroupSize, [](uint32_t size) { return size != 0; });
    if (open && !function->hasAttr("lane.workgroup_size")) {
      SmallVector<int32_t> size(request.workgroupSize.begin(), request.workgroupSize.end());
      for (int32_t &axis : size)
        axis = std::max(axis, 1);
      function->setAttr("lane.workgroup_size", builder.getDenseI32ArrayAttr(size));
    }
    if (request.requiredSubgroupSize)
      function->setAttr("lane.subgroup_size",
                        builder.getI32IntegerAttr(request.requiredSubgroupSize));
  });
}

Result<std::vector<uint8_t>> cpu::compileNative(const NativeRequest &request,
                                                std::string &diagnostics) {
  // Kernels are small, so worker threads would not pay off.
  MLIRContext context(dialects(), MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // diagnostics show the source line instead
  llvm::raw_string_ostream out(diagnostics);
  llvm::SourceMgr sources;
  DiagnosticPrinter handler(sources, &context, out);
  PUMICE_TRY(OwningOpRef<ModuleOp> module,
             spirv_import::readUntrustedSpirv(&context, request.words,
                                              {.sourceName = request.label,
                                               .entryPoint = request.entryPoint,
                                               .specialization = request.constants}));
  applyChoices(*module, request);
  PassManager pm(&context);
  pm.enableVerifier(verifiesEachPass);
  reachPassesOf(pm, "SIMD code");
  buildCpuPipeline(pm, request.cpu.lanes, request.cpu.features, request.robustAccess);
  if (failed(pm.run(*module)) || failed(verify(*module)))
    return Status(StatusCode::Unsupported, "the SPIR-V could not be compiled for the CPU");
  return emitNative(*module, request.cpu, request.emit);
}
