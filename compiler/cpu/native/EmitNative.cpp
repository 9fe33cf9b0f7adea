//===- EmitNative.cpp - the llvm dialect → LLVM IR → a shared object --------===//
#include "compiler/cpu/native/EmitNative.h"
#include "compiler/cpu/native/LibraryCalls.h"
#include "compiler/cpu/native/LinkObject.h"
#include "compiler/cpu/native/NativeInfo.h"
#include "compiler/cpu/native/OptimizeNative.h"
#include "compiler/cpu/native/StoreSingleLanes.h"
#include "compiler/cpu/native/UnmaskBitSelects.h"
#include "compiler/passes/Progress.h"
#include "executable/NativeCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace pumice;
using namespace pumice::cpu;

/// Changes the default of one of LLVM's options, which have no other interface. lld resets all
/// options to their defaults at each link. An option that this version of LLVM lacks is ignored.
/// Some options only count if they have a position on a command line.
template <typename T> static void setLlvmDefault(llvm::StringRef name, T value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end())
    if (auto *option = dynamic_cast<llvm::cl::opt<T> *>(found->second)) {
      option->setInitialValue(value);
      option->setPosition(1);
    }
}

void cpu::prepareTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Kernels have lines, but no variables whose places debuggers could ask for. LLVM's analysis of
    // such places took a twentieth of the time from SPIR-V to native code.
    setLlvmDefault("experimental-debug-variable-locations", llvm::cl::BOU_FALSE);
    // The schedulers compare each access to memory with each other one in a region of code. The
    // second, after the allocation of registers, made none of 16 kernels faster. The first groups
    // accesses in regions with more than this number of them. With 300, a gradient of attention
    // took 1.1 times as long as with LLVM's 1000.
    setLlvmDefault("post-RA-scheduler", false);
    setLlvmDefault("dag-maps-huge-region", 600u);
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); // for LibraryCalls' assembly
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

/// Returns the processor's features, without those for which LLVM emits wrong code. LLVM 22.1.8
/// turns i32 products of sign-extended i16 into pmaddwd. If an element is known to be zero but its
/// neighbours are unknown, the instruction also multiplies the upper halves of that element
/// (products.test).
static std::string safeFeatures(const NativeCpu &cpu) {
  if (!llvm::Triple(cpu.triple).isX86())
    return cpu.features;
  return cpu.features + (cpu.features.empty() ? "" : ",") + "+slow-pmaddwd";
}

static Result<std::unique_ptr<llvm::TargetMachine>> machineFor(const NativeCpu &cpu,
                                                               unsigned optimization) {
  prepareTargets();
  std::string error;
  llvm::Triple triple(cpu.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return Status(StatusCode::Unsupported,
                  "LLVM cannot make code for '" + cpu.triple + "': " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fuses only if `contract` allows it
  auto level = llvm::CodeGenOpt::getLevel(optimization).value_or(llvm::CodeGenOptLevel::Default);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu.name, safeFeatures(cpu), options, llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return Status(StatusCode::Unsupported, "LLVM does not know the processor '" + cpu.name + "'");
  return machine;
}

/// Returns the x86-64 level, or the architecture, that code for `machine` requires. Code may use
/// further features only if it is compiled for this machine, and no other machine gets such code.
static std::string leastProcessor(const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  std::string system(systemSuffix(triple));
  if (!triple.isX86())
    return (triple.isAArch64() ? "aarch64" : triple.getArchName().str()) + system;
  return x86Level([&](llvm::StringRef feature) {
           return machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
         }) +
         system;
}

/// Makes LLVM use registers as wide as the kernel's vectors. By default, LLVM prefers half the
/// width, for higher clock rates. LLVM reports the stack of each function (StackOfFunctions).
static void setFunctionAttributes(llvm::Module &module, const NativeCpu &cpu) {
  std::string bits = std::to_string(cpu.lanes * 32);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.name);
    if (std::string features = safeFeatures(cpu); !features.empty())
      function.addFnAttr("target-features", features);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
    function.addFnAttr("warn-stack-size", "0");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// Makes a library for Windows export what the driver looks for, and nothing else. The other
/// linkers export what is visible. For Windows, LLVM would call `__main` in a kernel named `main`.
static void exportInfo(llvm::Module &module) {
  if (!module.getTargetTriple().isOSWindows())
    return;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  for (const char *name : {executable::nativeInfoSymbol, executable::nativeProcessorSymbol})
    module.getGlobalVariable(name)->setDLLStorageClass(llvm::GlobalValue::DLLExportStorageClass);
}

/// The time of LLVM's scheduler and register allocator is quadratic in the size of a block. Code
/// with a larger block, for example copies of whole arrays, is compiled without them.
static constexpr size_t mostInBlock = size_t{1} << 14;

static bool hasHugeBlock(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::any_of(function,
                        [](const llvm::BasicBlock &block) { return block.size() > mostInBlock; });
  });
}

/// Splits large blocks into pieces of the largest allowed size. Allocas stay in the first piece.
static void splitHugeBlocks(llvm::Module &module) {
  constexpr ptrdiff_t piece = 1024;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : llvm::make_early_inc_range(function)) {
      auto from = block.getFirstNonPHIIt();
      for (llvm::Instruction &each : block)
        if (llvm::isa<llvm::AllocaInst>(each))
          from = std::next(each.getIterator());
      for (llvm::BasicBlock *rest = &block; std::distance(from, rest->end()) > 2 * piece;
           from = rest->begin())
        rest = rest->splitBasicBlock(std::next(from, piece));
    }
}

/// Returns Windows' counter in nanoseconds: its whole seconds and the rest, so that no product is
/// too large.
static llvm::Value *readCounter(llvm::IRBuilder<> &b, llvm::Module &module) {
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty(), *pointer = b.getPtrTy();
  auto read = [&](const char *name) {
    llvm::Value *place = b.CreateAlloca(i64);
    b.CreateCall(module.getOrInsertFunction(name, i32, pointer), {place});
    return b.CreateLoad(i64, place);
  };
  llvm::Value *count = read("QueryPerformanceCounter"), *rate = read("QueryPerformanceFrequency");
  llvm::Value *second = b.getInt64(1'000'000'000);
  llvm::Value *rest = b.CreateUDiv(b.CreateMul(b.CreateURem(count, rate), second), rate);
  return b.CreateAdd(b.CreateMul(b.CreateUDiv(count, rate), second), rest);
}

/// Returns the time of CLOCK_MONOTONIC in nanoseconds.
static llvm::Value *readClock(llvm::IRBuilder<> &b, llvm::Module &module) {
  llvm::Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty(), *pointer = b.getPtrTy();
  auto *timespec = llvm::StructType::get(i64, i64);
  llvm::FunctionCallee read = module.getOrInsertFunction("clock_gettime", i32, i32, pointer);
  llvm::Value *time = b.CreateAlloca(timespec);
  uint32_t monotonic = module.getTargetTriple().isOSDarwin() ? 6 : 1; // CLOCK_MONOTONIC
  b.CreateCall(read, {b.getInt32(monotonic), time});
  llvm::Value *seconds = b.CreateLoad(i64, b.CreateStructGEP(timespec, time, 0));
  llvm::Value *rest = b.CreateLoad(i64, b.CreateStructGEP(timespec, time, 1));
  return b.CreateAdd(b.CreateMul(seconds, b.getInt64(1'000'000'000)), rest);
}

/// Emits a function that returns the time of the system's monotonic clock in nanoseconds, without a
/// system call.
static void readNanoseconds(llvm::Module &module) {
  llvm::Function *steady = module.getFunction("llvm.readsteadycounter");
  if (!steady)
    return;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  auto *now = llvm::Function::Create(llvm::FunctionType::get(i64, false),
                                     llvm::GlobalValue::InternalLinkage, "nanoseconds", module);
  now->addFnAttr(llvm::Attribute::NoInline);
  now->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", now));
  b.CreateRet(module.getTargetTriple().isOSWindows() ? readCounter(b, module)
                                                     : readClock(b, module));
  steady->replaceAllUsesWith(now);
  steady->eraseFromParent();
}

/// Chooses a clock. On x86, the cycle counter has the same rate on all processors. On ARM, the
/// cycle counter may be inaccessible, so the timer is used.
static void chooseClock(llvm::Module &module, const llvm::TargetMachine &machine) {
  llvm::Function *cycles = module.getFunction("llvm.readcyclecounter");
  if (!cycles || !machine.getTargetTriple().isAArch64())
    return;
  cycles->replaceAllUsesWith(
      llvm::Intrinsic::getOrInsertDeclaration(&module, llvm::Intrinsic::readsteadycounter));
  cycles->eraseFromParent();
}

/// Adds up the stack of the functions that LLVM compiles. None of them is recursive. Other remarks
/// are ignored: by default, LLVM prints hints that it could not follow to standard error, and ends
/// the process on errors.
class StackOfFunctions final : public llvm::DiagnosticHandler {
public:
  explicit StackOfFunctions(uint64_t &sum) : sum(sum) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (auto *stack = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info))
      sum += stack->getStackSize();
    return info.getSeverity() != llvm::DS_Error;
  }

private:
  uint64_t &sum;
};

static std::vector<uint8_t> textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return {text.begin(), text.end()};
}

static Result<llvm::SmallVector<char, 0>>
generate(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type))
    return Status(StatusCode::Unsupported, "LLVM cannot write this kind of file for '" +
                                               machine.getTargetTriple().str() + "'");
  passes.run(module);
  return bytes;
}

/// Returns the largest stack that a kernel may use, which shares it with other frames. A thread of
/// Linux usually has 8 MiB. The main thread of a program has 1 MiB on Windows, and other threads
/// have 512 KiB on macOS.
static uint64_t mostStackBytes(const llvm::Triple &system) {
  return system.isOSLinux() ? 6 << 20 : 256 << 10;
}

/// Links `code`, and the library functions that it calls, to a shared object.
static Result<std::vector<uint8_t>> link(llvm::LLVMContext &context, llvm::StringRef code,
                                         const NativeCpu &cpu, llvm::TargetMachine &machine) {
  std::vector<std::span<const char>> objects{{code.data(), code.size()}};
  llvm::SmallVector<char, 0> more;
  if (std::unique_ptr<llvm::Module> calls = libraryCalls(context, undefinedSymbols(code))) {
    calls->setTargetTriple(machine.getTargetTriple());
    calls->setDataLayout(machine.createDataLayout());
    setFunctionAttributes(*calls, cpu);
    PUMICE_TRY(more, generate(*calls, machine, llvm::CodeGenFileType::ObjectFile));
    objects.emplace_back(more.data(), more.size());
  }
  return linkObjects(machine.getTargetTriple(), objects);
}

Result<std::vector<uint8_t>> cpu::emitNative(mlir::ModuleOp module, const NativeCpu &cpu,
                                             const EmitOptions &options) {
  if (options.form == NativeForm::LlvmMlir) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  reachStage("LLVM IR");
  llvm::LLVMContext context;
  uint64_t stack = 0;
  context.setDiagnosticHandler(std::make_unique<StackOfFunctions>(stack));
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context);
  if (!code)
    return Status(StatusCode::Internal, "the llvm dialect could not be translated to LLVM IR");
  Result<std::unique_ptr<llvm::TargetMachine>> machine = machineFor(cpu, options.optimization);
  if (!machine.isOk())
    return machine.status();
  code->setTargetTriple((*machine)->getTargetTriple());
  code->setDataLayout((*machine)->createDataLayout());
  if (!(*machine)->getTargetTriple().isOSBinFormatELF())
    llvm::StripDebugInfo(*code); // these linkers would leave it out
  if (Status status = addNativeInfo(module, leastProcessor(**machine), *code); !status.isOk())
    return status;
  exportInfo(*code);
  setFunctionAttributes(*code, cpu);
  readNanoseconds(*code);
  chooseClock(*code, **machine); // makes more calls of the steady counter
  if (options.form == NativeForm::LlvmIr)
    return textOf(*code);
  reachStage("LLVM's optimizer");
  optimizeNative(*code, **machine, options.optimization);
  unmaskBitSelects(*code, **machine);
  storeSingleLanes(*code);
  if (options.form == NativeForm::OptimizedLlvmIr)
    return textOf(*code);
  reachStage("machine code");
  bool isHuge = hasHugeBlock(*code);
  std::unique_ptr<llvm::Module> again = isHuge ? llvm::CloneModule(*code) : nullptr;
  llvm::CodeGenOptLevel usual = (*machine)->getOptLevel();
  if (isHuge)
    (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
  bool assembly = options.form == NativeForm::Assembly;
  auto type = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  auto bytes = generate(*code, **machine, type);
  if (!bytes.isOk())
    return bytes.status();
  if (assembly)
    return std::vector<uint8_t>(bytes->begin(), bytes->end());
  // Each value got its own stack slot, because the register allocator did not run.
  uint64_t most = mostStackBytes((*machine)->getTargetTriple());
  if (isHuge && stack > most) {
    (*machine)->setOptLevel(usual);
    splitHugeBlocks(*again);
    stack = 0;
    bytes = generate(*again, **machine, type);
    if (!bytes.isOk())
      return bytes.status();
  }
  if (stack > most)
    return Status(StatusCode::ResourceExhausted,
                  "the kernel's code takes " + std::to_string(stack) +
                      " bytes of stack; there are " + std::to_string(most) +
                      ": let a program, or a workgroup, work on fewer elements");
  reachStage("linking");
  if (options.form == NativeForm::SharedObject)
    return link(context, {bytes->data(), bytes->size()}, cpu, **machine);
  return std::vector<uint8_t>(bytes->begin(), bytes->end());
}
