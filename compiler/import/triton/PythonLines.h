//===- PythonLines.h - finds the Python line of a line of TTIR text ---------===//
// Finds Python lines in text that cannot be parsed, because there are no operations with locations
// then.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include <optional>

namespace pumice::triton {

/// Returns the location in the loc(…) of the operation that begins in `line` (counted from 1), if
/// the text gives a known one.
std::optional<mlir::Location> findPythonLine(mlir::MLIRContext *context, llvm::StringRef text,
                                             size_t line);

} // namespace pumice::triton
