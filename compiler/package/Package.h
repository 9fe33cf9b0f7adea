//===- Package.h - finished modules into an executable ----------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::package {

/// Collects variants and tells what is common to them: the entry points, as callers see them.
/// A kernel is called by its own name, or as "module::kernel" where two modules have one of it.
class Packager {
public:
  /// Adds a variant for each finished spirv.module of `module`, which was lowered for `target`, and
  /// the native ones that the target asks for.
  mlir::LogicalResult add(mlir::ModuleOp module, const target::TargetEnv &target);

  bool empty() const { return contents.variants.empty(); }
  executable::Executable finish() &&;

private:
  mlir::LogicalResult addVariant(mlir::spirv::ModuleOp module, const target::TargetEnv &target);

  executable::Executable contents;
};

/// The attribute that spirv::Requirements makes, as plain data.
executable::Requirements requirementsOf(mlir::DictionaryAttr attr);

/// A variant's `targetEnv`: the attribute's text.
std::string targetText(mlir::MLIRContext *context, const target::TargetEnv &target);

} // namespace pumice::package
