//===- CheckKernels.h - checks that Pumice can lower a module of tt ---------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

/// Checks that the module has a kernel, and only operations and types that docs/triton-ir.md lists.
/// Otherwise, a diagnostic at the kernel's line says what is unsupported, and what to do instead.
mlir::LogicalResult checkKernels(mlir::ModuleOp module);

} // namespace pumice::triton
