//===- TransferFacts.h - facts of an operation's results --------------------===//
#pragma once

#include "compiler/import/triton/facts/BitFacts.h"

#include "mlir/IR/Operation.h"

namespace pumice::triton {

/// Returns the facts of a value of this type about which nothing is known.
BitFacts unknownOf(mlir::Type type);

/// Returns the unit in which neighbours are counted: the size of a pointer's target in bytes, or 1
/// for numbers.
int64_t unitOf(mlir::Type type);

/// Computes the facts of each result from the facts of the operands. The data-flow analysis
/// (IndexFacts.h) handles the results of loops, branches and calls.
llvm::SmallVector<BitFacts> transferFacts(mlir::Operation *op, llvm::ArrayRef<BitFacts> operands);

} // namespace pumice::triton
