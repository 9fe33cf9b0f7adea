//===- LaneExchange.h - moving values of any type between lanes -------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/IR/Builders.h"

namespace pumice::lower {

/// Moves one value that the target's subgroup operations take as it is: i1, i32, f32, f64, and with
/// shaderSubgroupExtendedTypes i8, i16, i64 and f16.
using MoveScalar = llvm::function_ref<mlir::Value(mlir::Value)>;

/// Moves `value` as `move` moves scalars: vectors element by element, 64-bit integers as two words
/// where the target must, narrow integers as i32, narrow floats as f32, index as two words whatever
/// its width. Fails for types that hold no numbers, and for those of more than 64 bits.
mlir::FailureOr<mlir::Value> exchange(mlir::OpBuilder &builder, mlir::Location loc,
                                      const target::TargetEnv &env, mlir::Value value,
                                      MoveScalar move);

} // namespace pumice::lower
