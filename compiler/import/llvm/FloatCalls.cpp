//===- FloatCalls.cpp - OpenCL's other functions of floats ------------------===//
// These are computed with arithmetic, or on the bits of the numbers.
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using F = arith::CmpFPredicate;
using P = arith::CmpIPredicate;

namespace {

/// The parts of a float's bits.
struct Format {
  unsigned width, mantissa;
  int64_t bias;
};

Format formatOf(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  unsigned precision = APFloat::semanticsPrecision(semantics);
  return {Build::bits(type), precision - 1, APFloat::semanticsMaxExponent(semantics)};
}

Value zero(Call &c, Type type) { return c.constant(type, int64_t(0)); }
Value add(Call &c, Value x, Value y) { return c.op<arith::AddFOp>(x, y); }
Value sub(Call &c, Value x, Value y) { return c.op<arith::SubFOp>(x, y); }
Value mul(Call &c, Value x, Value y) { return c.op<arith::MulFOp>(x, y); }
Value divide(Call &c, Value x, Value y) { return c.op<arith::DivFOp>(x, y); }
Value absolute(Call &c, Value x) { return c.op<math::AbsFOp>(x); }

/// Returns -(y < x), the smaller or larger number by one comparison, as OpenCL defines min and max.
Value smallerFloat(Call &c) { return c.select(c.compare(F::OLT, c.x[1], c.x[0]), c.x[1], c.x[0]); }
Value largerFloat(Call &c) { return c.select(c.compare(F::OLT, c.x[0], c.x[1]), c.x[1], c.x[0]); }

Value clampFloat(Call &c) {
  Value low = c.op<arith::MaxNumFOp>(c.x[0], c.x[1]);
  return c.op<arith::MinNumFOp>(low, c.x[2]);
}

Value mix(Call &c) { return add(c, c.x[0], mul(c, sub(c, c.x[1], c.x[0]), c.x[2])); }

Value stepAt(Call &c) {
  Type type = c.result;
  return c.select(c.compare(F::OLT, c.x[1], c.x[0]), zero(c, type), c.constant(type, 1.0));
}

Value smoothStep(Call &c) {
  Type type = c.result;
  Value t = divide(c, sub(c, c.x[2], c.x[0]), sub(c, c.x[1], c.x[0]));
  t = c.op<arith::MinNumFOp>(c.op<arith::MaxNumFOp>(t, zero(c, type)), c.constant(type, 1.0));
  Value rest = sub(c, c.constant(type, 3.0), mul(c, c.constant(type, 2.0), t));
  return mul(c, mul(c, t, t), rest);
}

Value signOf(Call &c) {
  Value x = c.x[0], none = zero(c, c.result);
  Value unit = c.op<math::CopySignOp>(c.constant(c.result, 1.0), x);
  Value made = c.select(c.compare(F::OEQ, x, none), x, unit);
  return c.select(c.op<math::IsNaNOp>(x), none, made);
}

Value degrees(Call &c) { return mul(c, c.x[0], c.constant(c.result, 180 / std::numbers::pi)); }
Value radians(Call &c) { return mul(c, c.x[0], c.constant(c.result, std::numbers::pi / 180)); }

/// Returns the difference if it is positive, and otherwise zero. NaN stays NaN.
Value positiveDifference(Call &c) {
  return c.select(c.compare(F::OLE, c.x[0], c.x[1]), zero(c, c.result), sub(c, c.x[0], c.x[1]));
}

Value byMagnitude(Call &c, bool larger) {
  Value x = absolute(c, c.x[0]), y = absolute(c, c.x[1]);
  Value other =
      larger ? c.op<arith::MaxNumFOp>(c.x[0], c.x[1]) : c.op<arith::MinNumFOp>(c.x[0], c.x[1]);
  F first = larger ? F::OGT : F::OLT;
  return c.select(c.compare(first, x, y), c.x[0], c.select(c.compare(first, y, x), c.x[1], other));
}

/// Returns a power of two by which numbers up to `size` can be multiplied before they are squared.
/// It is 1 unless the squares would leave the range of the format.
Value squareScale(Call &c, Value size) {
  Type type = size.getType();
  Format format = formatOf(type);
  int shift = int(format.bias / 2 + format.mantissa);
  Value isLarge =
      c.compare(F::OGE, size, c.constant(type, std::ldexp(1.0, int(format.bias / 2) - 3)));
  Value isSmall = c.compare(
      F::OLT, size, c.constant(type, std::ldexp(1.0, -int(format.bias - format.mantissa) / 2 + 1)));
  Value scale = c.select(isLarge, c.constant(type, std::ldexp(1.0, -shift)), c.constant(type, 1.0));
  return c.select(isSmall, c.constant(type, std::ldexp(1.0, shift)), scale);
}

/// Returns sqrt(x² + y²) without overflow.
Value hypotenuse(Call &c) {
  Type type = c.result;
  Value x = absolute(c, c.x[0]), y = absolute(c, c.x[1]);
  Value scale = squareScale(c, c.op<arith::MaximumFOp>(x, y));
  Value a = mul(c, x, scale), b = mul(c, y, scale);
  Value made = divide(c, c.op<math::SqrtOp>(add(c, mul(c, a, a), mul(c, b, b))), scale);
  Value isInfinite = c.op<arith::OrIOp>(c.op<math::IsInfOp>(x), c.op<math::IsInfOp>(y));
  return c.select(isInfinite, c.constant(type, std::numeric_limits<double>::infinity()), made);
}

/// Returns the remainder of the nearest quotient, from the exact remainder of twice the divisor.
Value remainderOf(Call &c) {
  Type type = c.result;
  Value y = absolute(c, c.x[1]);
  Value twice = add(c, y, y);
  Value isSmall = c.op<math::IsFiniteOp>(twice);
  Value r = c.select(isSmall, c.op<arith::RemFOp>(c.x[0], twice), c.x[0]);
  Value size = absolute(c, r);
  // Halves are compared as rests, since half of a small divisor may not be exact.
  auto reduce = [&](Value from, F order) {
    Value less = sub(c, from, y);
    Value isBeyond = c.compare(order, from, sub(c, y, from));
    return std::pair(c.select(isBeyond, less, from), isBeyond);
  };
  auto [once, isBeyond] = reduce(size, F::OGT);
  Value again = c.op<arith::AndIOp>(isBeyond, c.compare(F::OGE, once, sub(c, y, once)));
  Value made = c.select(again, sub(c, once, y), once);
  // The sign of the argument goes to the result.
  Value sign = c.op<arith::AndIOp>(
      c.toBits(c.x[0]), c.bitsConstant(c.integers(type), APInt::getSignMask(Build::bits(type))));
  Value flipped = c.fromBits(c.op<arith::XOrIOp>(c.toBits(made), sign), type);
  Value bad = c.op<arith::OrIOp>(
      c.op<math::IsNaNOp>(c.x[1]),
      c.op<arith::OrIOp>(c.op<math::IsInfOp>(c.x[0]), c.compare(F::OEQ, y, zero(c, type))));
  return c.select(bad, c.constant(type, std::numeric_limits<double>::quiet_NaN()), flipped);
}

/// Returns the remainder, and stores the low 7 bits of the quotient with its sign.
Value remainderAndQuotient(Call &c) {
  Type type = c.result, counts = Build::with(type, c.b.getI32Type());
  Value x = c.x[0], y = absolute(c, c.x[1]);
  Value rest = remainderOf(c);
  // The argument without multiples of 128 divisors has the same remainder and low bits.
  Value most = mul(c, y, c.constant(type, 128.0));
  Value reduced = c.select(c.op<math::IsFiniteOp>(most), c.op<arith::RemFOp>(x, most), x);
  Value quotient = c.op<math::RoundEvenOp>(divide(c, sub(c, reduced, rest), y));
  Value special = c.op<math::IsNaNOp>(rest);
  quotient = c.select(special, zero(c, type), quotient);
  Value count = c.op<math::AbsIOp>(c.op<arith::FPToSIOp>(counts, quotient));
  count = c.op<arith::AndIOp>(count, c.constant(counts, 127));
  Value isNegative = c.compare(F::OLT,
                               mul(c, c.op<math::CopySignOp>(c.constant(type, 1.0), x),
                                   c.op<math::CopySignOp>(c.constant(type, 1.0), c.x[1])),
                               zero(c, type));
  count = c.select(isNegative, c.op<arith::SubIOp>(c.constant(counts, 0), count), count);
  c.f.store(c.pointer(2), c.x[2], count, 0);
  return rest;
}

Value nextAfter(Call &c) {
  Type type = c.result, integers = c.integers(type);
  Value x = c.x[0], y = c.x[1];
  Value bits = c.toBits(x);
  Value up = c.compare(F::OLT, x, y);
  // Away from zero, the bits of a float grow.
  Value grows = c.compare(P::eq, up, c.compare(F::OGE, x, zero(c, type)));
  Value one = c.constant(integers, int64_t(1));
  Value moved = c.select(grows, c.op<arith::AddIOp>(bits, one), c.op<arith::SubIOp>(bits, one));
  Value least = c.op<math::CopySignOp>(c.fromBits(one, type), y);
  Value made = c.select(c.compare(F::OEQ, x, zero(c, type)), least, c.fromBits(moved, type));
  made = c.select(c.compare(F::OEQ, x, y), y, made);
  return c.select(c.compare(F::UNO, x, y), add(c, x, y), made);
}

Value isSpecial(Call &c, Value x) {
  Value isZero = c.compare(F::OEQ, x, zero(c, x.getType()));
  Value isFinite = c.op<math::IsFiniteOp>(x);
  Value all = c.constant(isFinite.getType(), int64_t(-1));
  return c.op<arith::OrIOp>(isZero, c.op<arith::XOrIOp>(isFinite, all));
}

Value logB(Call &c) {
  Type type = c.result;
  Value x = c.x[0];
  Value made = c.op<arith::SIToFPOp>(type, splitExponent(c, x).first);
  Value infinity = c.constant(type, std::numeric_limits<double>::infinity());
  made = c.select(c.compare(F::OEQ, x, zero(c, type)), c.op<arith::NegFOp>(infinity), made);
  Value isFinite = c.op<math::IsFiniteOp>(x);
  return c.select(isFinite, made, mul(c, x, x));
}

Value iLogB(Call &c) {
  Value x = c.x[0];
  Value made = c.resize(splitExponent(c, x).first, c.result, /*isSigned=*/true);
  Value isZero = c.compare(F::OEQ, x, zero(c, x.getType()));
  made = c.select(isZero, c.constant(c.result, int64_t(INT32_MIN)), made); // FP_ILOGB0
  made = c.select(c.op<math::IsInfOp>(x), c.constant(c.result, int64_t(INT32_MAX)), made);
  return c.select(c.op<math::IsNaNOp>(x), c.constant(c.result, int64_t(INT32_MAX)), made);
}

Value fractionAndExponent(Call &c) {
  Type type = c.result;
  auto [exponent, rest] = splitExponent(c, c.x[0]);
  Value special = isSpecial(c, c.x[0]);
  Type counts = Build::with(type, c.b.getI32Type());
  Value count = c.resize(exponent, counts, /*isSigned=*/true);
  count = c.op<arith::AddIOp>(count, c.constant(counts, int64_t(1)));
  count = c.select(special, c.constant(counts, int64_t(0)), count);
  c.f.store(c.pointer(1), c.x[1], count, 0);
  return c.select(special, c.x[0], mul(c, rest, c.constant(type, 0.5)));
}

Value wholeAndFraction(Call &c) {
  Value x = c.x[0];
  Value whole = c.op<math::TruncOp>(x);
  c.f.store(c.pointer(1), c.x[1], whole, 0);
  Value rest = c.select(c.op<math::IsInfOp>(x), zero(c, c.result), sub(c, x, whole));
  return c.op<math::CopySignOp>(rest, x);
}

Value fraction(Call &c) {
  Value x = c.x[0];
  Value floor = c.op<math::FloorOp>(x);
  Value none = zero(c, c.result); // some devices lose the sign of a zero
  floor = c.select(c.compare(F::OEQ, floor, none), c.op<math::CopySignOp>(none, x), floor);
  c.f.store(c.pointer(1), c.x[1], floor, 0);
  Format format = formatOf(c.result);
  Value most = c.constant(c.result, 1 - std::ldexp(1.0, -int(format.mantissa) - 1));
  Value rest = sub(c, x, floor);
  rest = c.select(c.compare(F::OGT, rest, most), most, rest);
  Value isEdge = c.op<arith::OrIOp>(c.op<math::IsInfOp>(x), c.compare(F::OEQ, x, none));
  return c.select(isEdge, c.op<math::CopySignOp>(none, x), rest);
}

Value sineAndCosine(Call &c) {
  c.f.store(c.pointer(1), c.x[1], c.op<math::CosOp>(c.x[0]), 0);
  return c.op<math::SinOp>(c.x[0]);
}

/// Returns the sum of products of lanes.
Value dotProduct(Call &c, Value x, Value y) {
  if (!isa<VectorType>(x.getType()))
    return mul(c, x, y);
  Value products = mul(c, x, y);
  return c.op<vector::ReductionOp>(vector::CombiningKind::ADD, products);
}
/// Returns the length of x · scale, and scale.
std::pair<Value, Value> scaledLength(Call &c, Value &x) {
  Value size = c.op<vector::ReductionOp>(vector::CombiningKind::MAXNUMF, absolute(c, x));
  Value scale = squareScale(c, size);
  x = mul(c, x, c.op<vector::BroadcastOp>(cast<VectorType>(x.getType()), scale));
  return {c.op<math::SqrtOp>(dotProduct(c, x, x)), scale};
}
Value lengthOf(Call &c, Value x) {
  if (!isa<VectorType>(x.getType()))
    return absolute(c, x);
  auto [length, scale] = scaledLength(c, x);
  return divide(c, length, scale);
}
Value normalized(Call &c) {
  Value x = c.x[0];
  if (!isa<VectorType>(x.getType()))
    return c.select(c.compare(F::OEQ, x, zero(c, x.getType())), x,
                    c.op<math::CopySignOp>(c.constant(x.getType(), 1.0), x));
  // If an element is infinite, infinite ones become 1, and the others 0.
  auto type = cast<VectorType>(x.getType());
  Value isInfinite = c.op<math::IsInfOp>(x);
  Value any = c.op<vector::ReductionOp>(vector::CombiningKind::OR, isInfinite);
  Value rest = c.select(c.op<math::IsNaNOp>(x), x, zero(c, type));
  Value units = c.select(isInfinite, c.constant(type, 1.0), rest);
  x = c.select(any, c.op<math::CopySignOp>(units, x), x);
  Value original = x;
  Value length = scaledLength(c, x).first;
  length = c.op<vector::BroadcastOp>(type, length);
  Value isZero = c.compare(F::OEQ, length, zero(c, length.getType()));
  return c.select(isZero, original, divide(c, x, length));
}
Value crossProduct(Call &c) {
  auto vector = cast<VectorType>(c.result);
  SmallVector<Value> x, y, made;
  for (int64_t i = 0; i < 3; ++i) {
    x.push_back(c.op<vector::ExtractOp>(c.x[0], i));
    y.push_back(c.op<vector::ExtractOp>(c.x[1], i));
  }
  for (int i = 0; i < 3; ++i) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    made.push_back(sub(c, mul(c, x[j], y[k]), mul(c, x[k], y[j])));
  }
  if (vector.getNumElements() == 4)
    made.push_back(zero(c, vector.getElementType()));
  return c.op<vector::FromElementsOp>(vector, made);
}

} // namespace

/// Multiplies by powers of two whose exponents the format has.
Value llvm_import::scaleByPower(Call &c, Value x, Value exponent) {
  Type type = x.getType(), integers = c.integers(type);
  Format format = formatOf(type);
  if (isa<VectorType>(type) && !isa<VectorType>(exponent.getType()))
    exponent = c.op<vector::BroadcastOp>(Build::with(type, exponent.getType()), exponent);
  exponent = c.resize(exponent, integers, /*isSigned=*/true);
  int64_t step = format.bias - 1;
  for (int i = 0; i < 3; ++i) {
    Value part = c.op<arith::MinSIOp>(exponent, c.constant(integers, step));
    part = c.op<arith::MaxSIOp>(part, c.constant(integers, -step));
    exponent = c.op<arith::SubIOp>(exponent, part);
    Value bits = c.op<arith::ShLIOp>(c.op<arith::AddIOp>(part, c.constant(integers, format.bias)),
                                     c.constant(integers, int64_t(format.mantissa)));
    x = c.op<arith::MulFOp>(x, c.fromBits(bits, type));
  }
  return x;
}

std::pair<Value, Value> llvm_import::splitExponent(Call &c, Value x) {
  Type type = x.getType(), integers = c.integers(type);
  Format format = formatOf(type);
  int64_t shift = format.mantissa + 1;
  Value size = c.toBits(absolute(c, x));
  Value least = c.constant(integers, int64_t(1) << format.mantissa);
  Value isSmall = c.compare(P::ult, size, least);
  Value scaled = mul(c, x, c.constant(type, std::ldexp(1.0, int(shift))));
  Value bits = c.toBits(c.select(isSmall, scaled, x));
  Value field = c.op<arith::AndIOp>(
      c.op<arith::ShRUIOp>(bits, c.constant(integers, int64_t(format.mantissa))),
      c.constant(integers, 2 * format.bias + 1));
  Value exponent = c.op<arith::SubIOp>(field, c.constant(integers, format.bias));
  exponent =
      c.select(isSmall, c.op<arith::SubIOp>(exponent, c.constant(integers, shift)), exponent);
  int64_t mask = (2 * format.bias + 1) << format.mantissa;
  Value rest = c.op<arith::AndIOp>(bits, c.constant(integers, ~mask));
  rest = c.op<arith::OrIOp>(rest, c.constant(integers, format.bias << format.mantissa));
  return {exponent, c.fromBits(rest, type)};
}

Made llvm_import::translateFloat(Call &c) {
  if (c.name == "nan" && c.result && isa<FloatType>(getElementTypeOrSelf(c.result))) {
    uint64_t bits =
        APFloat::getQNaN(cast<FloatType>(getElementTypeOrSelf(c.result)).getFloatSemantics())
            .bitcastToAPInt()
            .getZExtValue();
    return c.fromBits(c.op<arith::OrIOp>(c.x[0], c.constant(c.x[0].getType(), int64_t(bits))),
                      c.result);
  }
  if (!c.isFloat() || !c.result || c.parameters[0].isPointer)
    return std::nullopt;
  static const llvm::StringMap<Value (*)(Call &)> functions = {
      {"min", smallerFloat},
      {"max", largerFloat},
      {"fmin", [](Call &c) { return c.op<arith::MinNumFOp>(c.x[0], c.x[1]); }},
      {"fmax", [](Call &c) { return c.op<arith::MaxNumFOp>(c.x[0], c.x[1]); }},
      {"clamp", clampFloat},
      {"mix", mix},
      {"step", stepAt},
      {"smoothstep", smoothStep},
      {"sign", signOf},
      {"degrees", degrees},
      {"radians", radians},
      {"fdim", positiveDifference},
      {"maxmag", [](Call &c) { return byMagnitude(c, true); }},
      {"minmag", [](Call &c) { return byMagnitude(c, false); }},
      {"hypot", hypotenuse},
      {"remainder", remainderOf},
      {"nextafter", nextAfter},
      {"ldexp", [](Call &c) { return scaleByPower(c, c.x[0], c.x[1]); }},
      {"logb", logB},
      {"ilogb", iLogB},
  };
  static const llvm::StringMap<Value (*)(Call &)> ofVectors = {
      {"frexp", fractionAndExponent},
      {"modf", wholeAndFraction},
      {"remquo", remainderAndQuotient},
      {"fract", fraction},
      {"sincos", sineAndCosine},
      {"dot", [](Call &c) { return dotProduct(c, c.x[0], c.x[1]); }},
      {"length", [](Call &c) { return lengthOf(c, c.x[0]); }},
      {"fast_length", [](Call &c) { return lengthOf(c, c.x[0]); }},
      {"distance", [](Call &c) { return lengthOf(c, sub(c, c.x[0], c.x[1])); }},
      {"fast_distance", [](Call &c) { return lengthOf(c, sub(c, c.x[0], c.x[1])); }},
      {"normalize", normalized},
      {"fast_normalize", normalized},
      {"cross", crossProduct},
  };
  static const llvm::StringLiteral inFloat[] = {"hypot",       "remquo",        "ldexp",
                                                "length",      "distance",      "normalize",
                                                "fast_length", "fast_distance", "fast_normalize"};
  // Their intermediate results leave the range of f16.
  NarrowResult narrow(c, llvm::is_contained(inFloat, c.name));
  if (auto found = ofVectors.find(c.name); found != ofVectors.end()) {
    Type whole = c.x[0].getType(); // LLVM IR may state any result
    bool isNumber = c.name == "dot" || c.name.ends_with("length") || c.name.ends_with("distance");
    if (c.result != (isNumber ? getElementTypeOrSelf(whole) : whole))
      return std::nullopt;
    return narrow.finish(found->second(c));
  }
  auto found = functions.find(c.name);
  if (found == functions.end())
    return std::nullopt;
  c.broadcastNumbers();
  return narrow.finish(found->second(c));
}
