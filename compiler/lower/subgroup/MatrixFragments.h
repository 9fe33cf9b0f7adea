//===- MatrixFragments.h - matrix operations on a lane's elements -----------===//
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

/// Returns the type of the lane's share. Its integer elements are signless.
mlir::VectorType fragmentType(mlir::gpu::MMAMatrixType type, uint32_t lanes);

/// The types of one operation before its operands and results became fragments.
struct MatrixOp {
  mlir::Operation *op;
  llvm::SmallVector<mlir::gpu::MMAMatrixType> operands;
  mlir::gpu::MMAMatrixType result;
};

/// Returns the signless form of the type, as memory and arithmetic use it.
mlir::Type signless(mlir::Type type);

/// Reports operations that are invalid on any target, or that the target's lanes cannot perform.
mlir::LogicalResult checkMatrixOp(const MatrixOp &matrixOp, const target::TargetEnv &env);

/// Emits lane code for `matrixOp` before it, and replaces it. Its operands and results already have
/// fragment types. Fails if the target cannot move a product's factors between lanes.
mlir::LogicalResult emulateMatrixOp(const MatrixOp &matrixOp, uint32_t lanes,
                                    const target::TargetEnv &env);

} // namespace pumice::lower
