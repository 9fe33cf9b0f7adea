//===- Groups.h - exchange within the workgroup -----------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::group {

/// Returns whether a group instruction covers the whole workgroup. OpenCL has such instructions.
bool isWorkgroups(Lowering &l, mlir::Operation *op);
/// Emits a reduction or a scan. `kind` and `scan` mean the same as in lane.reduce.
mlir::LogicalResult reduce(Lowering &l, mlir::Operation *op, llvm::StringRef kind,
                           llvm::StringRef scan);
mlir::LogicalResult vote(Lowering &l, mlir::Operation *op, bool all);
mlir::LogicalResult broadcast(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu::group
