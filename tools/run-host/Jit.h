//===- Jit.h - compiles host code in this process ---------------------------===//
#pragma once

#include "tools/run-host/HostSymbols.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>

namespace mlir {
class DialectRegistry;
class ExecutionEngine;
} // namespace mlir

namespace pumice::run {

class ProgramCode;

struct JitOptions {
  unsigned optimization = 2; // the level: 2 means -O2
  /// Called with LLVM's IR before and after its optimization; may be empty.
  std::function<void(const char *stage, const std::string &ir)> dump;
};

class Jit {
public:
  /// Compiles `module`, which is in LLVM's dialect. Reports each called function without a
  /// definition at its declaration, unless `symbols` or this process has it. Errors:
  /// InvalidArgument, Internal.
  static Result<std::unique_ptr<Jit>> create(mlir::ModuleOp module, const HostSymbols &symbols,
                                             const JitOptions &options);
  ~Jit();

  /// Returns the address of a function. Errors: NotFound.
  Result<void *> lookup(const std::string &name);

private:
  Jit();
  void nameFunctions(mlir::ModuleOp module);

  std::unique_ptr<ProgramCode> code; // destroyed after the engine, which uses its memory
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// Registers the dialect interfaces that translating host code to LLVM IR needs.
void registerHostTranslations(mlir::DialectRegistry &registry);

} // namespace pumice::run
