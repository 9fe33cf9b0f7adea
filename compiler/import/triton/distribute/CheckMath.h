//===- CheckMath.h - arithmetic of checked kernels --------------------------===//
// Short names for the operations that checks use.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace pumice::triton::distribute {

using Predicate = mlir::arith::CmpIPredicate;

/// Emits operations on scalars, which are i64 by default.
struct ScalarMath {
  Distribution &d;
  mlir::Location loc;

  mlir::Value number(int64_t value) const { return d.constant(loc, d.b.getI64Type(), value); }
  mlir::Value number32(int64_t value) const { return d.constant(loc, d.b.getI32Type(), value); }
  mlir::Value add(mlir::Value a, mlir::Value b) const {
    return mlir::arith::AddIOp::create(d.b, loc, a, b);
  }
  mlir::Value subtract(mlir::Value a, mlir::Value b) const {
    return mlir::arith::SubIOp::create(d.b, loc, a, b);
  }
  mlir::Value most(mlir::Value a, mlir::Value b) const {
    return mlir::arith::MaxSIOp::create(d.b, loc, a, b);
  }
  mlir::Value least(mlir::Value a, mlir::Value b) const {
    return mlir::arith::MinSIOp::create(d.b, loc, a, b);
  }
  mlir::Value is(Predicate how, mlir::Value a, int64_t b) const {
    return mlir::arith::CmpIOp::create(d.b, loc, how, a, number(b));
  }
  mlir::Value either(mlir::Value a, mlir::Value b) const {
    return mlir::arith::OrIOp::create(d.b, loc, a, b);
  }
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b) const {
    return mlir::arith::SelectOp::create(d.b, loc, condition, a, b);
  }
  /// Divides a non-negative number by a power of two.
  mlir::Value divided(mlir::Value a, int64_t by) const {
    return mlir::arith::ShRUIOp::create(d.b, loc, a,
                                        number(llvm::Log2_64(static_cast<uint64_t>(by))));
  }
  /// Clamps a number to the range of i32.
  mlir::Value narrowed(mlir::Value a) const {
    a = least(most(a, number(INT32_MIN)), number(INT32_MAX));
    return mlir::arith::TruncIOp::create(d.b, loc, d.b.getI32Type(), a);
  }
};

/// Emits operations on tiles of one layout. A null operand means a missing condition, which always
/// holds.
struct TileMath {
  Distribution &d;
  mlir::Location loc;
  const Layout &layout;

  mlir::Value splat(mlir::Value scalar) const {
    return tile::SplatOp::create(d.b, loc, tile::tensorOf(scalar.getType(), layout), scalar);
  }
  mlir::Value wide(mlir::Value tile) const {
    mlir::Type type = tile::tensorOf(d.b.getI64Type(), layout);
    return tile.getType() == type ? tile
                                  : mlir::arith::ExtSIOp::create(d.b, loc, type, tile).getResult();
  }
  mlir::Value add(mlir::Value a, mlir::Value b) const {
    return mlir::arith::AddIOp::create(d.b, loc, a, b);
  }
  mlir::Value compare(Predicate how, mlir::Value a, mlir::Value scalar) const {
    return mlir::arith::CmpIOp::create(d.b, loc, how, a, splat(scalar));
  }
  mlir::Value both(mlir::Value a, mlir::Value b) const {
    return a && b ? mlir::arith::AndIOp::create(d.b, loc, a, b).getResult() : (a ? a : b);
  }
  mlir::Value either(mlir::Value a, mlir::Value b) const {
    return a && b ? mlir::arith::OrIOp::create(d.b, loc, a, b).getResult() : (a ? a : b);
  }
  mlir::Value no(mlir::Value a) const {
    return mlir::arith::XOrIOp::create(d.b, loc, a, splat(d.constant(loc, d.b.getI1Type(), 1)));
  }
  /// Returns whether any element of an i1 tile that this lane holds is true. Lanes decide
  /// separately, because an exchange for each access would dominate the cost of a check.
  mlir::Value any(mlir::Value truth) const;
};

} // namespace pumice::triton::distribute
