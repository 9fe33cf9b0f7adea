//===- MatrixShape.h - which cooperative-matrix shape a product has ---------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace pumice::spirv {

/// The shape that a device must list for `product`; nullopt for component types that no device can.
std::optional<target::CooperativeMatrixShape>
matrixShapeOf(mlir::spirv::KHRCooperativeMatrixMulAddOp product);

} // namespace pumice::spirv
