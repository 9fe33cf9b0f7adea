//===- FirstLane.h - what the first lane of a subgroup computes -------------===//
#pragma once

#include "compiler/lower/tile/LaneCode.h"

#include "llvm/ADT/DenseMap.h"

#include <utility>

namespace pumice::lower::tiles {

/// Computes values of the first lane for all lanes. A broadcast of a quotient would need the
/// quotients of all lanes. So the arithmetic on integers is repeated with the number of the first
/// lane, and only its inputs are broadcast. The results are the same in all lanes, so that a CPU
/// computes them without SIMD registers.
class FirstLane {
public:
  explicit FirstLane(LaneCode &code) : code(code) {}

  /// Returns a register of the first lane.
  mlir::Value of(mlir::Value registers, size_t number);

private:
  mlir::Value ofScalar(mlir::Value value);
  mlir::Value repeat(mlir::Operation *op, std::optional<size_t> number);

  LaneCode &code;
  llvm::DenseMap<std::pair<mlir::Value, size_t>, mlir::Value> known;
};

} // namespace pumice::lower::tiles
