//===- CheckKernels.h - a module of tt holds what Pumice lowers -------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

/// There is a kernel, and every operation and type is one of docs/triton-ir.md. Else a diagnostic
/// at the kernel's line says what is unsupported, and what to do instead.
mlir::LogicalResult checkKernels(mlir::ModuleOp module);

} // namespace pumice::triton
