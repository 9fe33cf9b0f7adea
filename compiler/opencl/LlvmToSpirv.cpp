//===- LlvmToSpirv.cpp - LLVM IR to SPIR-V for OpenCL -----------------------===//
#include "compiler/opencl/LlvmToSpirv.h"

#include "compiler/opencl/ArrayArguments.h"
#include "compiler/opencl/AtomicFunctions.h"
#include "compiler/opencl/ConversionFunctions.h"
#include "compiler/opencl/GroupFunctions.h"
#include "compiler/opencl/OpenClC.h"
#include "compiler/opencl/RepairModule.h"
#include "compiler/opencl/WidenIntegers.h"
#include "compiler/target/Spirv.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <cerrno>
#include <cstring>
#include <mutex>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace pumice;

namespace {

constexpr llvm::StringLiteral bitcodeMagic = "BC\xc0\xde";

void prepareBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
  });
}

/// Lets the backend use these extensions. It has no other way to state them than its option, which
/// belongs to the process, so the extensions of several targets add up. A module that declares one
/// that its target lacks is reported when it is checked against the target.
void allowExtensions(const target::TargetEnv &target) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("spirv-ext");
  if (option == options.end())
    return;
  // The backend asks for this one if a module prints strings with several formats. It does not need
  // it, and RepairModule removes it.
  std::string list = std::string("+") + opencl::relaxedPrintf;
  for (std::string_view extension : target::spirvExtensions(target))
    (list += ",+") += extension;
  option->second->addOccurrence(0, "spirv-ext", list);
}

Status invalid(const std::string &message) { return Status(StatusCode::InvalidArgument, message); }

/// Keeps what LLVM reports while it makes code.
struct Diagnostics final : llvm::DiagnosticHandler {
  explicit Diagnostics(std::string &text) : text(text) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream out(text);
    llvm::DiagnosticPrinterRawOStream printer(out);
    out << (text.empty() ? "" : "; ");
    info.print(printer);
    return true;
  }
  std::string &text;
};

} // namespace

/// Returns whether LLVM reads a file of bitcode without ending the process, as it does for some
/// damaged files. Reads it in another process first.
static bool survivesReading(llvm::MemoryBufferRef file) {
#ifndef _WIN32
  pid_t child = fork();
  if (child == 0) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    if (std::unique_ptr<llvm::Module> module = llvm::parseIR(file, problem, context))
      (void)llvm::verifyModule(*module);
    _exit(0);
  }
  int ended = 0;
  while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
#else
  return true;
#endif
}

Result<std::unique_ptr<llvm::Module>>
opencl::parseLlvm(llvm::LLVMContext &context, llvm::StringRef bytes, llvm::StringRef name) {
  if (bytes.starts_with(bitcodeMagic) && !looksLikeOpenClC(name) &&
      !survivesReading(llvm::MemoryBufferRef(bytes, name)))
    return invalid(name.str() +
                   ": not LLVM IR: LLVM's reader of bitcode fails on this file; it may "
                   "be damaged: write it again");
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseIR(llvm::MemoryBufferRef(bytes, name), problem, context);
  if (!module) {
    std::string place = problem.getLineNo() > 0 ? ":" + std::to_string(problem.getLineNo()) + ":" +
                                                      std::to_string(problem.getColumnNo() + 1)
                                                : "";
    return invalid(name.str() + place + ": not LLVM IR: " + problem.getMessage().str());
  }
  const llvm::Triple &triple = module->getTargetTriple();
  if (!triple.str().empty() && triple.getArch() != llvm::Triple::spirv64)
    return invalid(name.str() + ": is for '" + triple.str() +
                   "'; expected LLVM IR for spirv64, as clang --target=spirv64 writes it");
  std::string reason;
  llvm::raw_string_ostream out(reason);
  if (llvm::verifyModule(*module, &out))
    return invalid(name.str() + ": not valid LLVM IR: " + llvm::StringRef(reason).trim().str());
  return module;
}

bool opencl::looksLikeLlvm(llvm::StringRef bytes, llvm::StringRef name) {
  return bytes.starts_with(bitcodeMagic) || name.ends_with(".ll");
}

/// States OpenCL C 3.0 as the language, unless the module states one. Otherwise, the backend states
/// C++ for OpenCL, and Intel's runtime for CPUs then makes code for atomics that is five times
/// slower.
static void stateLanguage(llvm::Module &module) {
  constexpr const char *language = "opencl.ocl.version";
  if (module.getNamedMetadata(language) || module.getNamedMetadata("opencl.cxx.version"))
    return;
  auto number = [&](uint32_t value) -> llvm::Metadata * {
    llvm::Type *i32 = llvm::Type::getInt32Ty(module.getContext());
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32, value));
  };
  module.getOrInsertNamedMetadata(language)->addOperand(
      llvm::MDNode::get(module.getContext(), {number(3), number(0)}));
}

/// Returns OpenCL C's `mad` for a type, as clang mangles it, or an empty text.
static std::string madOf(llvm::Type *type) {
  llvm::Type *scalar = type->getScalarType();
  const char *letter = scalar->isHalfTy()     ? "Dh"
                       : scalar->isFloatTy()  ? "f"
                       : scalar->isDoubleTy() ? "d"
                                              : nullptr;
  if (!letter)
    return "";
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector)
    return std::string("_Z3mad") + letter + letter + letter;
  return "_Z3madDv" + std::to_string(vector->getNumElements()) + "_" + letter + "S_S_";
}

/// Replaces llvm.fmuladd by `mad`, which also leaves it open whether the product is rounded. The
/// backend would write `fma`, which may not be rounded twice. In loops that diverge, Intel's
/// runtime for CPUs takes twice the time for it.
static void openFusion(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.getIntrinsicID() != llvm::Intrinsic::fmuladd)
      continue;
    std::string name = madOf(function.getReturnType());
    if (name.empty())
      continue;
    llvm::FunctionCallee mad = module.getOrInsertFunction(name, function.getFunctionType());
    auto *callee = llvm::cast<llvm::Function>(mad.getCallee());
    callee->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    callee->setDoesNotThrow();
    callee->setDoesNotAccessMemory();
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      call->setCalledFunction(callee);
      call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    }
    function.eraseFromParent();
  }
}

/// Passes floats to printf as they are. clang promotes them to double, as C does.
static void printFloats(llvm::Module &module) {
  llvm::Function *print = module.getFunction("printf");
  if (!print)
    return;
  llvm::Type *f32 = llvm::Type::getFloatTy(module.getContext());
  llvm::SmallVector<llvm::Instruction *> promotions;
  for (llvm::User *user : print->users()) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(user);
    if (!call || call->getCalledFunction() != print)
      continue;
    for (llvm::Use &operand : call->args()) {
      if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(operand.get());
          number && number->getType()->isDoubleTy()) {
        llvm::APFloat value = number->getValueAPF();
        bool isInexact = false;
        value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
        operand.set(llvm::ConstantFP::get(f32, value));
      }
      auto *promotion = llvm::dyn_cast<llvm::FPExtInst>(operand.get());
      if (!promotion || promotion->getSrcTy() != f32)
        continue;
      operand.set(promotion->getOperand(0));
      if (promotion->use_empty())
        promotions.push_back(promotion);
    }
  }
  for (llvm::Instruction *promotion : promotions) // no longer used
    promotion->eraseFromParent();
}

/// Turns off two of the backend's optimizations, while it exists. One reduces multiplications in
/// loops. It makes integers of unusual widths, which the backend miscompiles. It also replaces
/// indices by pointers, which the device's compiler cannot analyze. The other is CodeGenPrepare. It
/// replaces comparisons of sums by OpIAddCarry, which some devices lack. LLVM has no other way to
/// turn them off than options, which belong to the process.
class WithoutHarmfulPasses {
public:
  WithoutHarmfulPasses() {
    auto &options = llvm::cl::getRegisteredOptions();
    for (const char *name : {"disable-lsr", "disable-cgp"})
      if (auto found = options.find(name); found != options.end()) {
        auto *option = static_cast<llvm::cl::opt<bool> *>(found->second);
        before.emplace_back(option, option->getValue());
        option->setValue(true);
      }
  }
  WithoutHarmfulPasses(const WithoutHarmfulPasses &) = delete;
  WithoutHarmfulPasses &operator=(const WithoutHarmfulPasses &) = delete;
  ~WithoutHarmfulPasses() {
    for (auto [option, value] : before)
      option->setValue(value);
  }

private:
  llvm::SmallVector<std::pair<llvm::cl::opt<bool> *, bool>, 2> before;
};

/// Runs the backend in this process.
static Result<std::vector<uint8_t>> runBackend(llvm::Module &module,
                                               const target::TargetEnv &target) {
  prepareBackend();
  allowExtensions(target);
  stateLanguage(module);
  openFusion(module);
  opencl::expandAtomicFunctions(module);
  opencl::expandConversionFunctions(module);
  opencl::expandGroupFunctions(module);
  opencl::separateArrayArguments(module);
  if (!target.has(target::Feature::shaderFloat64))
    printFloats(module);
  if (Status status = opencl::widenIntegers(module); !status.isOk())
    return status;
  WithoutHarmfulPasses without;
  std::string reported;
  module.getContext().setDiagnosticHandler(std::make_unique<Diagnostics>(reported));
  // The version in the triple is that of SPIR-V.
  llvm::Triple triple("spirv64v1." + std::to_string(target.spirvMinorVersion()) +
                      "-unknown-unknown");
  std::string problem;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!backend)
    return Status(StatusCode::Unsupported, "this LLVM has no SPIR-V backend: " + problem);
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(triple, "", "", llvm::TargetOptions(), std::nullopt));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    return Status(StatusCode::Internal, "LLVM's SPIR-V backend cannot write modules");
  passes.run(module);
  module.getContext().setDiagnosticHandler(nullptr);
  if (!reported.empty())
    return invalid("LLVM's SPIR-V backend: " + reported);
  std::vector<uint32_t> words(object.size() / sizeof(uint32_t));
  std::memcpy(words.data(), object.data(), words.size() * sizeof(uint32_t));
  words = opencl::dropRelaxedPrintf(opencl::castPrintfFormats(opencl::shortenNulls(words)));
  auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  return std::vector<uint8_t>(bytes, bytes + words.size() * sizeof(uint32_t));
}

#ifndef _WIN32
/// Writes all bytes, unless the reader is gone.
static void writeAll(int file, const void *bytes, size_t size) {
  auto at = static_cast<const char *>(bytes);
  while (size != 0) {
    ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    at += written;
    size -= static_cast<size_t>(written);
  }
}

static std::string readAll(int file) {
  std::string text;
  char part[4096];
  for (;;) {
    ssize_t count = read(file, part, sizeof part);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(part, static_cast<size_t>(count));
  }
}
#endif

/// Runs the backend in a process of its own. LLVM 22's backend keeps the numbers of labels of
/// earlier modules, which makes every module after the first one of a process invalid. It also ends
/// the process if it cannot compile a module.
Result<std::vector<uint8_t>> opencl::llvmToSpirv(llvm::Module &module,
                                                 const target::TargetEnv &target) {
#ifdef _WIN32
  return runBackend(module, target);
#else
  int ends[2];
  if (pipe(ends) != 0)
    return Status(StatusCode::ResourceExhausted,
                  "cannot start LLVM's SPIR-V backend: " + llvm::sys::StrError());
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return Status(StatusCode::ResourceExhausted,
                  "cannot start LLVM's SPIR-V backend: " + llvm::sys::StrError());
  }
  if (child == 0) {
    close(ends[0]);
    Result<std::vector<uint8_t>> made = runBackend(module, target);
    const char answer = made.isOk() ? 'c' : 'e'; // code, or an error
    writeAll(ends[1], &answer, 1);
    if (made.isOk())
      writeAll(ends[1], made->data(), made->size());
    else
      writeAll(ends[1], made.status().message().data(), made.status().message().size());
    _exit(0);
  }
  close(ends[1]);
  std::string answer = readAll(ends[0]);
  close(ends[0]);
  int ended = 0;
  while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty())
    return Status(StatusCode::Internal,
                  "LLVM's SPIR-V backend failed on this module, and may have said why above");
  if (answer.front() == 'e')
    return invalid(answer.substr(1));
  return std::vector<uint8_t>(answer.begin() + 1, answer.end());
#endif
}

/// Rejects vectors of which LLVM IR states no fixed length. The backend makes vectors of the least
/// length from them.
static Status checkVectors(const llvm::Module &module, llvm::StringRef file) {
  auto check = [&](const llvm::Function &function, const llvm::Type *type) {
    if (!llvm::isa<llvm::ScalableVectorType>(type))
      return Status::ok();
    std::string text;
    llvm::raw_string_ostream(text) << *type;
    return invalid(
        file.str() + ": '" + function.getName().str() + "' has the type '" + text +
        "', whose length is not fixed; SPIR-V has vectors of 2, 3, 4, 8 and 16 elements");
  };
  for (const llvm::Function &function : module) {
    PUMICE_RETURN_IF_ERROR(check(function, function.getReturnType()));
    for (const llvm::Argument &argument : function.args())
      PUMICE_RETURN_IF_ERROR(check(function, argument.getType()));
    for (const llvm::Instruction &op : llvm::instructions(function)) {
      PUMICE_RETURN_IF_ERROR(check(function, op.getType()));
      for (const llvm::Value *operand : op.operands())
        PUMICE_RETURN_IF_ERROR(check(function, operand->getType()));
    }
  }
  return Status::ok();
}

/// Rejects kernels with parameters on which the backend ends the process, such as pipes and queues.
/// Images and samplers are rejected with all other modules that have them.
static Status checkParameters(const llvm::Module &module, llvm::StringRef file) {
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      continue;
    for (const llvm::Argument &argument : function.args()) {
      auto *type = llvm::dyn_cast<llvm::TargetExtType>(argument.getType());
      if (!type || type->getName() == "spirv.Image" || type->getName() == "spirv.Sampler")
        continue;
      return invalid(file.str() + ": '" + function.getName().str() + "': argument [" +
                     std::to_string(argument.getArgNo()) + "] is a '" + type->getName().str() +
                     "'; kernels take buffers and numbers");
    }
  }
  return Status::ok();
}

/// Returns the place of the first call of a function, as ":12", or an empty text.
static std::string lineOf(const llvm::Function &function) {
  auto *call =
      function.use_empty() ? nullptr : llvm::dyn_cast<llvm::Instruction>(*function.user_begin());
  return call && call->getDebugLoc() ? ":" + std::to_string(call->getDebugLoc().getLine()) : "";
}

/// Rejects functions that LLVM's backend leaves as calls. `lines` has the places by name.
static Status checkImports(const std::vector<uint8_t> &bytes, llvm::StringRef file,
                           const llvm::StringMap<std::string> &lines) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  for (const std::string &mangled : opencl::importedFunctions(words)) {
    std::string name = llvm::demangle(mangled);
    return invalid(file.str() + lines.lookup(mangled) + ": calls '" +
                   llvm::StringRef(name).split('(').first.str() +
                   "', which LLVM's SPIR-V backend does not compile and the CPU device does not "
                   "link; write it in the kernel's own code, or compile for OpenCL targets only, "
                   "whose drivers may have it");
  }
  return Status::ok();
}

/// Rejects calls of functions that nobody defines. The names of OpenCL's own functions are mangled,
/// or begin with two underscores, and printf is one of them. `checkImports` knows what is left of
/// them.
static Status checkCalls(const llvm::Module &module, llvm::StringRef file) {
  for (const llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() ||
        name.starts_with("_") || name == "printf")
      continue;
    return invalid(file.str() + lineOf(function) + ": calls '" + name.str() +
                   "', which has no body; define it in the same source");
  }
  return Status::ok();
}

Result<std::vector<uint8_t>> opencl::llvmToSpirv(llvm::StringRef bytes, llvm::StringRef name,
                                                 const target::TargetEnv &target,
                                                 LeftCalls leaves) {
  llvm::LLVMContext context;
  PUMICE_TRY(std::unique_ptr<llvm::Module> module, parseLlvm(context, bytes, name));
  PUMICE_RETURN_IF_ERROR(checkParameters(*module, name));
  PUMICE_RETURN_IF_ERROR(checkVectors(*module, name));
  PUMICE_RETURN_IF_ERROR(checkCalls(*module, name));
  llvm::StringMap<std::string> lines;
  for (const llvm::Function &function : *module)
    if (function.isDeclaration())
      lines[function.getName()] = lineOf(function);
  llvm::StripDebugInfo(*module); // the backend would write instructions that some drivers reject
  Result<std::vector<uint8_t>> made = llvmToSpirv(*module, target);
  if (!made.isOk())
    return Status(made.status()).at(name.str());
  if (leaves == LeftCalls::Reject)
    PUMICE_RETURN_IF_ERROR(checkImports(*made, name, lines));
  return made;
}
