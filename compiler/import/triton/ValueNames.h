//===- ValueNames.h - keeps the names of values as locations ----------------===//
// MLIR forgets names such as `%rows`. Triton writes them into locations as well, but not for loop
// arguments, nor in text without locations. Errors and dumps get the names of values from here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

/// Names each value whose location is only its place in the text called `sourceName`. An argument
/// of a region also gets the location of its operation.
void keepValueNames(mlir::ModuleOp module, const mlir::AsmParserState &state,
                    llvm::StringRef sourceName);

} // namespace pumice::triton
