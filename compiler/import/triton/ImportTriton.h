//===- ImportTriton.h - a Triton kernel's text as a module ------------------===//
// The text is what the stock Triton wheel prints after its passes on TTIR: `str()`, whose locations
// name the Python file, or `str_nodebug()`. docs/triton-ir.md lists what it may hold.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

namespace pumice::triton {

/// Before anything is imported.
void registerTritonDialect(mlir::DialectRegistry &registry);

/// A verified module of tt.func, at least one of them a kernel. Any bytes are taken: what is wrong
/// is a diagnostic at the kernel's Python line, where the text has it, else at its own line in
/// `sourceName`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importTriton(mlir::MLIRContext *context, llvm::StringRef text, llvm::StringRef sourceName);

/// MLIR text that holds functions of Triton's.
bool looksLikeTriton(llvm::StringRef text);
bool holdsTriton(mlir::ModuleOp module);

} // namespace pumice::triton
