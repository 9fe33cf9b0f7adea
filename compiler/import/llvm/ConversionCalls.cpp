//===- ConversionCalls.cpp - OpenCL's convert_ functions --------------------===//
//   convert_uchar4_sat_rte(float4): the type, whether it saturates, and how it rounds
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using P = arith::CmpIPredicate;
using F = arith::CmpFPredicate;

namespace {
struct Conversion {
  bool toFloat = false, toSigned = true, saturates = false;
  StringRef rounding; // "rte", "rtz", "rtp", "rtn", or empty
};
} // namespace

static Conversion conversionOf(StringRef name) {
  Conversion made;
  name.consume_front("convert_");
  for (StringRef rounding : {"_rte", "_rtz", "_rtp", "_rtn"})
    if (name.consume_back(rounding))
      made.rounding = rounding.drop_front();
  made.saturates = name.consume_back("_sat");
  made.toFloat =
      name.starts_with("float") || name.starts_with("half") || name.starts_with("double");
  made.toSigned = !name.starts_with("u");
  return made;
}

/// Rounds floats to whole numbers.
static Value toWhole(Call &c, Value x, StringRef rounding) {
  if (rounding == "rte")
    return c.op<math::RoundEvenOp>(x);
  if (rounding == "rtp")
    return c.op<math::CeilOp>(x);
  if (rounding == "rtn")
    return c.op<math::FloorOp>(x);
  return c.op<math::TruncOp>(x);
}

/// Converts floats to integers. Saturation replaces what is out of range, and NaN by zero.
static Value floatToInteger(Call &c, const Conversion &how) {
  Value x = c.x[0];
  if (!how.rounding.empty() && how.rounding != "rtz")
    x = toWhole(c, x, how.rounding);
  Type type = c.result;
  // Results out of range are not defined in SPIR-V, so bytes and shorts go through 32 bits.
  auto convert = [&](Type to) {
    return how.toSigned ? c.op<arith::FPToSIOp>(to, x) : c.op<arith::FPToUIOp>(to, x);
  };
  if (!how.saturates)
    return convert(type);
  unsigned width = Build::bits(type), bits = width - how.toSigned;
  if (Build::bits(x.getType()) == 16) // whose range is smaller than that of the bounds
    x = c.op<arith::ExtFOp>(Build::with(x.getType(), c.b.getF32Type()), x);
  Type floats = x.getType();
  Value above = c.compare(F::OGE, x, c.constant(floats, std::ldexp(1.0, bits)));
  Value below = how.toSigned ? c.compare(F::OLT, x, c.constant(floats, -std::ldexp(1.0, bits)))
                             : c.compare(F::OLT, x, c.constant(floats, 0.0));
  Value isNan = c.op<math::IsNaNOp>(x);
  Value outside = c.op<arith::OrIOp>(c.op<arith::OrIOp>(above, below), isNan);
  x = c.select(outside, c.constant(floats, 0.0), x);
  Value made = convert(type);
  made = c.select(above, c.most(type, how.toSigned), made);
  return c.select(below, c.least(type, how.toSigned), made);
}

static Value integerToInteger(Call &c, const Conversion &how) {
  Value x = c.x[0];
  Type from = x.getType(), to = c.result;
  bool isSigned = c.isSigned();
  if (!how.saturates || from == to)
    if (!how.saturates || isSigned == how.toSigned)
      return c.resize(x, to, isSigned);
  unsigned fromBits = Build::bits(from), toBits = Build::bits(to);
  // Clamps in the type of the argument, with those bounds that it can exceed.
  if (isSigned) {
    if (!how.toSigned)
      x = c.op<arith::MaxSIOp>(x, c.constant(from, int64_t(0)));
    else if (toBits < fromBits)
      x = c.op<arith::MaxSIOp>(
          x, c.bitsConstant(from, APInt::getSignedMinValue(toBits).sext(fromBits)));
    if (toBits < fromBits)
      x = c.op<arith::MinSIOp>(x,
                               c.bitsConstant(from, (how.toSigned ? APInt::getSignedMaxValue(toBits)
                                                                  : APInt::getMaxValue(toBits))
                                                        .zext(fromBits)));
  } else if (toBits < fromBits || (toBits == fromBits && how.toSigned)) {
    APInt most = how.toSigned ? APInt::getSignedMaxValue(toBits) : APInt::getMaxValue(toBits);
    x = c.op<arith::MinUIOp>(x, c.bitsConstant(from, most.zextOrTrunc(fromBits)));
  }
  return c.resize(x, to, isSigned);
}

static Value roundFloat(Call &c, Value x, Type type, StringRef rounding) {
  auto mode = llvm::StringSwitch<arith::RoundingMode>(rounding)
                  .Case("rtz", arith::RoundingMode::toward_zero)
                  .Case("rtp", arith::RoundingMode::upward)
                  .Default(arith::RoundingMode::downward);
  return arith::TruncFOp::create(c.b, c.loc, type, x,
                                 arith::RoundingModeAttr::get(c.b.getContext(), mode),
                                 arith::FastMathFlagsAttr());
}

static Value andNot(Call &c, Value x, Value y) {
  return c.op<arith::AndIOp>(x, c.op<arith::XOrIOp>(y, c.constant(y.getType(), int64_t(-1))));
}

/// Converts integers to floats. Without hardware for the direction, the nearest float is corrected
/// by one step if it lies on the wrong side.
static Value integerToFloat(Call &c, StringRef rounding) {
  Value x = c.x[0];
  Type type = c.result, integers = c.integers(type);
  bool isSigned = c.isSigned();
  auto convert = [&](Type to, Value from) {
    return isSigned ? c.op<arith::SIToFPOp>(to, from) : c.op<arith::UIToFPOp>(to, from);
  };
  if (rounding.empty())
    return convert(type, x);
  if (Build::bits(type) == 16) { // through f32, which the direction applies to twice
    c.result = Build::with(type, c.b.getF32Type());
    Value wide = integerToFloat(c, rounding);
    c.result = type;
    return roundFloat(c, wide, type, rounding);
  }
  Value near = convert(type, x);
  unsigned width = Build::bits(x.getType());
  // The float may be just beyond the range of the integers.
  Value isBeyond = c.compare(F::OGE, near, c.constant(type, std::ldexp(1.0, width - isSigned)));
  Value inside = c.select(isBeyond, c.constant(type, 0.0), near);
  Value back = isSigned ? c.op<arith::FPToSIOp>(x.getType(), inside)
                        : c.op<arith::FPToUIOp>(x.getType(), inside);
  P greater = isSigned ? P::sgt : P::ugt, less = isSigned ? P::slt : P::ult;
  Value isAbove = c.op<arith::OrIOp>(isBeyond, c.compare(greater, back, x));
  Value isBelow = c.op<arith::AndIOp>(
      c.compare(less, back, x),
      c.op<arith::XOrIOp>(isBeyond, c.constant(isBeyond.getType(), int64_t(-1))));
  Value isNegative = c.compare(F::OLT, near, c.constant(type, 0.0));
  Value one = c.constant(integers, int64_t(1)), bits = c.toBits(near);
  Value longer = c.op<arith::AddIOp>(bits, one), shorter = c.op<arith::SubIOp>(bits, one);
  Value up = c.select(isNegative, shorter, longer), down = c.select(isNegative, longer, shorter);
  Value made = bits;
  if (rounding != "rtp") // toward zero goes down from positive numbers only
    made = c.select(rounding == "rtn" ? isAbove : andNot(c, isAbove, isNegative), down, made);
  if (rounding != "rtn")
    made =
        c.select(rounding == "rtp" ? isBelow : c.op<arith::AndIOp>(isBelow, isNegative), up, made);
  return c.fromBits(made, type);
}

static Value toFloat(Call &c, const Conversion &how) {
  Value x = c.x[0];
  Type type = c.result;
  bool isNearest = how.rounding.empty() || how.rounding == "rte";
  if (!c.isFloat())
    return integerToFloat(c, isNearest ? "" : how.rounding);
  if (x.getType() == type)
    return x;
  if (Build::bits(x.getType()) < Build::bits(type))
    return c.op<arith::ExtFOp>(type, x);
  if (isNearest)
    return c.op<arith::TruncFOp>(type, x);
  return roundFloat(c, x, type, how.rounding);
}

Made llvm_import::translateConversion(Call &c) {
  if (!c.name.starts_with("convert_") || c.x.size() != 1 || !c.result)
    return std::nullopt;
  Conversion how = conversionOf(c.name);
  if (how.toFloat)
    return toFloat(c, how);
  return c.isFloat() ? floatToInteger(c, how) : integerToInteger(c, how);
}
