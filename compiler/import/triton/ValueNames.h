//===- ValueNames.h - keeps the names of values as locations ----------------===//
// MLIR discards names such as `%rows`. Triton also writes them into locations, but not for loop
// arguments, nor in text without locations. This file restores the names for errors and dumps.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

/// Names each value whose location is only a position in the text called `sourceName`. An argument
/// of a region also gets the location of its operation.
void keepValueNames(mlir::ModuleOp module, const mlir::AsmParserState &state,
                    llvm::StringRef sourceName);

} // namespace pumice::triton
