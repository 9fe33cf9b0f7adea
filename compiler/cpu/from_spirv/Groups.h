//===- Groups.h - exchange within the workgroup -----------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::group {

/// Returns whether a group instruction covers the whole workgroup, as OpenCL's may.
bool isWorkgroups(Lowering &l, mlir::Operation *op);
/// Reduces or scans. `kind` and `scan` are those of lane.reduce.
mlir::LogicalResult reduce(Lowering &l, mlir::Operation *op, llvm::StringRef kind,
                           llvm::StringRef scan);
mlir::LogicalResult vote(Lowering &l, mlir::Operation *op, bool all);
mlir::LogicalResult broadcast(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu::group
