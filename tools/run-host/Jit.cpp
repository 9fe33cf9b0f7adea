//===- Jit.cpp - host code in LLVM's dialect, compiled in this process ------===//
#include "tools/run-host/Jit.h"

#include "tools/run-host/ProgramCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"

#include <dlfcn.h>
#include <set>

using namespace mlir;
using namespace pumice;
using namespace pumice::run;

void run::registerHostTranslations(DialectRegistry &registry) {
  registerAllExtensions(registry); // conversions to LLVM's dialect
  registerAllToLLVMIRTranslations(registry);
}

Jit::Jit() = default;
Jit::~Jit() = default;

static Status internal(const char *what, llvm::Error error) {
  return Status(StatusCode::Internal, std::string(what) + ": " + llvm::toString(std::move(error)));
}

/// Reports unknown functions at their declarations. The JIT would report only names, too late to
/// say where they are.
static LogicalResult checkExternals(ModuleOp module, const HostSymbols &symbols) {
  std::set<StringRef> known;
  for (const auto &[name, address] : symbols)
    known.insert(name);
  LogicalResult result = success();
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function.isExternal() || users.useEmpty(function) || known.count(function.getName()) ||
        dlsym(RTLD_DEFAULT, function.getName().str().c_str()))
      continue;
    StringRef name = function.getName();
    name.consume_front("_mlir_ciface_");
    function.emitError()
        << "'" << name
        << "' is declared and called, but nothing defines it; define it, or name a "
           "library that does with --library";
    result = failure();
  }
  return result;
}

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

Result<std::unique_ptr<Jit>> Jit::create(ModuleOp module, const HostSymbols &symbols,
                                         const JitOptions &options) {
  if (failed(checkExternals(module, symbols)))
    return Status(StatusCode::InvalidArgument, "the host code cannot be linked");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto optimize = makeOptimizingTransformer(options.optimization, 0, /*targetMachine=*/nullptr);
  auto transform = [&](llvm::Module *ir) -> llvm::Error {
    if (options.dump)
      options.dump("host", textOf(*ir));
    if (llvm::Error error = optimize(ir))
      return error;
    if (options.dump)
      options.dump("host-optimized", textOf(*ir));
    return llvm::Error::success();
  };
  ExecutionEngineOptions settings;
  settings.transformer = transform;
  settings.jitCodeGenOptLevel =
      options.optimization == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<Jit> result(new Jit);
  result->code = std::make_unique<ProgramCode>();
  settings.sectionMemoryMapper = result->code.get();
  auto engine = ExecutionEngine::create(module, settings);
  if (!engine)
    return internal("the host code could not be compiled", engine.takeError());
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap map;
    for (const auto &[name, address] : symbols)
      map[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                           llvm::JITSymbolFlags::Exported};
    return map;
  });
  (*engine)->initialize();
  result->engine = std::move(*engine);
  result->nameFunctions(module);
  return result;
}

/// Records the names of functions that the optimizer has kept, for messages.
void Jit::nameFunctions(ModuleOp module) {
  std::vector<std::pair<uintptr_t, std::string>> named;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (llvm::Expected<void *> address = engine->lookup(function.getName()))
      named.emplace_back(reinterpret_cast<uintptr_t>(*address), function.getName().str());
    else
      llvm::consumeError(address.takeError());
  }
  code->setFunctions(std::move(named));
}

Result<void *> Jit::lookup(const std::string &name) {
  llvm::Expected<void *> address = engine->lookup(name);
  if (!address)
    return internal("the host code could not be compiled", address.takeError());
  return *address;
}
