//===- ParseText.h - parses MLIR text into a module -------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir {
class ParserConfig;
} // namespace mlir

namespace pumice {

/// Returns the module in the main file of `sources`. If the file is not valid text, reports an
/// error at its place and returns nothing. The same happens if MLIR's parser would crash on it, or
/// did crash.
mlir::OwningOpRef<mlir::ModuleOp> parseText(llvm::SourceMgr &sources,
                                            const mlir::ParserConfig &config);

} // namespace pumice
