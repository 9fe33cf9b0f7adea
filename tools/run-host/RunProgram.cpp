//===- RunProgram.cpp - pumice run program.mlir -----------------------------===//
// Splits the program. Kernels go through the compiler to the device, and host code through LLVM's
// JIT into this process. Then calls the program's main.
//===-------------------------------------------------------------------------===//
#include "tools/run-host/RunProgram.h"

#include "compiler/Registration.h"
#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/host/Passes.h"
#include "compiler/host/Program.h"
#include "compiler/source/DiagnosticPrinter.h"
#include "compiler/source/SourceFile.h"
#include "runtime/hal/Registry.h"
#include "support/EnglishText.h"
#include "tools/run-host/DumpNative.h"
#include "tools/run-host/DumpProgram.h"
#include "tools/run-host/FaultMessages.h"
#include "tools/run-host/Jit.h"
#include "tools/run-host/ShowProgress.h"
#include "tools/run/Files.h"
#include "tools/run/Profile.h"
#include "tools/run/SpirvTools.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>
#include <dlfcn.h>
#include <set>

using namespace mlir;
using namespace pumice;
using namespace pumice::run;

namespace {

DialectRegistry hostRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  registerHostTranslations(registry);
  return registry;
}

/// The largest exit status of a process. Larger results become this one: their lowest 8 bits could
/// be 0, which means success.
constexpr int mostStatus = 255;

/// A run, from reading the source to the exit status.
struct ProgramRun {
  const ProgramOptions &options;
  MLIRContext context;
  llvm::SourceMgr sources;
  DiagnosticPrinter diagnostics;
  DumpProgram dump;
  DumpNative native;

  explicit ProgramRun(const ProgramOptions &options)
      : options(options), context(hostRegistry(), MLIRContext::Threading::DISABLED),
        diagnostics(sources, &context, llvm::errs()), dump(options.dumpFolder),
        native(options.dumpFolder) {
    context.printOpOnDiagnostic(false); // the source line says more
  }

  Status openSource();
  Result<std::vector<host::Kernel>> compileKernels(host::Program &program, hal::Device &device);
  Result<LLVM::LLVMFuncOp> findEntry(ModuleOp module);
  Result<int64_t (*)(void *)> entryOf(LLVM::LLVMFuncOp function);
  Status checkOperands(const std::vector<host::Site> &sites,
                       const std::vector<host::Kernel> &kernels);
  Status report(HostRuntime &runtime, const hal::DeviceInfo &device);
  Result<int64_t> run();
};

Status ProgramRun::openSource() {
  for (const std::string &library : options.libraries)
    if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL))
      return Status(StatusCode::NotFound,
                    "cannot load '" + library + "': " + std::string(dlerror()));
  PUMICE_TRY(std::unique_ptr<llvm::MemoryBuffer> buffer, readSource(options.input));
  if (buffer->getBuffer().trim().empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + options.input + "' is empty; it must hold a program, as MLIR text");
  PUMICE_RETURN_IF_ERROR(dump.text("source.mlir", buffer->getBuffer()));
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return Status::ok();
}

/// Validates packaged kernels. Executables come from elsewhere, and drivers crash on invalid
/// SPIR-V. Bare SPIR-V is checked when its launches are prepared.
static Status validatePackaged(const std::vector<host::Kernel> &kernels) {
  std::set<const executable::Executable *> seen;
  for (const host::Kernel &kernel : kernels)
    if (kernel.executable && seen.insert(kernel.executable.get()).second)
      if (Status judged = validateVariants(*kernel.executable); !judged.isOk())
        return std::move(judged).at("'" + kernel.origin + "'");
  return Status::ok();
}

Result<std::vector<host::Kernel>> ProgramRun::compileKernels(host::Program &program,
                                                             hal::Device &device) {
  PUMICE_TRY(target::TargetEnv target, vk::readTargetJson(device.targetEnvironment()));
  ShowProgress shown("the program's kernels");
  CompileOptions compile;
  compile.kernel = options.kernel;
  PUMICE_TRY(std::vector<host::Kernel> kernels, program.compileKernels(target, compile));
  PUMICE_RETURN_IF_ERROR(validatePackaged(kernels));
  PUMICE_RETURN_IF_ERROR(dump.kernels(kernels));
  return kernels;
}

/// Calls code of the JIT. -fsanitize=function reads a type in front of the code. JIT code has none,
/// and at the start of a page that read would fault.
template <typename T> [[clang::no_sanitize("function")]] T callCompiled(void *entry) {
  return reinterpret_cast<T (*)()>(entry)();
}

/// Finds the entry function by its whole name, or else the only function of that name in nested
/// modules.
Result<LLVM::LLVMFuncOp> ProgramRun::findEntry(ModuleOp module) {
  std::string others, inner;
  std::vector<LLVM::LLVMFuncOp> found;
  auto add = [](std::string &names, LLVM::LLVMFuncOp function) {
    names += (names.empty() ? "" : ", ") + function.getName().str();
  };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getName() == options.entry)
      return function;
    if (function.getName().ends_with("::" + options.entry)) {
      found.push_back(function);
      add(inner, function);
    }
    if (function.getNumArguments() == 0)
      add(others, function);
  }
  if (found.size() == 1)
    return found.front();
  if (!found.empty())
    return Status(StatusCode::InvalidArgument, "several modules of the program have a function '" +
                                                   options.entry +
                                                   "'; choose one with --entry: " + inner);
  return Status(StatusCode::NotFound,
                "the program has no function '" + options.entry + "'; " +
                    (others.empty() ? "give it one without arguments, which returns i32 or nothing"
                                    : "choose another one with --entry: " + others));
}

/// Returns how to call the entry function, by its types in LLVM's dialect.
Result<int64_t (*)(void *)> ProgramRun::entryOf(LLVM::LLVMFuncOp function) {
  if (function.getNumArguments() != 0) {
    function.emitError()
        << "the entry function takes arguments; call it from a function without arguments";
    return Status(StatusCode::InvalidArgument, "cannot call '" + function.getName().str() + "'");
  }
  mlir::Type result = function.getFunctionType().getReturnType();
  if (isa<LLVM::LLVMVoidType>(result))
    return +[](void *entry) -> int64_t {
      callCompiled<void>(entry);
      return 0;
    };
  if (result.isInteger(32))
    return +[](void *entry) -> int64_t { return callCompiled<int32_t>(entry); };
  if (result.isInteger(64))
    return +[](void *entry) -> int64_t { return callCompiled<int64_t>(entry); };
  function.emitError() << "the entry function returns " << result
                       << "; let it return i32, i64, index or nothing";
  return Status(StatusCode::InvalidArgument, "cannot call '" + function.getName().str() + "'");
}

/// Returns whether the host's type `given` matches the kernel's type `taken` of the same size. A
/// type that MLIR's text does not give matches all.
static bool isSameType(std::string_view given, executable::ElementType taken) {
  using executable::ElementType;
  if (taken == ElementType::opaque || given.starts_with('!') || given.starts_with("complex"))
    return true;
  if (given.starts_with("si") || given.starts_with("ui"))
    given.remove_prefix(1);
  std::string_view name = toString(taken);
  bool isWord = given == "i64" || given == "i32";
  return given == name || (taken == ElementType::f8 && given.starts_with("f8")) ||
         (given == "index" && (taken == ElementType::i32 || taken == ElementType::i64)) ||
         (taken == ElementType::index && isWord);
}

/// Checks operands of launches. Nothing has checked kernels from other files yet. For kernels
/// inside the program, the verifier has.
Status ProgramRun::checkOperands(const std::vector<host::Site> &sites,
                                 const std::vector<host::Kernel> &kernels) {
  for (const host::Site &site : sites) {
    if (site.action != host::Action::Launch)
      continue;
    const host::Kernel &kernel = kernels[static_cast<size_t>(site.kernel)];
    const executable::EntryPoint *entry = kernel.packaged();
    if (!entry)
      continue; // bare SPIR-V is checked by its reflection at the launch
    auto bad = [&](const std::string &what) {
      return Status(StatusCode::InvalidArgument,
                    site.location + ": " + kernel.symbol + " of " + kernel.origin + what);
    };
    if (entry->arguments.size() != site.operands.size())
      return bad(" takes " + counted(entry->arguments.size(), "argument") + "; " +
                 countedAre(site.operands.size()) + " given");
    for (size_t i = 0; i < site.operands.size(); ++i) {
      const executable::Argument &argument = entry->arguments[i];
      const host::Operand &operand = site.operands[i];
      bool isBuffer = argument.kind == executable::ArgumentKind::Buffer;
      std::string place = ": argument " + std::to_string(i) + " ('" + argument.name + "') is ";
      std::string type(toString(argument.element));
      uint64_t bytes = uint64_t(argument.elementBytes) * argument.vectorWidth;
      if (isBuffer != (operand.rank >= 0))
        return bad(place + (isBuffer ? "a buffer of " : "a scalar ") + type + "; a " +
                   (isBuffer ? "scalar" : "memref") + " is given");
      if (isBuffer && operand.rank != int64_t(argument.shape.size()))
        return bad(place + "a buffer of rank " + std::to_string(argument.shape.size()) +
                   "; a memref of rank " + std::to_string(operand.rank) + " is given");
      if (operand.bytes != int64_t(bytes))
        return bad(place + type + (argument.vectorWidth > 1 ? " (vectors)" : "") + ", " +
                   counted(bytes, "byte") + " each; the launch gives " +
                   counted(operand.bytes, "byte"));
      if (!isSameType(operand.type, argument.element))
        return bad(place + (isBuffer ? "a buffer of " : "a scalar of type ") + type +
                   "; the launch gives " + (isBuffer ? "a memref of " : "") + operand.type);
    }
  }
  return Status::ok();
}

std::string amount(const Tally &tally) {
  return std::to_string(tally.times) + " (" + counted(tally.bytes, "byte") + ")";
}

Status ProgramRun::report(HostRuntime &runtime, const hal::DeviceInfo &device) {
  if (options.profile) {
    PUMICE_TRY(std::vector<QueueProfile> queues, runtime.takeProfile());
    std::fprintf(stderr, "%s", profileTable(queues).c_str());
    std::string trace = chromeTrace(queues, device);
    std::string name = options.traceFile.empty() ? "pumice-trace.json" : options.traceFile;
    PUMICE_RETURN_IF_ERROR(
        writeFile(name, {reinterpret_cast<const uint8_t *>(trace.data()), trace.size()}));
  }
  if (!options.stats)
    return Status::ok();
  const MemoryTally &memory = runtime.memory().tally;
  std::fprintf(stderr,
               "launches                     %llu\n"
               "copies that the program made %s\n"
               "host memory used in place    %s\n"
               "host memory mirrored         %s\n"
               "copies to mirrors            %s\n"
               "copies from mirrors          %s\n",
               static_cast<unsigned long long>(runtime.tally().launches.times),
               amount(runtime.tally().copies).c_str(), amount(memory.imports).c_str(),
               amount(memory.mirrors).c_str(), amount(memory.toMirrors).c_str(),
               amount(memory.fromMirrors).c_str());
  return Status::ok();
}

Result<int64_t> ProgramRun::run() {
  PUMICE_RETURN_IF_ERROR(checkFolderOf(options.traceFile));
  PUMICE_RETURN_IF_ERROR(openSource());
  std::vector<host::KernelFile> files;
  for (const std::string &text : options.kernels)
    files.push_back(host::parseKernelFile(text));
  PUMICE_TRY(host::Program program, host::Program::load(&context, sources, options.input, files));
  PUMICE_RETURN_IF_ERROR(dump.module("host.mlir", program.host()));
  for (const auto &[name, module] : program.sourceModules())
    PUMICE_RETURN_IF_ERROR(dump.module("kernels-" + name + ".mlir", module));

  // Host code comes first, so that its errors are reported without a device.
  OwningOpRef<ModuleOp> lowered(program.host().clone());
  PassManager pm(&context);
  host::buildHostPipeline(pm);
  if (failed(pm.run(*lowered)))
    return Status(StatusCode::InvalidArgument, "the host code could not be compiled");
  PUMICE_RETURN_IF_ERROR(dump.module("host-llvm.mlir", *lowered));
  std::vector<host::Site> sites = host::readSites(*lowered);
  PUMICE_TRY(LLVM::LLVMFuncOp main, findEntry(*lowered));
  PUMICE_TRY(auto call, entryOf(main));

  PUMICE_TRY(Ref<hal::Device> device, hal::Registry::global().open(options.device));
  native.watch(*device);
  PUMICE_TRY(std::vector<host::Kernel> kernels, compileKernels(program, *device));
  PUMICE_RETURN_IF_ERROR(checkOperands(sites, kernels));

  JitOptions jitOptions;
  jitOptions.optimization = options.optimization;
  Status dumped;
  if (dump.wanted())
    jitOptions.dump = [&](const char *stage, const std::string &ir) {
      if (dumped.isOk())
        dumped = dump.text(std::string(stage) + ".ll", ir);
    };
  (*lowered)->removeAttr(host::sitesAttrName); // it has been read, and LLVM does not know it
  PUMICE_TRY(std::unique_ptr<Jit> jit, Jit::create(*lowered, hostSymbols(), jitOptions));
  PUMICE_TRY(void *entry, jit->lookup(main.getName().str()));
  PUMICE_RETURN_IF_ERROR(dumped);

  // The JIT owns the program's globals, and the queues must be destroyed before them.
  HostOptions settings;
  settings.separateMemory = options.separateMemory;
  settings.profiling = options.profile;
  settings.printBytes = options.printBytes.value_or(settings.printBytes);
  PUMICE_TRY(std::unique_ptr<HostRuntime> runtime,
             HostRuntime::create(device, kernels, std::move(sites), settings));

  FaultMessages messages;
  Result<int64_t> result = runGuarded(*runtime, call, entry);
  std::fflush(stdout);
  if (!result.isOk())
    return result.status();
  PUMICE_RETURN_IF_ERROR(runtime->finish());
  PUMICE_RETURN_IF_ERROR(native.status());
  PUMICE_RETURN_IF_ERROR(report(*runtime, device->info()));
  return result;
}

} // namespace

int run::runProgram(const ProgramOptions &options) {
  ProgramRun program(options);
  Result<int64_t> result = program.run();
  if (result.isOk())
    return *result >= 0 && *result <= mostStatus ? static_cast<int>(*result) : mostStatus;
  std::fflush(stdout);
  std::fprintf(stderr, "pumice run: error: %s\n", result.status().message().c_str());
  return 2;
}
