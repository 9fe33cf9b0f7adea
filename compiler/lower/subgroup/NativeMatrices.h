//===- NativeMatrices.h - the cooperative matrices of a target --------------===//
#pragma once

#include "compiler/lower/subgroup/MatrixFragments.h"
#include "compiler/target/TargetEnv.h"

namespace pumice::lower {

/// Looks up the target's VkCooperativeMatrixPropertiesKHR of subgroup scope.
class NativeMatrices {
public:
  explicit NativeMatrices(const target::TargetEnv &env) : env(env) {}

  /// Returns whether the operation has a KHR cooperative-matrix form on this target.
  bool supports(const MatrixOp &op) const;
  /// Reports an operation that is not supported.
  mlir::LogicalResult refuse(const MatrixOp &op) const;

private:
  bool holds(mlir::gpu::MMAMatrixType type) const;
  bool multiplies(const MatrixOp &op) const;
  const target::TargetEnv &env;
};

} // namespace pumice::lower
