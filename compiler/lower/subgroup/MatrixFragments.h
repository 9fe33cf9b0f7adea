//===- MatrixFragments.h - matrix operations on a lane's share of elements --===//
// Each function emits the code of one gpu.subgroup_mma_* operation for one lane. A vector holds the
// lane's share of a matrix: on 32 lanes, !gpu.mma_matrix<16x16xf16, "AOp"> is a vector<8xf16>.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/subgroup/FragmentLayout.h"
#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace pumice::lower {

inline FragmentLayout fragmentLayout(mlir::gpu::MMAMatrixType type, uint32_t lanes) {
  return {static_cast<uint32_t>(type.getShape()[0]), static_cast<uint32_t>(type.getShape()[1]),
          lanes};
}

/// The lane's share; signed and unsigned elements are signless there.
mlir::VectorType fragmentType(mlir::gpu::MMAMatrixType type, uint32_t lanes);

/// One operation's types before its operands and results became fragments.
struct MatrixOp {
  mlir::Operation *op;
  llvm::SmallVector<mlir::gpu::MMAMatrixType> operands;
  mlir::gpu::MMAMatrixType result;
};

/// Memory and arithmetic have no signs.
mlir::Type signless(mlir::Type type);

/// Errors: what the operation says makes no sense on any target, or on none of this one's lanes.
mlir::LogicalResult checkMatrixOp(const MatrixOp &matrixOp, const target::TargetEnv &env);

/// Writes lane code for `matrixOp` in front of it, and replaces it. Its operands and results have
/// fragment types already. Fails where the target cannot move a product's factors between lanes.
mlir::LogicalResult emulateMatrixOp(const MatrixOp &matrixOp, uint32_t lanes,
                                    const target::TargetEnv &env);

} // namespace pumice::lower
