//===- LoadKernels.h - parse lane kernels -----------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace pumice::cpu::testing {

/// Null where the text is no module of the dialects that lane kernels consist of.
mlir::OwningOpRef<mlir::ModuleOp> loadKernels(const std::string &text, mlir::MLIRContext &context);

} // namespace pumice::cpu::testing
