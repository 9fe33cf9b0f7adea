//===- LaneExchange.h - moves values of any type between lanes --------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/IR/Builders.h"

namespace pumice::lower {

/// Moves one value of a type that the target's subgroup operations take directly. These are i1,
/// i32, f32, f64, and with shaderSubgroupExtendedTypes also i8, i16, i64 and f16.
using MoveScalar = llvm::function_ref<mlir::Value(mlir::Value)>;

/// Moves `value` in the way that `move` moves scalars. Vectors move element by element, and an
/// index always moves as two words. 64-bit integers move as two words if the target requires it.
/// Narrow integers move as i32, and narrow floats as f32. Fails for types that are not numeric or
/// have more than 64 bits.
mlir::FailureOr<mlir::Value> exchange(mlir::OpBuilder &builder, mlir::Location loc,
                                      const target::TargetEnv &env, mlir::Value value,
                                      MoveScalar move);

} // namespace pumice::lower
