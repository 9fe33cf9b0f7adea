//===- ImportTriton.h - a Triton kernel's text as a module ------------------===//
// Imports the text that the stock Triton wheel prints after its passes on TTIR. `str()` has
// locations that name the Python file; `str_nodebug()` has none. docs/triton-ir.md lists what the
// text may contain.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

namespace pumice::triton {

/// Registers the dialects. Call this before importing anything.
void registerTritonDialect(mlir::DialectRegistry &registry);

/// Returns a verified module of tt.func operations, at least one of them a kernel. Accepts any
/// bytes and reports errors as diagnostics. A diagnostic is at the kernel's Python line if the text
/// has one, else at its own line in `sourceName`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importTriton(mlir::MLIRContext *context, llvm::StringRef text, llvm::StringRef sourceName);

/// Returns whether MLIR text contains Triton functions.
bool looksLikeTriton(llvm::StringRef text);
bool holdsTriton(mlir::ModuleOp module);

} // namespace pumice::triton
