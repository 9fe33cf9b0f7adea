//===- MatrixShape.h - the cooperative-matrix shape of a product ------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {

/// Returns the shape that a device must list to support `product`, or nullopt for component types
/// that no device supports.
std::optional<target::CooperativeMatrixShape>
matrixShapeOf(mlir::spirv::KHRCooperativeMatrixMulAddOp product);

} // namespace pumice::spirv
