//===- PythonLines.h - which line of Python a line of TTIR text stands for --===//
// For errors in text that cannot be parsed, and so has no operations with locations.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include <optional>

namespace pumice::triton {

/// By the loc(…) of the operation that begins in `line` (from 1), if the text has one that is
/// known.
std::optional<mlir::Location> findPythonLine(mlir::MLIRContext *context, llvm::StringRef text,
                                             size_t line);

} // namespace pumice::triton
