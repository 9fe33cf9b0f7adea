//===- Arithmetic.cpp - arithmetic, component by component ------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

template <typename Op> static Value integer2(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0], x[1]);
}

template <Value (*compute)(Lowering &, Value, Value)>
static Value float2(Lowering &l, Type, ArrayRef<Value> x) {
  return compute(l, x[0], x[1]);
}

static Value compare(Lowering &l, arith::CmpIPredicate how, Value x, Value y) {
  return arith::CmpIOp::create(l.b, how, x, y);
}

static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}

static Value number(Lowering &l, Value like, int64_t value) {
  return l.integer(value, like.getType().getIntOrFloatBitWidth());
}

static Value negate(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::SubIOp::create(l.b, number(l, x[0], 0), x[0]);
}

static Value negateFloat(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::NegFOp::create(l.b, x[0]);
}

//===-------------------------------------------------------------------------===//
// LLVM's division is undefined for a divisor of 0, and for the smallest number divided by -1.
// SPIR-V only leaves the result unspecified. Here, the quotient by 0 has all bits set, and the
// remainder is the dividend.
//===-------------------------------------------------------------------------===//

/// Returns whether a divisor is known to be neither 0 nor, if signed, -1.
static bool isSafe(Value divisor, bool isSigned) {
  APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
         !(isSigned && value.isAllOnes());
}

template <typename Op> static Value divideUnsigned(Lowering &l, Type, ArrayRef<Value> x) {
  constexpr bool isQuotient = std::is_same_v<Op, arith::DivUIOp>;
  if (isSafe(x[1], false))
    return Op::create(l.b, x[0], x[1]);
  Value isZero = compare(l, arith::CmpIPredicate::eq, x[1], number(l, x[1], 0));
  Value divisor = select(l, isZero, number(l, x[1], 1), x[1]);
  Value result = Op::create(l.b, x[0], divisor);
  return select(l, isZero, isQuotient ? number(l, x[0], -1) : x[0], result);
}

/// Divides by 1 instead of -1, and negates the quotient.
template <typename Op> static Value divideSigned(Lowering &l, Type, ArrayRef<Value> x) {
  constexpr bool isQuotient = std::is_same_v<Op, arith::DivSIOp>;
  if (isSafe(x[1], true))
    return Op::create(l.b, x[0], x[1]);
  Value isZero = compare(l, arith::CmpIPredicate::eq, x[1], number(l, x[1], 0));
  Value isMinus = compare(l, arith::CmpIPredicate::eq, x[1], number(l, x[1], -1));
  Value special = arith::OrIOp::create(l.b, isZero, isMinus);
  Value result = Op::create(l.b, x[0], select(l, special, number(l, x[1], 1), x[1]));
  if (!isQuotient) // a remainder by 1 is 0, as by -1
    return select(l, isZero, x[0], result);
  result = select(l, isMinus, negate(l, {}, {x[0]}), result);
  return select(l, isZero, number(l, x[0], -1), result);
}

/// Returns the remainder that has the divisor's sign.
static Value moduloSigned(Lowering &l, Type type, ArrayRef<Value> x) {
  Value rest = divideSigned<arith::RemSIOp>(l, type, x);
  Value zero = number(l, rest, 0);
  Value nonZero = compare(l, arith::CmpIPredicate::ne, rest, zero);
  Value signs = arith::XOrIOp::create(l.b, rest, x[1]);
  Value differ = compare(l, arith::CmpIPredicate::slt, signs, zero);
  Value adjust = arith::AndIOp::create(l.b, nonZero, differ);
  return select(l, adjust, arith::AddIOp::create(l.b, rest, x[1]), rest);
}

/// Computes x - y * round(x / y). Vulkan derives FRem (with round = trunc) and FMod (with round =
/// floor) in this way. If the division rounded the quotient up to an integer, the remainder has the
/// wrong sign, and y is added again. For f16, quotients are computed in f64, so that the remainder
/// is exact.
template <typename Round>
static Value remainderFloat(Lowering &l, Type type, ArrayRef<Value> operands) {
  Type wide = type.isF16() ? Type(l.b.getF64Type()) : type;
  auto widened = [&](Value v) -> Value {
    return v.getType() == wide ? v : arith::ExtFOp::create(l.b, wide, v).getResult();
  };
  Value x = widened(operands[0]), y = widened(operands[1]);
  Value whole = Round::create(l.b, arith::DivFOp::create(l.b, x, y));
  Value rest = math::FmaOp::create(l.b, arith::NegFOp::create(l.b, whole), y, x);
  // The remainder of FRem has the sign of x, and that of FMod has the sign of y.
  Value signs = std::is_same_v<Round, math::TruncOp> ? x : y, zero = l.real(wide, 0);
  auto is = [&](arith::CmpFPredicate how, Value v) -> Value {
    return arith::CmpFOp::create(l.b, how, v, zero);
  };
  auto both = [&](Value a, Value b) -> Value { return arith::AndIOp::create(l.b, a, b); };
  using F = arith::CmpFPredicate;
  Value differ = arith::OrIOp::create(l.b, both(is(F::OLT, rest), is(F::OGT, signs)),
                                      both(is(F::OGT, rest), is(F::OLT, signs)));
  Value step = math::CopySignOp::create(l.b, y, signs);
  rest = select(l, differ, arith::AddFOp::create(l.b, rest, step), rest);
  return type == wide ? floats::flushed(l, rest) : floats::convert(l, type, rest);
}

/// Computes the remainder exactly, as OpenCL requires.
static Value remainderTruncated(Lowering &l, Type type, ArrayRef<Value> x) {
  return l.types.openCl ? opencl::fmod(l, type, x) : remainderFloat<math::TruncOp>(l, type, x);
}

//===-------------------------------------------------------------------------===//
// Operations with two results: a struct of the low and the high part
//===-------------------------------------------------------------------------===//

using Pair = std::pair<Value, Value>;

static LogicalResult lowerPair(Lowering &l, Operation *op,
                               llvm::function_ref<Pair(Value, Value)> compute) {
  Scalars x = l.get(op->getOperand(0)), y = l.get(op->getOperand(1)), first, second;
  for (auto [a, b] : llvm::zip(x, y)) {
    Pair both = compute(a, b);
    first.push_back(both.first);
    second.push_back(both.second);
  }
  llvm::append_range(first, second);
  return l.finish(op, first);
}

static LogicalResult addCarry(Lowering &l, Operation *op) {
  return lowerPair(l, op, [&](Value x, Value y) -> Pair {
    Value sum = arith::AddIOp::create(l.b, x, y);
    Value carry = compare(l, arith::CmpIPredicate::ult, sum, x);
    return {sum, select(l, carry, number(l, x, 1), number(l, x, 0))};
  });
}

static LogicalResult subBorrow(Lowering &l, Operation *op) {
  return lowerPair(l, op, [&](Value x, Value y) -> Pair {
    Value borrow = compare(l, arith::CmpIPredicate::ult, x, y);
    return {arith::SubIOp::create(l.b, x, y), select(l, borrow, number(l, x, 1), number(l, x, 0))};
  });
}

/// Multiplies halves of 32 bits, because the lane dialect has no type wider than 64 bits.
static Value highHalf64(Lowering &l, Value x, Value y, bool isSigned) {
  Value shift = l.integer(32, 64), mask = l.integer(0xffffffff, 64);
  auto low = [&](Value v) -> Value { return arith::AndIOp::create(l.b, v, mask); };
  auto high = [&](Value v) -> Value { return arith::ShRUIOp::create(l.b, v, shift); };
  auto mul = [&](Value a, Value b) -> Value { return arith::MulIOp::create(l.b, a, b); };
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(l.b, a, b); };
  Value middle = add(mul(high(x), low(y)), high(mul(low(x), low(y))));
  Value other = add(mul(low(x), high(y)), low(middle));
  Value result = add(add(mul(high(x), high(y)), high(middle)), high(other));
  if (!isSigned)
    return result;
  auto correction = [&](Value sign, Value v) -> Value { // returns v if sign < 0
    return arith::AndIOp::create(l.b, arith::ShRSIOp::create(l.b, sign, l.integer(63, 64)), v);
  };
  result = arith::SubIOp::create(l.b, result, correction(x, y));
  return arith::SubIOp::create(l.b, result, correction(y, x));
}

Value pumice::cpu::mulHigh(Lowering &l, Value x, Value y, bool isSigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (width == 64)
    return highHalf64(l, x, y, isSigned);
  Type wide = l.b.getIntegerType(2 * width);
  auto extend = [&](Value v) -> Value {
    return isSigned ? arith::ExtSIOp::create(l.b, wide, v).getResult()
                    : arith::ExtUIOp::create(l.b, wide, v).getResult();
  };
  Value product = arith::MulIOp::create(l.b, extend(x), extend(y));
  Value high = arith::ShRUIOp::create(l.b, product, l.integer(width, 2 * width));
  return arith::TruncIOp::create(l.b, x.getType(), high);
}

template <bool isSigned> static LogicalResult mulExtended(Lowering &l, Operation *op) {
  return lowerPair(l, op, [&](Value x, Value y) -> Pair {
    return {arith::MulIOp::create(l.b, x, y), mulHigh(l, x, y, isSigned)};
  });
}

//===-------------------------------------------------------------------------===//
// Products of vectors
//===-------------------------------------------------------------------------===//

static LogicalResult lowerDot(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0)), y = l.get(op->getOperand(1));
  return l.finish(op, {floats::dot(l, x, y)});
}

/// Multiplies by a scalar. The elements of a cooperative matrix may be integers.
static Value timesScalar(Lowering &l, Type type, ArrayRef<Value> x) {
  return isa<IntegerType>(type) ? integer2<arith::MulIOp>(l, type, x)
                                : float2<floats::mul>(l, type, x);
}

static constexpr Rule rulesOfArithmetic[] = {
    {"Dot", lowerDot},
    {"FAdd", float2<floats::add>},
    {"FDiv", float2<floats::div>},
    {"FMod", remainderFloat<math::FloorOp>},
    {"FMul", float2<floats::mul>},
    {"FNegate", negateFloat},
    {"FRem", remainderTruncated},
    {"FSub", float2<floats::sub>},
    {"IAdd", integer2<arith::AddIOp>},
    {"IAddCarry", addCarry},
    {"IMul", integer2<arith::MulIOp>},
    {"ISub", integer2<arith::SubIOp>},
    {"ISubBorrow", subBorrow},
    {"MatrixTimesScalar", timesScalar},
    {"SDiv", divideSigned<arith::DivSIOp>},
    {"SMod", moduloSigned},
    {"SMulExtended", mulExtended<true>},
    {"SNegate", negate},
    {"SRem", divideSigned<arith::RemSIOp>},
    {"UDiv", divideUnsigned<arith::DivUIOp>},
    {"UMod", divideUnsigned<arith::RemUIOp>},
    {"UMulExtended", mulExtended<false>},
    {"VectorTimesScalar", float2<floats::mul>},
};

ArrayRef<Rule> pumice::cpu::arithmeticRules() { return rulesOfArithmetic; }
