//===- Groups.h - exchange within the workgroup -----------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"

namespace pumice::cpu::group {

/// Whether a group instruction is about the whole workgroup, as OpenCL's may be.
bool isWorkgroups(Lowering &l, mlir::Operation *op);
/// `kind` and `scan` as lane.reduce has them.
mlir::LogicalResult reduce(Lowering &l, mlir::Operation *op, llvm::StringRef kind,
                           llvm::StringRef scan);
mlir::LogicalResult vote(Lowering &l, mlir::Operation *op, bool all);
mlir::LogicalResult broadcast(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu::group
