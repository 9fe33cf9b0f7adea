//===- Division.cpp - integer division of vectors ---------------------------===//
//   before: %q = arith.divui %a, %b : i32           (varying)
//   after:  %q = fptoui (uitofp %a / uitofp %b) : vector<16xf64>
// Vector units cannot divide integers, so LLVM would divide lane by lane. Rounding to f64 never
// moves the quotient of two 32-bit numbers up to the next integer. The same holds for 16-bit
// numbers in f32. So the integral part is exact. Inactive lanes may hold any value without causing
// a trap.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
struct Division {
  bool isSigned, isRemainder;
};
} // namespace

static std::optional<Division> divisionOf(Operation *op) {
  if (isa<arith::DivSIOp>(op))
    return Division{true, false};
  if (isa<arith::DivUIOp>(op))
    return Division{false, false};
  if (isa<arith::RemSIOp>(op))
    return Division{true, true};
  if (isa<arith::RemUIOp>(op))
    return Division{false, true};
  return std::nullopt;
}

static Value divide(LaneBuilder &b, Division kind, Value a, Value c) {
  if (kind.isRemainder)
    return kind.isSigned ? Value(LLVM::SRemOp::create(b, a, c)) : LLVM::URemOp::create(b, a, c);
  return kind.isSigned ? Value(LLVM::SDivOp::create(b, a, c)) : LLVM::UDivOp::create(b, a, c);
}

/// Replaces divisors that would trap: 0, and also -1 if the quotient overflows.
static Value harmless(LaneBuilder &b, Division kind, Value a, Value c, Value zero, Value one,
                      Value minusOne, Value lowest) {
  using Predicate = LLVM::ICmpPredicate;
  Value bad = LLVM::ICmpOp::create(b, Predicate::eq, c, zero);
  if (kind.isSigned) {
    Value negates = LLVM::ICmpOp::create(b, Predicate::eq, c, minusOne);
    Value overflows = LLVM::ICmpOp::create(b, Predicate::eq, a, lowest);
    bad = LLVM::OrOp::create(b, bad, LLVM::AndOp::create(b, negates, overflows));
  }
  return LLVM::SelectOp::create(b, bad, one, c);
}

/// Divides uniform numbers only once, and vectors in floating point. Divisions by constants are
/// left to LLVM, which replaces them by multiplications.
bool cpu::emitDivision(SimdEmitter &e, Operation *op) {
  std::optional<Division> kind = divisionOf(op);
  APInt constant;
  if (!kind)
    return false;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) && !constant.isZero() &&
      !constant.isAllOnes())
    return false;
  bool asScalar = e.analysis.shape(op->getResult(0)).scalar();
  Value a = asScalar ? e.values.scalar(op->getOperand(0)) : e.values.vector(op->getOperand(0));
  Value c = asScalar ? e.values.scalar(op->getOperand(1)) : e.values.vector(op->getOperand(1));
  Type type = a.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (asScalar || width > 32) {
    // Inactive lanes may hold poison, which must not reach the divisor.
    if (!asScalar && e.control.mask) {
      a = LLVM::FreezeOp::create(e.b, a);
      c = LLVM::FreezeOp::create(e.b, c);
    }
    c = harmless(e.b, *kind, a, c, e.b.integer(type, 0), e.b.integer(type, 1),
                 e.b.integer(type, -1), e.b.integer(type, int64_t(uint64_t(1) << (width - 1))));
    e.values.define(op->getResult(0), divide(e.b, *kind, a, c));
    return true;
  }
  Type real = e.b.vectorOf(width <= 16 ? Type(e.b.getF32Type()) : e.b.getF64Type());
  auto toReal = [&](Value x) -> Value {
    return kind->isSigned ? Value(LLVM::SIToFPOp::create(e.b, real, x))
                          : LLVM::UIToFPOp::create(e.b, real, x);
  };
  Value ratio = LLVM::FDivOp::create(e.b, toReal(a), toReal(c));
  Value quotient = kind->isSigned ? Value(LLVM::FPToSIOp::create(e.b, type, ratio))
                                  : LLVM::FPToUIOp::create(e.b, type, ratio);
  if (kind->isRemainder) {
    Value whole = LLVM::MulOp::create(e.b, quotient, c);
    quotient = LLVM::SubOp::create(e.b, a, whole);
  }
  e.values.define(op->getResult(0), quotient);
  return true;
}
