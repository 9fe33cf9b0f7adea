//===- Reduction.h - reductions as a few kinds on 32 and 64 bits ------------===//
// Every reduction over lanes (gpu.all_reduce, gpu.subgroup_reduce) becomes one of the kinds below
// on i32, i64, f32 or f64. Values of other types are encoded, reduced, and decoded.
//
//   i1                  -> i32, and/or/xor (add is xor; mul is and; min and max are and or or)
//
//   i2 … i31, i33 … i63 -> i32, i64: sign-extended for minsi and maxsi, zero-extended otherwise
//
//   f8 … f16, bf16      -> f32 (sums of narrow floats are kept in f32 and rounded once)
//
//   min and max of f32, f64 -> minsi and maxsi of a key that orders floats as integers do:
//       -inf < … < -0 < +0 < … < +inf, with NaN at the end that IEEE 754 requires.
//
// Thus minimumf propagates NaN, minnumf ignores it, and both distinguish -0 from +0. Neither
// OpGroupNonUniformFMin nor GLSL's FMin promises this.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace pumice::lower {

class Reduction {
public:
  /// Returns the reduction of `type` by `kind`. Emits an error at `op` if the type cannot be
  /// reduced.
  static mlir::FailureOr<Reduction> get(mlir::Operation *op, mlir::gpu::AllReduceOperation kind,
                                        mlir::Type type);

  /// Returns the kind of reduction that encoded values need: add, mul, and, or, xor, minui, maxui,
  /// minsi or maxsi.
  mlir::gpu::AllReduceOperation kind() const { return encodedKind; }
  mlir::Type encodedType() const { return encoded; }

  mlir::Value encode(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const;
  mlir::Value decode(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) const;
  /// Combines two encoded values.
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lhs,
                      mlir::Value rhs) const;
  /// Returns the exact identity: combine(x, identity) is x for every x. It is -0.0 for a sum of
  /// floats.
  mlir::Value identity(mlir::OpBuilder &builder, mlir::Location loc) const;

private:
  mlir::gpu::AllReduceOperation sourceKind, encodedKind;
  mlir::Type source, encoded;
};

/// Returns the kind of reduction that a region computes. It must have two arguments and one
/// operation of a known kind.
std::optional<mlir::gpu::AllReduceOperation> matchReductionRegion(mlir::Region &region);

} // namespace pumice::lower
