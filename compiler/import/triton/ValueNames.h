//===- ValueNames.h - the names of values, kept as locations ----------------===//
// MLIR forgets `%rows`; Triton writes it into locations as well, but not for the arguments of
// loops, nor in text without locations. What errors and dumps call a value comes from here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

/// Names each value whose location is only its place in the text, which `sourceName` is: an
/// argument of a region gets the location of its operation, too.
void keepValueNames(mlir::ModuleOp module, const mlir::AsmParserState &state,
                    llvm::StringRef sourceName);

} // namespace pumice::triton
