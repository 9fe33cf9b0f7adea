//===- SubgroupReduce.h - gpu.subgroup_reduce for a target ------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower {

/// Replaces `op` by the target's subgroup instructions. This is a part of
/// pumice-lower-subgroup-ops.
mlir::LogicalResult lowerSubgroupReduce(mlir::gpu::SubgroupReduceOp op,
                                        const target::TargetEnv &env);

} // namespace pumice::lower
