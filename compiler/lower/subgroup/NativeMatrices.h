//===- NativeMatrices.h - what a target's cooperative matrices can do -------===//
#pragma once

#include "compiler/lower/subgroup/MatrixFragments.h"
#include "compiler/target/TargetEnv.h"

namespace pumice::lower {

/// Answers by the target's VkCooperativeMatrixPropertiesKHR of subgroup scope.
class NativeMatrices {
public:
  explicit NativeMatrices(const target::TargetEnv &env) : env(env) {}

  /// Whether the operation has a KHR cooperative-matrix form on this target.
  bool supports(const MatrixOp &op) const;
  /// The error for an operation that is not supported.
  mlir::LogicalResult refuse(const MatrixOp &op) const;

private:
  bool holds(mlir::gpu::MMAMatrixType type) const;
  bool multiplies(const MatrixOp &op) const;
  const target::TargetEnv &env;
};

} // namespace pumice::lower
