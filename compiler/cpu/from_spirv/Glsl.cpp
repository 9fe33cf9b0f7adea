//===- Glsl.cpp - GLSL.std.450, component by component ----------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/lower/polyfill/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

template <typename Op> static Value apply(Lowering &l, Type, ArrayRef<Value> x) {
  if constexpr (requires { Op::create(l.b, x[0], x[1], x[2]); })
    if (x.size() == 3)
      return Op::create(l.b, x[0], x[1], x[2]);
  if constexpr (requires { Op::create(l.b, x[0], x[1]); })
    if (x.size() == 2)
      return Op::create(l.b, x[0], x[1]);
  if constexpr (requires { Op::create(l.b, x[0]); })
    return Op::create(l.b, x[0]);
  return {};
}

using floats::add, floats::sub, floats::mul;

static Value multiplyAdd(Lowering &l, Type, ArrayRef<Value> x) {
  return floats::multiplyAdd(l, x[0], x[1], x[2]);
}
static Value less(Lowering &l, Value x, Value y) {
  return arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, x, y);
}
static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}

//===-------------------------------------------------------------------------===//
// If an operand is NaN, FMin and FMax may return either operand. x86 instructions return the second
// one, and so do GPUs in practice. In a clamp, the second operand is the bound.
//===-------------------------------------------------------------------------===//

static bool isConstant(Value x) { return x.getDefiningOp<arith::ConstantOp>() != nullptr; }

static Value floatMin(Lowering &l, Type, ArrayRef<Value> x) {
  auto [one, bound] = isConstant(x[0]) ? std::pair(x[1], x[0]) : std::pair(x[0], x[1]);
  return select(l, less(l, one, bound), one, bound);
}
static Value floatMax(Lowering &l, Type, ArrayRef<Value> x) {
  auto [one, bound] = isConstant(x[0]) ? std::pair(x[1], x[0]) : std::pair(x[0], x[1]);
  return select(l, less(l, bound, one), one, bound);
}
template <EachRule min, EachRule max> static Value clamp(Lowering &l, Type t, ArrayRef<Value> x) {
  return min(l, t, {max(l, t, {x[0], x[1]}), x[2]});
}

//===-------------------------------------------------------------------------===//
// Signs, steps and interpolation
//===-------------------------------------------------------------------------===//

/// Returns the sign of a float. The sign of a zero is that zero. The sign of NaN is 0, so that the
/// sign converts to an integer of -1, 0 or 1.
static Value floatSign(Lowering &l, Type type, ArrayRef<Value> x) {
  Value zero = l.real(type, 0);
  Value isNan = arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNO, x[0], x[0]);
  Value rest = select(l, isNan, zero, x[0]);
  Value positive = select(l, less(l, zero, x[0]), l.real(type, 1), rest);
  return select(l, less(l, x[0], zero), l.real(type, -1), positive);
}

static Value integerSign(Lowering &l, Type type, ArrayRef<Value> x) {
  unsigned width = type.getIntOrFloatBitWidth();
  Value zero = l.integer(0, width);
  Value positive = arith::CmpIOp::create(l.b, arith::CmpIPredicate::sgt, x[0], zero);
  Value negative = arith::CmpIOp::create(l.b, arith::CmpIPredicate::slt, x[0], zero);
  Value upper = select(l, positive, l.integer(1, width), zero);
  return select(l, negative, l.integer(-1, width), upper);
}

static Value fract(Lowering &l, Type, ArrayRef<Value> x) {
  return sub(l, x[0], math::FloorOp::create(l.b, x[0]));
}

static Value radians(Lowering &l, Type type, ArrayRef<Value> x) {
  return mul(l, x[0], l.real(type, 0.017453292519943295));
}
static Value degrees(Lowering &l, Type type, ArrayRef<Value> x) {
  return mul(l, x[0], l.real(type, 57.29577951308232));
}

/// Computes x (1 - a) + y a.
static Value mix(Lowering &l, Type type, ArrayRef<Value> x) {
  Value rest = sub(l, l.real(type, 1), x[2]);
  return add(l, mul(l, x[0], rest), mul(l, x[1], x[2]));
}

/// Operands: edge, x.
static Value step(Lowering &l, Type type, ArrayRef<Value> x) {
  return select(l, less(l, x[1], x[0]), l.real(type, 0), l.real(type, 1));
}

/// Computes SmoothStep. If the edges are equal, the quotient is infinite or NaN, and `clamp` turns
/// it into 0 or 1.
static Value smoothStep(Lowering &l, Type type, ArrayRef<Value> x) {
  Value ratio = floats::div(l, sub(l, x[2], x[0]), sub(l, x[1], x[0]));
  Value t = clamp<floatMin, floatMax>(l, type, {ratio, l.real(type, 0), l.real(type, 1)});
  Value slope = sub(l, l.real(type, 3), mul(l, l.real(type, 2), t));
  return mul(l, mul(l, t, t), slope);
}

//===-------------------------------------------------------------------------===//
// Positions of bits in integers; -1 if no bit qualifies
//===-------------------------------------------------------------------------===//

static Value orNone(Lowering &l, Value source, Value found) {
  unsigned width = source.getType().getIntOrFloatBitWidth();
  Value none = arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, source, l.integer(0, width));
  return select(l, none, l.integer(-1, width), found);
}

static Value findLowest(Lowering &l, Type, ArrayRef<Value> x) {
  return orNone(l, x[0], math::CountTrailingZerosOp::create(l.b, x[0]));
}

static Value findHighest(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = x[0].getType().getIntOrFloatBitWidth();
  Value zeros = math::CountLeadingZerosOp::create(l.b, x[0]);
  return orNone(l, x[0], arith::SubIOp::create(l.b, l.integer(width - 1, width), zeros));
}

/// Returns the position of the highest bit that differs from the sign bit.
static Value findHighestSigned(Lowering &l, Type type, ArrayRef<Value> x) {
  unsigned width = x[0].getType().getIntOrFloatBitWidth();
  Value sign = arith::ShRSIOp::create(l.b, x[0], l.integer(width - 1, width));
  Value flipped = arith::XOrIOp::create(l.b, x[0], sign);
  return findHighest(l, type, {flipped});
}

//===-------------------------------------------------------------------------===//
// Fractions and exponents
//===-------------------------------------------------------------------------===//

/// Splits x into a fraction and a whole number, both with the sign of x. The fraction of an
/// infinity is 0.
static std::pair<Value, Value> splitWhole(Lowering &l, Value x) {
  Value whole = math::TruncOp::create(l.b, x);
  Value isWhole = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OEQ, whole, x);
  Value rest = arith::SubFOp::create(l.b, x, whole);
  Value fraction = select(l, isWhole, l.real(x.getType(), 0), rest);
  return {math::CopySignOp::create(l.b, fraction, x), whole};
}

/// Splits x into significand * 2^exponent. The significand is in [0.5, 1). Zeros, infinities and
/// NaN are their own significands, with exponent 0. Subnormal numbers are scaled up first.
static std::pair<Value, Value> splitExponent(Lowering &l, Value x) {
  auto type = cast<FloatType>(x.getType());
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  int64_t bias = (int64_t{1} << (width - fraction - 2)) - 1;
  int64_t exponentMask = 2 * bias + 1;
  Type integer = l.b.getIntegerType(width);
  Value magnitude = math::AbsFOp::create(l.b, x);
  Value smallest = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(type, APFloat::getSmallestNormalized(type.getFloatSemantics())));
  Value subnormal = less(l, magnitude, smallest);
  int64_t up = fraction + 1;
  Value scaled = arith::MulFOp::create(l.b, x, l.real(type, std::ldexp(1.0, static_cast<int>(up))));
  Value bits = arith::BitcastOp::create(l.b, integer, select(l, subnormal, scaled, x));
  Value mask = l.integer(exponentMask, width), shift = l.integer(fraction, width);
  Value field = arith::AndIOp::create(l.b, arith::ShRUIOp::create(l.b, bits, shift), mask);
  Value offset = select(l, subnormal, l.integer(bias - 1 + up, width), l.integer(bias - 1, width));
  Value exponent = arith::SubIOp::create(l.b, field, offset);
  Value cleared = arith::AndIOp::create(l.b, bits, l.integer(~(exponentMask << fraction), width));
  Value halved = arith::OrIOp::create(l.b, cleared, l.integer((bias - 1) << fraction, width));
  Value infinity = l.real(type, std::numeric_limits<double>::infinity());
  Value isFinite = less(l, magnitude, infinity);
  Value nonZero = arith::CmpFOp::create(l.b, arith::CmpFPredicate::ONE, x, l.real(type, 0));
  Value regular = arith::AndIOp::create(l.b, isFinite, nonZero);
  return {select(l, regular, arith::BitcastOp::create(l.b, type, halved), x),
          select(l, regular, exponent, l.integer(0, width))};
}

static Value resized(Lowering &l, Value x, Type type) {
  unsigned from = x.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtSIOp::create(l.b, type, x);
  return from > to ? arith::TruncIOp::create(l.b, type, x).getResult() : x;
}

using Split = std::pair<Value, Value> (*)(Lowering &, Value);

/// Lowers an instruction with two results. The second one is stored through a pointer, or is the
/// second member of the result.
template <Split split> static LogicalResult lowerSplit(Lowering &l, Operation *op) {
  Scalars first, second;
  Value operand = op->getOperand(0);
  auto record = dyn_cast<spirv::StructType>(op->getResult(0).getType());
  FailureOr<Pointer> pointer =
      record ? FailureOr<Pointer>(Pointer()) : l.pointer(op->getOperand(1));
  if (failed(pointer))
    return failure();
  Type part = record ? record.getElementType(1) : pointer->pointee;
  SmallVector<Type> types;
  if (!l.types.scalars(part, types))
    return l.error() << "a part of type " << part << " is not supported";
  for (auto [x, type] : llvm::zip(l.get(operand), types)) {
    auto [one, other] = split(l, x);
    first.push_back(one);
    second.push_back(isa<IntegerType>(type) ? resized(l, other, type) : other);
  }
  if (!record)
    return failed(l.store(*pointer, second)) ? failure() : l.finish(op, first);
  llvm::append_range(first, second);
  return l.finish(op, first);
}

/// Returns x 2^n for any n, rounded only once.
static Value ldexp(Lowering &l, Type type, ArrayRef<Value> x) {
  FloatType real = type.isF64() ? FloatType(l.b.getF64Type()) : FloatType(l.b.getF32Type());
  Value n = x[1];
  if (unsigned width = n.getType().getIntOrFloatBitWidth(); width > 32) {
    Value most = l.integer(INT32_MAX, width), least = l.integer(INT32_MIN, width);
    n = arith::MaxSIOp::create(l.b, arith::MinSIOp::create(l.b, n, most), least);
  }
  n = resized(l, n, l.b.getI32Type());
  lower::Elementwise e(l.b, l.b.getLoc(), real, real);
  Value wide = type == real ? x[0] : arith::ExtFOp::create(l.b, real, x[0]).getResult();
  Value scaled = lower::scaleByAny(e.wrap(wide), e.wrap(n)).get();
  return type == real ? scaled
                      : floats::convert(l, type, scaled); // exact except near the ends of the range
}

static constexpr Rule rulesOfGlsl[] = {
    {"GLSL.std.450/Acos", apply<math::AcosOp>},
    {"GLSL.std.450/Acosh", apply<math::AcoshOp>},
    {"GLSL.std.450/Asin", apply<math::AsinOp>},
    {"GLSL.std.450/Asinh", apply<math::AsinhOp>},
    {"GLSL.std.450/Atan", apply<math::AtanOp>},
    {"GLSL.std.450/Atan2", apply<math::Atan2Op>},
    {"GLSL.std.450/Atanh", apply<math::AtanhOp>},
    {"GLSL.std.450/Ceil", apply<math::CeilOp>},
    {"GLSL.std.450/Cos", apply<math::CosOp>},
    {"GLSL.std.450/Cosh", apply<math::CoshOp>},
    {"GLSL.std.450/Degrees", degrees},
    {"GLSL.std.450/Exp", apply<math::ExpOp>},
    {"GLSL.std.450/Exp2", apply<math::Exp2Op>},
    {"GLSL.std.450/FAbs", apply<math::AbsFOp>},
    {"GLSL.std.450/FClamp", clamp<floatMin, floatMax>},
    {"GLSL.std.450/FMax", floatMax},
    {"GLSL.std.450/FMin", floatMin},
    {"GLSL.std.450/FMix", mix},
    {"GLSL.std.450/FSign", floatSign},
    {"GLSL.std.450/FindILsb", findLowest},
    {"GLSL.std.450/FindSMsb", findHighestSigned},
    {"GLSL.std.450/FindUMsb", findHighest},
    {"GLSL.std.450/Floor", apply<math::FloorOp>},
    {"GLSL.std.450/Fma", multiplyAdd},
    {"GLSL.std.450/Fract", fract},
    {"GLSL.std.450/Frexp", lowerSplit<splitExponent>},
    {"GLSL.std.450/FrexpStruct", lowerSplit<splitExponent>},
    {"GLSL.std.450/InverseSqrt", apply<math::RsqrtOp>},
    {"GLSL.std.450/Ldexp", ldexp},
    {"GLSL.std.450/Log", apply<math::LogOp>},
    {"GLSL.std.450/Log2", apply<math::Log2Op>},
    {"GLSL.std.450/Modf", lowerSplit<splitWhole>},
    {"GLSL.std.450/ModfStruct", lowerSplit<splitWhole>},
    {"GLSL.std.450/NClamp", clamp<apply<arith::MinNumFOp>, apply<arith::MaxNumFOp>>},
    {"GLSL.std.450/NMax", apply<arith::MaxNumFOp>},
    {"GLSL.std.450/NMin", apply<arith::MinNumFOp>},
    {"GLSL.std.450/Pow", apply<math::PowFOp>},
    {"GLSL.std.450/Radians", radians},
    {"GLSL.std.450/Round", apply<math::RoundEvenOp>},
    {"GLSL.std.450/RoundEven", apply<math::RoundEvenOp>},
    {"GLSL.std.450/SAbs", apply<math::AbsIOp>},
    {"GLSL.std.450/SClamp", clamp<apply<arith::MinSIOp>, apply<arith::MaxSIOp>>},
    {"GLSL.std.450/SMax", apply<arith::MaxSIOp>},
    {"GLSL.std.450/SMin", apply<arith::MinSIOp>},
    {"GLSL.std.450/SSign", integerSign},
    {"GLSL.std.450/Sin", apply<math::SinOp>},
    {"GLSL.std.450/Sinh", apply<math::SinhOp>},
    {"GLSL.std.450/SmoothStep", smoothStep},
    {"GLSL.std.450/Sqrt", apply<math::SqrtOp>},
    {"GLSL.std.450/Step", step},
    {"GLSL.std.450/Tan", apply<math::TanOp>},
    {"GLSL.std.450/Tanh", apply<math::TanhOp>},
    {"GLSL.std.450/Trunc", apply<math::TruncOp>},
    {"GLSL.std.450/UClamp", clamp<apply<arith::MinUIOp>, apply<arith::MaxUIOp>>},
    {"GLSL.std.450/UMax", apply<arith::MaxUIOp>},
    {"GLSL.std.450/UMin", apply<arith::MinUIOp>},
};

ArrayRef<Rule> pumice::cpu::glslRules() { return rulesOfGlsl; }
