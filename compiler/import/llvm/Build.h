//===- Build.h - short forms of operations on numbers and vectors -----------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pumice::llvm_import {

/// Makes operations at one place. All functions accept numbers, and vectors of them.
struct Build {
  Build(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  template <typename Op, typename... Operands> mlir::Value op(Operands &&...operands) {
    return Op::create(b, loc, std::forward<Operands>(operands)...);
  }

  static unsigned bits(mlir::Type type) {
    return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  }
  /// Returns `type` with other elements: vector<4xf32> with i32 is vector<4xi32>.
  static mlir::Type with(mlir::Type type, mlir::Type element);
  /// Returns the type of integers with the width of `type`.
  mlir::Type integers(mlir::Type type);

  mlir::Value constant(mlir::Type type, int64_t number);
  mlir::Value constant(mlir::Type type, int number) { return constant(type, int64_t(number)); }
  /// Returns a constant of an integer type or a float type.
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value bitsConstant(mlir::Type type, const llvm::APInt &number);

  mlir::Value compare(mlir::arith::CmpIPredicate order, mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpFPredicate order, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  /// Returns the bits of floats, or floats of bits.
  mlir::Value toBits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x, mlir::Type type);

  /// Extends or truncates integers.
  mlir::Value resize(mlir::Value x, mlir::Type type, bool isSigned);

  /// Returns -1 or 1 for lanes of a vector, or 1 for a number, where OpenCL's comparisons hold.
  mlir::Value truth(mlir::Value condition, mlir::Type result);

  /// Reverses the order of the groups of `group` bits.
  mlir::Value reverseBits(mlir::Value x, unsigned group);
  mlir::Value funnelShift(mlir::Value high, mlir::Value low, mlir::Value by, bool left);
  mlir::Value addSaturated(mlir::Value x, mlir::Value y, bool isSigned);
  mlir::Value subSaturated(mlir::Value x, mlir::Value y, bool isSigned);
  /// Returns the upper half of a product.
  mlir::Value highProduct(mlir::Value x, mlir::Value y, bool isSigned);

  mlir::Value least(mlir::Type type, bool isSigned);
  mlir::Value most(mlir::Type type, bool isSigned);
};

} // namespace pumice::llvm_import
