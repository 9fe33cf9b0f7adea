//===- ParseText.h - modules from MLIR's text, whatever it is ---------------===//
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

/// The module in the main file of `sources`. Nothing, and an error at its place, also where that is
/// no text, or MLIR's parser would not survive it, or did not.
mlir::OwningOpRef<mlir::ModuleOp> parseText(llvm::SourceMgr &sources,
                                            const mlir::ParserConfig &config);

} // namespace pumice
