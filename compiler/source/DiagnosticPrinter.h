//===- DiagnosticPrinter.h - prints diagnostics with their source lines -----===//
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace pumice {

/// Prints the diagnostics of a context, with their lines of the source, while it exists. Inputs
/// such as SPIR-V have no lines: locations in them have line 0, and are printed as the input's
/// name.
class DiagnosticPrinter final : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticPrinter(llvm::SourceMgr &sources, mlir::MLIRContext *context, llvm::raw_ostream &out);

private:
  void print(mlir::Diagnostic &diagnostic);
};

} // namespace pumice
