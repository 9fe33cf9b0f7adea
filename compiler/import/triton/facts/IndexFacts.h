//===- IndexFacts.h - contiguity, divisibility and constancy in a kernel ----===//
// A data-flow analysis over tt, arith, scf and cf. It computes BitFacts for each integer and
// pointer; those of pointers are in bytes. The facts decide layouts, the width of accesses, and
// fast paths for masks.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/triton/facts/BitFacts.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/BuiltinOps.h"

namespace pumice::triton {

class IndexFacts {
public:
  /// Runs the analysis. The result is valid as long as the module does not change.
  static mlir::FailureOr<IndexFacts> of(mlir::ModuleOp module);

  /// Returns the facts of `value`. Nothing is known about values in unreachable code, or about
  /// values that are neither integers nor pointers.
  BitFacts operator[](mlir::Value value) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace pumice::triton
