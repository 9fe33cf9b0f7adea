//===- TransferFacts.h - what an operation makes of what is known -----------===//
#pragma once

#include "compiler/import/triton/facts/BitFacts.h"

#include "mlir/IR/Operation.h"

namespace pumice::triton {

/// Returns the facts of a value of this type about which nothing is known.
BitFacts unknownOf(mlir::Type type);

/// How far apart neighbouring elements are: bytes of what a pointer points to; 1 for numbers.
int64_t unitOf(mlir::Type type);

/// What is known of each result, from what is known of the operands. Results of loops, branches and
/// calls are the data-flow analysis's (IndexFacts.h).
llvm::SmallVector<BitFacts> transferFacts(mlir::Operation *op, llvm::ArrayRef<BitFacts> operands);

} // namespace pumice::triton
