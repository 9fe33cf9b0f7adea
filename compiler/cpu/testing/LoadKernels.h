//===- LoadKernels.h - parses lane kernels ----------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace pumice::cpu::testing {

/// Parses a module. Returns null if the text is not a module in the dialects that lane kernels use.
mlir::OwningOpRef<mlir::ModuleOp> loadKernels(const std::string &text, mlir::MLIRContext &context);

} // namespace pumice::cpu::testing
