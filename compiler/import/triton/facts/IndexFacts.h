//===- IndexFacts.h - contiguity, divisibility and constancy in a kernel ----===//
// This is a data-flow analysis over tt, arith, scf and cf. It computes BitFacts for each integer
// and pointer, in bytes for pointers. It decides layouts, the width of accesses, and fast paths of
// masks.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/facts/BitFacts.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

class IndexFacts {
public:
  /// Runs the analysis. It holds as long as the module is not changed.
  static mlir::FailureOr<IndexFacts> of(mlir::ModuleOp module);

  /// Returns the facts of `value`. Nothing is known about unreachable code and other types.
  BitFacts operator[](mlir::Value value) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace pumice::triton
