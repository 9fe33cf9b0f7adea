//===- Package.h - packs finished modules into an executable ----------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace pumice::package {

/// Collects variants and determines their common entry points, as callers see them. Callers use a
/// kernel's own name, or "module::kernel" if two modules have a kernel of that name. If the module
/// is nested in others, the name is "outer::module::kernel".
class Packager {
public:
  /// `viaLlvm` chooses LLVM's SPIR-V backend for the modules of OpenCL's targets. `withMsl` adds
  /// Metal's language for targets on top of Metal.
  explicit Packager(bool viaLlvm = false, bool withMsl = true)
      : viaLlvm(viaLlvm), withMsl(withMsl) {}

  /// Adds a variant for each finished spirv.module of `module`, which was lowered for `target`.
  /// Also adds the native variants that the target requests.
  mlir::LogicalResult add(mlir::ModuleOp module, const target::TargetEnv &target);

  /// Adds only Metal's language of kernels that use cooperative matrices. `target` has them
  /// (withMetalMatrices).
  mlir::LogicalResult addMslWithMatrices(mlir::ModuleOp module, const target::TargetEnv &target);

  bool empty() const { return contents.variants.empty(); }
  executable::Executable finish() &&;

private:
  mlir::LogicalResult addVariant(mlir::spirv::ModuleOp module, const target::TargetEnv &target,
                                 bool onlyMatrices = false);

  bool viaLlvm, withMsl;
  executable::Executable contents; // names kernels by their whole names
  // The kernels whose names need not be qualified by their module.
  std::map<std::string, std::string> namesOfTheirOwn;
};

/// Converts the attribute that spirv::Requirements makes to plain data.
executable::Requirements requirementsOf(mlir::DictionaryAttr attr);

/// Returns the text of the attribute, which is a variant's `targetEnv`.
std::string targetText(mlir::MLIRContext *context, const target::TargetEnv &target);

} // namespace pumice::package
