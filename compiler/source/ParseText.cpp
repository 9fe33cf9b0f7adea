//===- ParseText.cpp - parses any MLIR text without a crash -----------------===//
#include "compiler/source/ParseText.h"

#include "compiler/source/SourceText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>

using namespace mlir;
using namespace pumice;

namespace {

/// Installs LLVM's crash handlers while an instance exists. Afterwards it restores the process's
/// own signal handlers, since the compiler may run inside another program.
class Recovering {
public:
  Recovering() { count(1); }
  ~Recovering() { count(-1); }
  Recovering(const Recovering &) = delete;
  Recovering &operator=(const Recovering &) = delete;

private:
  static void count(int more) {
    static std::mutex mutex;
    static int living = 0;
    std::lock_guard lock(mutex);
    if (living == 0)
      llvm::CrashRecoveryContext::Enable();
    living += more;
    if (living == 0)
      llvm::CrashRecoveryContext::Disable();
  }
};

} // namespace

OwningOpRef<ModuleOp> pumice::parseText(llvm::SourceMgr &sources, const ParserConfig &config) {
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  StringRef text = buffer->getBuffer();
  auto error = [&](size_t line, size_t column) {
    return emitError(FileLineColLoc::get(config.getContext(), buffer->getBufferIdentifier(),
                                         static_cast<unsigned>(line),
                                         static_cast<unsigned>(column)));
  };
  size_t zero = text.find('\0');
  if (text.find_first_not_of('\0', zero) != StringRef::npos) { // the text continues after a zero
    error(0, 0) << "is neither text nor SPIR-V, which begins with the word 0x07230203: byte "
                << zero << " is 0";
    return {};
  }
  if (std::optional<TextProblem> problem = findTextProblem({text.data(), text.size()})) {
    error(problem->line, problem->column) << problem->what;
    return {};
  }
  // Some verifiers and type inferences of MLIR crash on unexpected types.
  OwningOpRef<ModuleOp> module;
  Recovering recovering;
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { module = parseSourceFile<ModuleOp>(sources, config); })) {
    error(0, 0)
        << "MLIR's parser crashed: an operation has types that it does not accept; mlir-opt "
           "shows where";
    return {};
  }
  auto place = module ? dyn_cast<FileLineColLoc>(module->getLoc()) : nullptr;
  if (place && place.getLine() == 0 && module->getBody()->empty()) {
    error(1, 1) << "the source is empty: expected MLIR with a kernel, or SPIR-V";
    return {};
  }
  return module;
}
