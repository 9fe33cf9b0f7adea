//===- PythonLines.h - finds the Python line of a line of TTIR text -------===//
// Errors in text that cannot be parsed use this, since there are no operations with locations.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include <optional>

namespace pumice::triton {

/// Returns the location from the loc(…) of the operation that begins in `line` (from 1), if the
/// text has a known one.
std::optional<mlir::Location> findPythonLine(mlir::MLIRContext *context, llvm::StringRef text,
                                             size_t line);

} // namespace pumice::triton
