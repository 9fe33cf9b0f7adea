//===- ImportTriton.h - a Triton kernel's text as a module ------------------===//
// Imports the text that the unmodified Triton wheel prints after its passes on TTIR. The text of
// `str()` has locations that name the Python file. The text of `str_nodebug()` has none.
// docs/triton-ir.md lists what the text may contain.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

namespace pumice::triton {

/// Registers the dialects. Must be called before anything is imported.
void registerTritonDialect(mlir::DialectRegistry &registry);

/// Returns a verified module of tt.func operations, of which at least one is a kernel. Accepts any
/// bytes, and reports errors as diagnostics. If the text names the kernel's Python line, a
/// diagnostic is there. Otherwise, it is at its own line in `sourceName`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importTriton(mlir::MLIRContext *context, llvm::StringRef text, llvm::StringRef sourceName);

/// Returns whether a text of MLIR contains Triton functions.
bool looksLikeTriton(llvm::StringRef text);
bool holdsTriton(mlir::ModuleOp module);

} // namespace pumice::triton
