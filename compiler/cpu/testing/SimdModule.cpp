//===- SimdModule.cpp - runs lane kernels on this machine -------------------===//
#include "compiler/cpu/testing/SimdModule.h"

#include "compiler/cpu/Passes.h"
#include "compiler/cpu/testing/LoadKernels.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu::testing;

namespace {
struct KernelFacts {
  int64_t scratchBytes, workgroupBytes;
  std::vector<int32_t> bindings;
};
} // namespace

struct SimdModule::State {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<ExecutionEngine> engine;
  std::map<std::string, KernelFacts> facts;
};

static LogicalResult lower(ModuleOp module, SimdWidth width) {
  PassManager pm(module.getContext());
  cpu::LanesToSimdOptions options;
  options.width = width.lanes;
  options.mayWiden = width.mayWiden;
  pm.addPass(cpu::createLanesToSimd(options));
  pm.addNestedPass<LLVM::LLVMFuncOp>(cpu::createSplitRegisters({width.registerLanes}));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static KernelFacts factsOf(LLVM::LLVMFuncOp function) {
  auto number = [&](StringRef name) -> int64_t {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  auto bindings = function->getAttrOfType<DenseI32ArrayAttr>("lane.bindings").asArrayRef();
  return {number("lane.scratch_bytes"), number("lane.shared_bytes"), bindings.vec()};
}

static void compile(const std::string &kernels, SimdWidth width, MLIRContext &context,
                    std::map<std::string, KernelFacts> &facts,
                    std::unique_ptr<llvm::TargetMachine> &target,
                    std::unique_ptr<ExecutionEngine> &result) {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  ASSERT_TRUE(initialized) << "no native target";
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module = loadKernels(kernels, context);
  ASSERT_TRUE(module) << kernels;
  ASSERT_TRUE(succeeded(lower(*module, width))) << kernels;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    facts[function.getName().str()] = factsOf(function);
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  ASSERT_TRUE(bool(builder)) << llvm::toString(builder.takeError());
  auto machine = builder->createTargetMachine();
  ASSERT_TRUE(bool(machine)) << llvm::toString(machine.takeError());
  target = std::move(*machine);
  const char *level = std::getenv("PUMICE_TEST_OPT_LEVEL"); // 0: shows whether LLVM is at fault
  auto optimize = makeOptimizingTransformer(level ? std::atoi(level) : 2, 0, target.get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto engine = ExecutionEngine::create(*module, options);
  ASSERT_TRUE(bool(engine)) << llvm::toString(engine.takeError());
  result = std::move(*engine);
}

SimdModule::SimdModule(const std::string &kernels, SimdWidth width)
    : state(std::make_unique<State>()) {
  compile(kernels, width, state->context, state->facts, state->machine, state->engine);
}

SimdModule::~SimdModule() = default;

uint32_t SimdModule::run(const std::string &name, std::array<uint32_t, 3> groups,
                         LaunchMemory &memory, const uint32_t *cancel) const {
  auto found = state->facts.find(name);
  if (found == state->facts.end() || !state->engine) {
    ADD_FAILURE() << "no kernel " << name;
    return ~0u;
  }
  auto address = state->engine->lookup(name);
  if (!address) {
    ADD_FAILURE() << llvm::toString(address.takeError());
    return ~0u;
  }
  const KernelFacts &facts = found->second;
  std::vector<executable::NativeBuffer> buffers;
  for (size_t i = 0; i < facts.bindings.size(); i += 3) {
    auto &buffer = memory.buffers.at(facts.bindings[i + 1]);
    buffers.push_back({buffer.data(), buffer.size() * 4});
  }
  executable::NativeLaunch launch;
  std::copy(groups.begin(), groups.end(), launch.groups);
  launch.buffers = buffers.data();
  launch.pushConstants = memory.pushConstants.data();
  launch.cancel = cancel;
  auto allocate = [](int64_t bytes) {
    return std::unique_ptr<void, decltype(&std::free)>(
        std::aligned_alloc(64, (bytes + 127) / 64 * 64), &std::free);
  };
  auto workgroupMemory = allocate(facts.workgroupBytes), scratch = allocate(facts.scratchBytes);
  auto function = reinterpret_cast<executable::NativeKernelFunction>(*address);
  return executable::runNative(function, launch, workgroupMemory.get(), scratch.get(), 0,
                               uint64_t(groups[0]) * groups[1] * groups[2]);
}
