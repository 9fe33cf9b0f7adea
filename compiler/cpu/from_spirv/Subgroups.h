//===- Subgroups.h - parts of subgroup instructions -------------------------===//
#pragma once

#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace pumice::cpu::subgroup {

mlir::Value shuffle(Lowering &l, mlir::Value value, mlir::Value from);
Scalars shuffleAll(Lowering &l, const Scalars &values, mlir::Value from);
/// Returns an i64 that holds one bit of each lane.
mlir::Value ballot(Lowering &l, mlir::Value condition);
/// Truncates or zero-extends an integer to the type.
mlir::Value narrow(Lowering &l, mlir::Value bits, mlir::Type type);
mlir::Value word(Lowering &l, mlir::Value number); // as i32
/// Fails unless the scope is the subgroup.
mlir::LogicalResult checkScope(Lowering &l, mlir::Operation *op);

} // namespace pumice::cpu::subgroup
