//===- OpenCl.h - OpenCL.std's larger functions -----------------------------===//
// Declares rules of OpenCl.cpp's table that are defined in other files.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::opencl {

// Defined in OpenClRemainders.cpp. The results are exact, as OpenCL defines them.
mlir::Value fmod(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value remainder(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::LogicalResult remquo(Lowering &l, mlir::Operation *op);

// Defined in OpenClFloats.cpp.
mlir::Value cosPi(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value sinPi(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value tanPi(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value hypot(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value ilogb(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value logb(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value maxMagnitude(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value minMagnitude(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value nextAfter(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value powInteger(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value powPositive(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value root(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value gamma(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::Value logGamma(Lowering &l, mlir::Type type, llvm::ArrayRef<mlir::Value> x);
mlir::LogicalResult logGammaSign(Lowering &l, mlir::Operation *op);

// Defined in OpenClVectors.cpp.
mlir::LogicalResult length(Lowering &l, mlir::Operation *op);
mlir::LogicalResult distance(Lowering &l, mlir::Operation *op);
mlir::LogicalResult normalize(Lowering &l, mlir::Operation *op);

// Defined in OpenClMemory.cpp.
mlir::LogicalResult loadVector(Lowering &l, mlir::Operation *op);
mlir::LogicalResult storeVector(Lowering &l, mlir::Operation *op);
mlir::LogicalResult loadHalf(Lowering &l, mlir::Operation *op);
mlir::LogicalResult storeHalf(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu::opencl

namespace pumice::cpu {
/// Converts to a narrower float with one of SPIR-V's rounding modes (Conversions.cpp).
mlir::Value roundFloat(Lowering &l, mlir::Type type, mlir::Value x, int32_t mode);
} // namespace pumice::cpu
