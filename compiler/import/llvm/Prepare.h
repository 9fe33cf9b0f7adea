//===- Prepare.h - makes one function of each kernel ------------------------===//
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace pumice::llvm_import {

/// Returns the place of an instruction in the source, or that of its function in `file`.
mlir::Location locationOf(mlir::MLIRContext *context, const llvm::Instruction &instruction,
                          llvm::StringRef file);

/// Returns the place of a function in the source, or its name in `file`.
mlir::Location locationOf(mlir::MLIRContext *context, const llvm::Function &function,
                          llvm::StringRef file);

/// Inlines all calls of defined functions, moves variables to registers, and infers address
/// spaces. A structure by value becomes a parameter for each of its numbers. Afterwards,
/// only kernels are defined. Errors: recursion, with the place of a call.
mlir::LogicalResult prepareKernels(mlir::MLIRContext *context, llvm::Module &module,
                                   llvm::StringRef file);

} // namespace pumice::llvm_import
