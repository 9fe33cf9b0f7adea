//===- ShaderToKernel.cpp - a Vulkan compute shader as an OpenCL kernel -----===//
#include "compiler/shader/ShaderToKernel.h"

#include "compiler/cpu/Passes.h"
#include "compiler/cpu/native/CompileNative.h"
#include "compiler/import/spirv/Passes.h"
#include "compiler/import/spirv/ReadSpirv.h"
#include "compiler/opencl/LlvmToSpirv.h"
#include "compiler/passes/Progress.h"
#include "compiler/passes/Verification.h"
#include "compiler/shader/LanePatterns.h"
#include "compiler/shader/Passes.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/target/Spirv.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"

#include <algorithm>
#include <bit>

using namespace mlir;
using namespace pumice;

void shader::buildKernelPipeline(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(spirv_import::createFlattenSpirv());
  pm.addPass(spirv_import::createInlineSpirvCalls());
  pm.addPass(cpu::createSpirvToLanes({options.lanes, options.listArguments}));
  // Follows addresses through variables, so it runs before they are promoted.
  if (options.robustAccess)
    pm.addNestedPass<func::FuncOp>(cpu::createBoundAccesses());
  pm.addNestedPass<func::FuncOp>(cpu::createPromoteVariables());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFlattenLanes());
  pm.addNestedPass<func::FuncOp>(createExpandAtomics({options.floatAdd}));
  LanesToKernelsOptions kernels;
  for (const std::array<uint32_t, 3> &slot : options.slots)
    for (uint32_t number : slot)
      kernels.slots.push_back(number);
  kernels.fixedSubgroups = options.fixedSubgroups;
  kernels.pushConstantBytes = static_cast<int64_t>(options.pushConstantBytes);
  pm.addPass(createLanesToKernels(kernels));
}

void shader::registerKernelPipeline() {
  struct Options : PassPipelineOptions<Options> {
    Option<unsigned> lanes{*this, "lanes", llvm::cl::desc("invocations in a subgroup"),
                           llvm::cl::init(16)};
    Option<bool> robust{*this, "robust", llvm::cl::desc("accesses stay inside bound buffers"),
                        llvm::cl::init(false)};
  };
  PassPipelineRegistration<Options>(
      "pumice-shader-to-kernel", "From a compute shader to an OpenCL kernel in the llvm dialect",
      [](OpPassManager &pm, const Options &options) {
        buildKernelPipeline(pm, {.lanes = options.lanes, .robustAccess = options.robust});
      });
}

/// The registry is made only once, because filling it takes long.
const DialectRegistry &shader::dialectsOfKernels() {
  static const DialectRegistry *registry = [] {
    auto *made = new DialectRegistry; // never destroyed; other threads may still compile at exit
    cpu::registerNativeDialects(*made);
    return made;
  }();
  return *registry;
}

/// OpenCL's drivers do the rest.
void shader::simplify(llvm::Module &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InferAddressSpacesPass(shader::Generic));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InferAddressSpacesPass(shader::Generic)); // of pointers in variables
  // Intel's runtime for CPUs reads wrong elements of a private array that begins as zeros, and has
  // an element stored again. Without the first store to that element, it reads right ones.
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::DCEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

/// Returns the subgroup operations that a module needs and the target lacks, as a text.
static std::string lackingOperations(const llvm::Module &module, const target::TargetEnv &target) {
  static constexpr struct {
    const char *function, *what;
    uint32_t operation;
  } functions[] = {
      {"sub_group_shuffle", "shuffle", target::SubgroupShuffle},
      {"sub_group_ballot", "ballot", target::SubgroupBallot},
      {"sub_group_non_uniform_", "arithmetic", target::SubgroupArithmetic},
      {"sub_group_clustered_", "clustered", target::SubgroupClustered},
  };
  std::string lacking;
  for (const auto &[function, what, operation] : functions)
    if (!target.hasSubgroup(operation) && llvm::any_of(module, [&](const llvm::Function &called) {
          return called.getName().contains(function);
        }))
      (lacking += lacking.empty() ? "" : ", ") += what;
  return lacking;
}

static bool hasFloatAdd(const target::TargetEnv &target) {
  return llvm::is_contained(target::spirvExtensions(target), "SPV_EXT_shader_atomic_float_add");
}

/// Returns the number of lanes that a kernel gets if it does not require one.
static uint32_t preferredLanes(const target::TargetEnv &target) {
  constexpr uint32_t most = 64; // that ballots can hold
  uint32_t lanes = std::clamp(target.limits.subgroupSize, 1u, most);
  return std::bit_floor(lanes);
}

Result<std::vector<uint8_t>> shader::shaderToKernel(const KernelRequest &request,
                                                    std::string &diagnostics) {
  MLIRContext context(dialectsOfKernels(), MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::raw_string_ostream out(diagnostics);
  llvm::SourceMgr sources;
  DiagnosticPrinter handler(sources, &context, out);
  PUMICE_TRY(OwningOpRef<ModuleOp> module,
             spirv_import::readUntrustedSpirv(&context, request.words,
                                              {.sourceName = request.label,
                                               .entryPoint = request.entryPoint,
                                               .specialization = request.constants}));
  PipelineOptions options;
  options.lanes =
      request.requiredSubgroupSize ? request.requiredSubgroupSize : preferredLanes(request.target);
  options.fixedSubgroups =
      request.target.limits.minSubgroupSize != request.target.limits.maxSubgroupSize &&
      request.target.has(target::Feature::subgroupSizeControl);
  options.robustAccess = request.robustAccess;
  options.floatAdd = hasFloatAdd(request.target);
  options.slots = request.slots;
  options.pushConstantBytes = request.pushConstantBytes;
  OpBuilder b(&context);
  module->walk([&](FunctionOpInterface function) {
    if (function->hasAttr("spvx.entry_point"))
      function->setAttr("lane.subgroup_size", b.getI32IntegerAttr(int32_t(options.lanes)));
  });
  PassManager pm(&context);
  pm.enableVerifier(verifiesEachPass);
  reachPassesOf(pm, "OpenCL code");
  buildKernelPipeline(pm, options);
  if (failed(pm.run(*module)) || failed(verify(*module)))
    return Status(StatusCode::Unsupported, "the shader could not be compiled for OpenCL");
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return Status(StatusCode::Internal, "the shader could not be translated to LLVM IR");
  for (llvm::Function &function : *translated)
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      function.setName(kernelName);
  std::string lacking = lackingOperations(*translated, request.target);
  if (!lacking.empty())
    return Status(StatusCode::Unsupported, "the device lacks the subgroup operations " + lacking);
  simplify(*translated);
  return opencl::llvmToSpirv(*translated, request.target);
}
