//===- OpenClFloats.cpp - OpenCL.std's functions of floats ------------------===//
// Lowers functions for which the math dialect has no operation. Half precision is computed in f32.
// Single precision is computed in f64 if no simpler way is accurate enough.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

static unsigned widthOf(Value x) { return x.getType().getIntOrFloatBitWidth(); }
static Value is(Lowering &l, F how, Value x, Value y) {
  return arith::CmpFOp::create(l.b, how, x, y);
}
static Value is(Lowering &l, I how, Value x, Value y) {
  return arith::CmpIOp::create(l.b, how, x, y);
}
static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}
static Value both(Lowering &l, Value x, Value y) { return arith::AndIOp::create(l.b, x, y); }
static Value add(Lowering &l, Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::AddFOp::create(l.b, x, y).getResult()
                                     : arith::AddIOp::create(l.b, x, y).getResult();
}
static Value sub(Lowering &l, Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::SubFOp::create(l.b, x, y).getResult()
                                     : arith::SubIOp::create(l.b, x, y).getResult();
}
static Value mul(Lowering &l, Value x, Value y) { return arith::MulFOp::create(l.b, x, y); }
static Value div(Lowering &l, Value x, Value y) { return arith::DivFOp::create(l.b, x, y); }
static Value abs(Lowering &l, Value x) { return math::AbsFOp::create(l.b, x); }
static Value withSign(Lowering &l, Value x, Value of) {
  return math::CopySignOp::create(l.b, x, of);
}
static Value infinity(Lowering &l, Type type) {
  auto real = cast<FloatType>(type);
  return arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(real, APFloat::getInf(real.getFloatSemantics())));
}
static Value notANumber(Lowering &l, Type type) {
  auto real = cast<FloatType>(type);
  return arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(real, APFloat::getNaN(real.getFloatSemantics())));
}
static Value bitsOf(Lowering &l, Value x) {
  return arith::BitcastOp::create(l.b, l.b.getIntegerType(widthOf(x)), x);
}

/// Converts to the type of the computation, which is at least f32.
static Value widened(Lowering &l, Type type, Value x) {
  return x.getType() == type ? x : arith::ExtFOp::create(l.b, type, x).getResult();
}
static Value narrowed(Lowering &l, Type type, Value x) {
  return x.getType() == type ? x : arith::TruncFOp::create(l.b, type, x).getResult();
}
static Type atLeastF32(Lowering &l, Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? l.b.getF32Type() : type;
}

//===-------------------------------------------------------------------------===//
// Angles in units of pi
//===-------------------------------------------------------------------------===//

namespace {
struct PiAngle {
  Value sin, cos;
};
} // namespace

/// Reduces x exactly to q / 2 + t with |t| <= 1/4. Depending on q mod 4, sine and cosine of pi x
/// are ± sin(pi t) or ± cos(pi t).
static PiAngle ofPi(Lowering &l, Value x) {
  Type type = x.getType();
  Value two = l.real(type, 2), half = l.real(type, 0.5);
  // q is a float, because large x are out of range of every integer. If x exceeds the precision of
  // the type, it is an even integer.
  Value whole = math::RoundEvenOp::create(l.b, mul(l, x, half));
  Value r = sub(l, x, mul(l, whole, two));
  Value q = math::RoundEvenOp::create(l.b, mul(l, r, two));
  Value angle = mul(l, sub(l, r, mul(l, q, half)), l.real(type, std::numbers::pi));
  Value sine = math::SinOp::create(l.b, angle), cosine = math::CosOp::create(l.b, angle);
  Value magnitude = abs(l, q), zero = l.real(type, 0), one = l.real(type, 1);
  Value isOdd = is(l, F::OEQ, magnitude, one), isTurned = is(l, F::OEQ, magnitude, two);
  // The possible values of q are -2, -1, 0, 1 and 2.
  Value sin = select(l, isOdd, mul(l, q, cosine), sine);
  sin = select(l, isTurned, sub(l, zero, sine), sin);
  Value cos = select(l, isOdd, mul(l, q, sub(l, zero, sine)), cosine);
  cos = select(l, isTurned, sub(l, zero, cosine), cos);
  // For infinities and NaN, r is NaN already.
  Value isZero = is(l, F::OEQ, sin, zero);
  return {select(l, isZero, withSign(l, zero, x), sin),
          select(l, is(l, F::OEQ, cos, zero), zero, cos)};
}

Value opencl::sinPi(Lowering &l, Type type, ArrayRef<Value> x) {
  return narrowed(l, type, ofPi(l, widened(l, atLeastF32(l, type), x[0])).sin);
}

Value opencl::cosPi(Lowering &l, Type type, ArrayRef<Value> x) {
  return narrowed(l, type, ofPi(l, widened(l, atLeastF32(l, type), x[0])).cos);
}

Value opencl::tanPi(Lowering &l, Type type, ArrayRef<Value> x) {
  PiAngle angle = ofPi(l, widened(l, atLeastF32(l, type), x[0]));
  return narrowed(l, type, div(l, angle.sin, angle.cos));
}

//===-------------------------------------------------------------------------===//
// Roots and powers
//===-------------------------------------------------------------------------===//

Value opencl::hypot(Lowering &l, Type type, ArrayRef<Value> x) {
  Type wide = type.isF64() ? type : l.b.getF64Type();
  Value a = abs(l, widened(l, wide, x[0])), b = abs(l, widened(l, wide, x[1])), length;
  if (type.isF64()) {
    // Divides by the larger operand, because its square might overflow.
    Value most = arith::MaxNumFOp::create(l.b, a, b), least = arith::MinNumFOp::create(l.b, a, b);
    Value ratio = div(l, least, most);
    Value root = math::SqrtOp::create(l.b, math::FmaOp::create(l.b, ratio, ratio, l.real(wide, 1)));
    length = select(l, is(l, F::OEQ, least, l.real(wide, 0)), most, mul(l, most, root));
  } else {
    length = math::SqrtOp::create(l.b, math::FmaOp::create(l.b, a, a, mul(l, b, b)));
  }
  // If one side is infinite, the length is infinite, even if the other side is NaN. Otherwise, a
  // NaN makes the length NaN.
  Value endless = infinity(l, wide);
  Value isNan = is(l, F::UNO, a, b);
  length = select(l, isNan, notANumber(l, wide), length);
  Value isEndless = arith::OrIOp::create(l.b, is(l, F::OEQ, a, endless), is(l, F::OEQ, b, endless));
  return narrowed(l, type, select(l, isEndless, endless, length));
}

Value opencl::powInteger(Lowering &l, Type, ArrayRef<Value> x) {
  return math::FPowIOp::create(l.b, x[0], x[1]);
}

/// Computes the root of x >= 0 for a degree below 1024, and improves it by a step of Newton's
/// method. For x below 1, both the power and x are scaled up, because small powers would have few
/// digits.
static Value rootInDoubles(Lowering &l, Value x, Value degree) {
  Type type = x.getType();
  Value n = arith::SIToFPOp::create(l.b, type, degree), one = l.integer(1, widthOf(degree));
  Value root = math::PowFOp::create(l.b, x, div(l, l.real(type, 1), n));
  Value less = sub(l, degree, one), half = arith::ShRUIOp::create(l.b, less, one);
  Value isSmall = is(l, F::OLT, x, l.real(type, 1));
  Value up = select(l, isSmall, l.real(type, 0x1p100), l.real(type, 1));
  Value power = mul(l, mul(l, up, math::FPowIOp::create(l.b, root, half)),
                    math::FPowIOp::create(l.b, root, sub(l, less, half)));
  Value step = div(l, sub(l, root, div(l, mul(l, x, up), power)), n);
  Value finite = is(l, F::OLT, abs(l, step), root); // false for zeros and infinities
  return select(l, finite, sub(l, root, step), root);
}

/// Computes exp(y log x). If that formula gives NaN, so does this function, even if pow returns 1.
Value opencl::powPositive(Lowering &l, Type type, ArrayRef<Value> x) {
  Value zero = l.real(type, 0), one = l.real(type, 1), endless = infinity(l, type);
  Value made = math::PowFOp::create(l.b, abs(l, x[0]), x[1]);
  auto either = [&](Value a, Value b) -> Value { return arith::OrIOp::create(l.b, a, b); };
  Value atZero = either(is(l, F::OEQ, x[0], zero), is(l, F::OEQ, x[0], endless));
  Value wrong = either(is(l, F::OLT, x[0], zero), is(l, F::UNO, x[0], x[1]));
  wrong = either(wrong, both(l, is(l, F::OEQ, x[1], zero), atZero));
  Value isEndless = is(l, F::OEQ, abs(l, x[1]), endless);
  wrong = either(wrong, both(l, is(l, F::OEQ, x[0], one), isEndless));
  return select(l, wrong, notANumber(l, type), made);
}

/// Computes the root as a power in double precision, with the rounded exponent 1/n. This is not
/// accurate enough for inputs of f64, unless n is so large that the rounding does not affect the
/// result.
Value opencl::root(Lowering &l, Type type, ArrayRef<Value> x) {
  Type wide = l.b.getF64Type();
  Value a = widened(l, wide, x[0]), magnitude = abs(l, a), zero = l.real(wide, 0);
  Value n = arith::SIToFPOp::create(l.b, wide, x[1]);
  Value made = math::PowFOp::create(l.b, magnitude, div(l, l.real(wide, 1), n));
  if (type.isF64()) {
    // Computes the root for a positive degree, because none of the powers overflows then.
    Value real = abs(l, n), root = rootInDoubles(l, magnitude, math::AbsIOp::create(l.b, x[1]));
    root = select(l, is(l, F::OLT, n, zero), div(l, l.real(wide, 1), root), root);
    made = select(l, is(l, F::OLT, real, l.real(wide, 1024)), root, made);
  }
  Value odd =
      is(l, I::ne, arith::AndIOp::create(l.b, x[1], l.integer(1, widthOf(x[1]))).getResult(),
         l.integer(0, widthOf(x[1])));
  made = select(l, odd, withSign(l, made, a), made);
  Value even = arith::XOrIOp::create(l.b, odd, l.integer(1, 1));
  Value none = is(l, I::eq, x[1], l.integer(0, widthOf(x[1])));
  Value wrong = arith::OrIOp::create(l.b, both(l, even, is(l, F::OLT, a, zero)), none);
  return narrowed(l, type, select(l, wrong, notANumber(l, wide), made));
}

//===-------------------------------------------------------------------------===//
// The parts of a number
//===-------------------------------------------------------------------------===//

namespace {
struct Exponent {
  Value number; // i32: the exponent of x, if x is finite and nonzero
  Value isZero, isFinite;
};
} // namespace

static Exponent exponentOf(Lowering &l, Value x) {
  auto type = cast<FloatType>(x.getType());
  int64_t width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  int64_t bias = (int64_t{1} << (width - fraction - 2)) - 1;
  Value magnitude = bitsOf(l, abs(l, x));
  Value biased = arith::ShRUIOp::create(l.b, magnitude, l.integer(fraction, width));
  Value zeros = math::CountLeadingZerosOp::create(l.b, magnitude);
  // In a subnormal number, the position of the highest set bit gives the exponent.
  Value small = sub(l, l.integer(width - fraction, width), zeros);
  Value zero = l.integer(0, width);
  Value number =
      sub(l, select(l, is(l, I::eq, biased, zero), small, biased), l.integer(bias, width));
  Type word = l.b.getI32Type();
  number = width > 32   ? arith::TruncIOp::create(l.b, word, number).getResult()
           : width < 32 ? arith::ExtSIOp::create(l.b, word, number).getResult()
                        : number;
  Value most = l.integer((int64_t{1} << (width - fraction - 1)) - 1, width);
  return {number, is(l, I::eq, magnitude, zero), is(l, I::ne, biased, most)};
}

/// Computes ilogb. FP_ILOGB0 and FP_ILOGBNAN are the smallest and the largest integer,
/// respectively. The result for infinity is INT_MAX.
Value opencl::ilogb(Lowering &l, Type, ArrayRef<Value> x) {
  Exponent e = exponentOf(l, x[0]);
  Value number = select(l, e.isZero, l.integer(INT32_MIN), e.number);
  return select(l, e.isFinite, number, l.integer(INT32_MAX));
}

Value opencl::logb(Lowering &l, Type type, ArrayRef<Value> x) {
  Exponent e = exponentOf(l, x[0]);
  Value number = arith::SIToFPOp::create(l.b, type, e.number), endless = infinity(l, type);
  number = select(l, e.isZero, arith::NegFOp::create(l.b, endless), number);
  Value square = mul(l, abs(l, x[0]), abs(l, x[0])); // infinity, or NaN
  return select(l, e.isFinite, number, square);
}

template <bool largest> static Value byMagnitude(Lowering &l, ArrayRef<Value> x) {
  Value a = abs(l, x[0]), b = abs(l, x[1]);
  Value other = largest ? arith::MaxNumFOp::create(l.b, x[0], x[1]).getResult()
                        : arith::MinNumFOp::create(l.b, x[0], x[1]).getResult();
  F first = largest ? F::OGT : F::OLT;
  return select(l, is(l, first, a, b), x[0], select(l, is(l, first, b, a), x[1], other));
}

Value opencl::maxMagnitude(Lowering &l, Type, ArrayRef<Value> x) { return byMagnitude<true>(l, x); }
Value opencl::minMagnitude(Lowering &l, Type, ArrayRef<Value> x) {
  return byMagnitude<false>(l, x);
}

/// Returns the next float. As integers, the bits of positive floats grow with their values, and the
/// bits of negative floats shrink.
Value opencl::nextAfter(Lowering &l, Type type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value zero = l.real(type, 0), bits = bitsOf(l, x[0]);
  Value negative = is(l, F::OLT, x[0], zero), up = is(l, F::OLT, x[0], x[1]);
  Value away = arith::XOrIOp::create(l.b, negative, up);
  Value step = select(l, away, l.integer(1, width), l.integer(-1, width));
  Value moved = arith::BitcastOp::create(l.b, type, add(l, bits, step));
  Value smallest = arith::BitcastOp::create(l.b, type, l.integer(1, width));
  moved = select(l, is(l, F::OEQ, x[0], zero), withSign(l, smallest, x[1]), moved);
  moved = select(l, is(l, F::OEQ, x[0], x[1]), x[1], moved);
  return select(l, is(l, F::UNO, x[0], x[1]), notANumber(l, type), moved);
}

//===-------------------------------------------------------------------------===//
// Gamma, by Lanczos' series (g = 607/128, 14 terms). In f64, the relative error of the series is
// 1e-15
//===-------------------------------------------------------------------------===//

namespace {
/// gamma(x) = factor · t^(x + 1/2) · exp(-t).
struct Series {
  Value factor, t;
};
} // namespace

/// Returns the series for x >= 1/2.
static Series lanczos(Lowering &l, Value x) {
  static constexpr double terms[] = {
      57.1562356658629235,     -59.5979603554754912,    14.1360979747417471,
      -0.491913816097620199,   .339946499848118887e-4,  .465236289270485756e-4,
      -.983744753048795646e-4, .158088703224912494e-3,  -.210264441724104883e-3,
      .217439618115212643e-3,  -.164318106536763890e-3, .844182239838527433e-4,
      -.261908384015814087e-4, .368991826595316234e-5};
  Type type = x.getType();
  Value sum = l.real(type, 0.999999999999997092);
  for (auto [i, term] : llvm::enumerate(terms)) {
    Value below = add(l, x, l.real(type, static_cast<double>(i + 1)));
    sum = add(l, sum, div(l, l.real(type, term), below));
  }
  return {div(l, mul(l, sum, l.real(type, 2.5066282746310005)), x),
          add(l, x, l.real(type, 5.2421875))};
}

static Value logarithmOf(Lowering &l, Series series, Value x) {
  Value power = mul(l, add(l, x, l.real(x.getType(), 0.5)), math::LogOp::create(l.b, series.t));
  return add(l, sub(l, power, series.t), math::LogOp::create(l.b, series.factor));
}

namespace {
/// For x below 1/2, this uses the reflection formula gamma(x) gamma(1 - x) sin(pi x) = pi.
struct Gamma {
  Value x; // the argument of the series: x, or 1 - x if x < 1/2
  Series series;
  Value sine, isLow, isNegative, isPole;
  Value isTiny; // gamma(x) is 1 / x for tiny x
};
} // namespace

static Gamma gammaOf(Lowering &l, Value x) {
  Type type = x.getType();
  Value isLow = is(l, F::OLT, x, l.real(type, 0.5)), zero = l.real(type, 0);
  Value mirrored = select(l, isLow, sub(l, l.real(type, 1), x), x), sine = ofPi(l, x).sin;
  return {mirrored,
          lanczos(l, mirrored),
          sine,
          isLow,
          both(l, isLow, is(l, F::OLT, sine, zero)),
          both(l, isLow, is(l, F::OEQ, sine, zero)),
          is(l, F::OLT, abs(l, x), l.real(type, 0x1p-60))};
}

/// Computes t^(x + 1/2) exp(-t). The steps do not overflow unless the product does: they multiply
/// twice by the square root of the power. The rounding errors of t and of 1 - x matter, because the
/// exponent multiplies them.
Value opencl::gamma(Lowering &l, Type type, ArrayRef<Value> x) {
  Type wide = l.b.getF64Type();
  Value a = widened(l, wide, x[0]), zero = l.real(wide, 0), endless = infinity(l, wide);
  Gamma g = gammaOf(l, a);
  Value t = g.series.t, exponent = add(l, g.x, l.real(wide, 0.5));
  Value error = sub(l, g.x, sub(l, t, l.real(wide, 5.2421875)));
  Value corrected = math::FmaOp::create(l.b, div(l, mul(l, error, exponent), t), g.series.factor,
                                        g.series.factor);
  corrected = sub(l, corrected, mul(l, error, g.series.factor));
  Value mirrorError = sub(l, sub(l, l.real(wide, 1), g.x), a); // the error of 1 - x
  Value slope = sub(l, math::LogOp::create(l.b, g.x), div(l, l.real(wide, 0.5), g.x));
  Value mirrored = math::FmaOp::create(l.b, mul(l, mirrorError, slope), corrected, corrected);
  Value root = math::PowFOp::create(l.b, t, mul(l, exponent, l.real(wide, 0.5)));
  Value decay = math::ExpOp::create(l.b, arith::NegFOp::create(l.b, t));
  Value direct = mul(l, mul(l, mul(l, root, decay), corrected), root);
  Value reflected = div(l, l.real(wide, std::numbers::pi), mul(l, g.sine, mirrored));
  reflected = div(l, div(l, div(l, reflected, root), decay), root);
  Value made = select(l, g.isLow, reflected, direct);
  made = select(l, g.isTiny, div(l, l.real(wide, 1), a), made);
  // If even the square root of the power overflows, the result is a zero with the right sign.
  Value none = select(l, g.isNegative, l.real(wide, -0.0), zero);
  made = select(l, is(l, F::OLT, a, l.real(wide, -190)), none, made);
  Value pole = select(l, is(l, F::OEQ, a, zero), withSign(l, endless, a), notANumber(l, wide));
  made = select(l, g.isPole, pole, made);
  made = select(l, is(l, F::OGT, a, l.real(wide, 180)), endless, made);
  made = select(l, is(l, F::UNO, a, a), a, made);
  made =
      select(l, is(l, F::OEQ, a, arith::NegFOp::create(l.b, endless)), notANumber(l, wide), made);
  return narrowed(l, type, made);
}

static Value logarithm(Lowering &l, Type type, Value x, Gamma &g) {
  Type wide = l.b.getF64Type();
  Value a = widened(l, wide, x), endless = infinity(l, wide);
  g = gammaOf(l, a);
  Value direct = logarithmOf(l, g.series, g.x);
  Value mirror = math::LogOp::create(l.b, div(l, l.real(wide, std::numbers::pi), abs(l, g.sine)));
  Value made = select(l, g.isLow, sub(l, mirror, direct), direct);
  Value ofTiny = arith::NegFOp::create(l.b, math::LogOp::create(l.b, abs(l, a)));
  made = select(l, g.isTiny, ofTiny, made);
  made = select(l, g.isPole, endless, made);
  made = select(l, is(l, F::OEQ, abs(l, a), endless), endless, made);
  return narrowed(l, type, made);
}

Value opencl::logGamma(Lowering &l, Type type, ArrayRef<Value> x) {
  Gamma g;
  return logarithm(l, type, x[0], g);
}

/// Stores the sign of gamma through the pointer. The sign is 0 if gamma has none.
LogicalResult opencl::logGammaSign(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(1));
  if (failed(pointer))
    return failure();
  Scalars results, signs;
  for (Value x : l.get(op->getOperand(0))) {
    Gamma g;
    results.push_back(logarithm(l, x.getType(), x, g));
    Value sign = select(l, g.isNegative, l.integer(-1), l.integer(1));
    signs.push_back(select(l, g.isPole, l.integer(0), sign));
  }
  return failed(l.store(*pointer, signs)) ? failure() : l.finish(op, results);
}
