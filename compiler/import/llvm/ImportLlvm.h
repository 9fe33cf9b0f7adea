//===- ImportLlvm.h - LLVM IR for spirv64 as kernels of gpu -----------------===//
// Kernels of OpenCL become the same gpu.func that hand-written kernels are. All passes behind them,
// with their emulations for small targets, then serve OpenCL C as well. docs/opencl.md describes
// how pointers and functions are translated.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

namespace llvm {
class Module;
}

namespace pumice::llvm_import {

/// Returns a module with one gpu.module of the kernels of `source`, which is changed, or of
/// the one that `kernel` names. Errors are
/// diagnostics. They name the construct, and its line if the IR has debug locations; otherwise the
/// function in the file `name`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> importLlvm(mlir::MLIRContext *context,
                                                              llvm::Module &source,
                                                              llvm::StringRef name,
                                                              llvm::StringRef kernel = "");

} // namespace pumice::llvm_import
