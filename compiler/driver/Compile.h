//===- Compile.h - compiles MLIR to an executable ---------------------------===//
// The compiler is a function. It opens no device and no file, since targets are plain data.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Pipeline.h"
#include "compiler/lower/tile/LoadPlaces.h"
#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir {
class PassManager;
}

namespace pumice {

struct CompileOptions {
  KernelOptions kernel;
  /// Adds native code, and Metal's language, to the SPIR-V of targets that request it. The SPIR-V
  /// is the same without it.
  bool nativeCode = true;
  /// Makes the modules of OpenCL's targets by LLVM's SPIR-V backend, from LLVM IR, instead of
  /// MLIR's serializer.
  bool viaLlvm = false;
  /// Called with every pass manager before it runs, for printing, timing or dumping.
  std::function<void(mlir::PassManager &)> configure;
  /// Called for each Triton kernel and each target. It does not affect the code.
  std::function<void(llvm::StringRef kernel, const target::TargetEnv &target,
                     const std::vector<lower::tiles::LoadPlace> &loads)>
      reportLoads;
};

/// Returns the spirv.modules of the kernels of `module` on `target`. `module` is not changed.
/// Errors are diagnostics at the kernels' own locations.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lowerToSpirv(mlir::ModuleOp module, const target::TargetEnv &target, const CompileOptions &options);

/// Returns the names of the passes that lowerToSpirv runs for this module and target, in order.
std::vector<std::string> passesToSpirv(mlir::ModuleOp module, const target::TargetEnv &target,
                                       const KernelOptions &options);

/// Compiles to one executable with a variant for each kernel and target, in the order given.
mlir::FailureOr<executable::Executable> compile(mlir::ModuleOp module,
                                                const std::vector<target::TargetEnv> &targets,
                                                const CompileOptions &options);

} // namespace pumice
