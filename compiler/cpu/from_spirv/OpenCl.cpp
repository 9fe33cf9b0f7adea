//===- OpenCl.cpp - OpenCL.std ----------------------------------------------===//
// If GLSL.std.450 has the same instruction under another name, the table has an alias. All other
// instructions are in this file, or in the files that OpenCl.h names.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static unsigned widthOf(Value x) { return x.getType().getIntOrFloatBitWidth(); }
static Value select(Lowering &l, Value condition, Value yes, Value no) {
  return arith::SelectOp::create(l.b, condition, yes, no);
}
static Value compare(Lowering &l, arith::CmpIPredicate how, Value x, Value y) {
  return arith::CmpIOp::create(l.b, how, x, y);
}
using I = arith::CmpIPredicate;

template <typename Op> static Value apply1(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0]);
}
template <typename Op> static Value apply2(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0], x[1]);
}

//===-------------------------------------------------------------------------===//
// Floats
//===-------------------------------------------------------------------------===//

template <typename Op> static Value overPi(Lowering &l, Type type, ArrayRef<Value> x) {
  Value angle;
  if constexpr (std::is_same_v<Op, math::Atan2Op>)
    angle = Op::create(l.b, x[0], x[1]);
  else
    angle = Op::create(l.b, x[0]);
  return arith::MulFOp::create(l.b, angle, l.real(type, std::numbers::inv_pi));
}

static Value exp10(Lowering &l, Type type, ArrayRef<Value> x) {
  return math::PowFOp::create(l.b, l.real(type, 10), x[0]);
}

static Value reciprocal(Lowering &l, Type type, ArrayRef<Value> x) {
  return arith::DivFOp::create(l.b, l.real(type, 1), x[0]);
}

/// Computes max(x - y, 0), or NaN if an operand is NaN.
static Value positiveDifference(Lowering &l, Type type, ArrayRef<Value> x) {
  Value below = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLE, x[0], x[1]);
  return select(l, below, l.real(type, 0), arith::SubFOp::create(l.b, x[0], x[1]));
}

/// Computes the sign of a float. Here the sign of NaN is 0.
static Value sign(Lowering &l, Type type, ArrayRef<Value> x) {
  Value zero = l.real(type, 0), one = l.real(type, 1);
  auto is = [&](arith::CmpFPredicate how) -> Value {
    return arith::CmpFOp::create(l.b, how, x[0], zero);
  };
  Value signedOne = math::CopySignOp::create(l.b, one, x[0]);
  Value rest = select(l, is(arith::CmpFPredicate::OEQ), x[0], zero);
  return select(l, is(arith::CmpFPredicate::ONE), signedOne, rest);
}

/// Computes the sine. The cosine is stored through the pointer.
static LogicalResult sinCos(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(1));
  if (failed(pointer))
    return failure();
  Scalars sines, cosines;
  for (Value x : l.get(op->getOperand(0))) {
    sines.push_back(math::SinOp::create(l.b, x));
    cosines.push_back(math::CosOp::create(l.b, x));
  }
  return failed(l.store(*pointer, cosines)) ? failure() : l.finish(op, sines);
}

//===-------------------------------------------------------------------------===//
// Integers
//===-------------------------------------------------------------------------===//

/// Adds or subtracts with saturation. An addition overflowed if and only if the sign of the sum
/// differs from the sign of both operands. The sign of the wrong sum selects the bound.
template <bool subtract> static Value saturateSigned(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value zero = l.integer(0, width), top = l.integer(width - 1, width);
  Value result = subtract ? arith::SubIOp::create(l.b, x[0], x[1]).getResult()
                          : arith::AddIOp::create(l.b, x[0], x[1]).getResult();
  Value other =
      subtract ? arith::XOrIOp::create(l.b, x[1], l.integer(-1, width)).getResult() : x[1];
  Value changed = arith::AndIOp::create(l.b, arith::XOrIOp::create(l.b, result, x[0]).getResult(),
                                        arith::XOrIOp::create(l.b, result, other).getResult());
  Value most = l.integer(APInt::getSignedMaxValue(width).getSExtValue(), width);
  Value end = arith::XOrIOp::create(l.b, arith::ShRSIOp::create(l.b, x[0], top), most);
  return select(l, compare(l, I::slt, changed, zero), end, result);
}

static Value addUnsigned(Lowering &l, Type, ArrayRef<Value> x) {
  Value sum = arith::AddIOp::create(l.b, x[0], x[1]);
  return select(l, compare(l, I::ult, sum, x[0]), l.integer(-1, widthOf(sum)), sum);
}

static Value subtractUnsigned(Lowering &l, Type, ArrayRef<Value> x) {
  Value larger = arith::MaxUIOp::create(l.b, x[0], x[1]);
  return arith::SubIOp::create(l.b, larger, x[1]);
}

/// Computes the average. Rounded down, it is (x & y) + ((x ^ y) >> 1); rounded up, (x | y) - ((x ^
/// y) >> 1).
template <bool isSigned, bool up> static Value average(Lowering &l, Type, ArrayRef<Value> x) {
  Value odd = arith::XOrIOp::create(l.b, x[0], x[1]), one = l.integer(1, widthOf(odd));
  Value half = isSigned ? arith::ShRSIOp::create(l.b, odd, one).getResult()
                        : arith::ShRUIOp::create(l.b, odd, one).getResult();
  if (up)
    return arith::SubIOp::create(l.b, arith::OrIOp::create(l.b, x[0], x[1]), half);
  return arith::AddIOp::create(l.b, arith::AndIOp::create(l.b, x[0], x[1]), half);
}

template <bool isSigned> static Value difference(Lowering &l, Type, ArrayRef<Value> x) {
  Value less = compare(l, isSigned ? I::slt : I::ult, x[0], x[1]);
  return select(l, less, arith::SubIOp::create(l.b, x[1], x[0]),
                arith::SubIOp::create(l.b, x[0], x[1]));
}

static Value mulAdd(Lowering &l, Type, ArrayRef<Value> x) {
  Value product = arith::MulIOp::create(l.b, x[0], x[1]);
  return x.size() == 2 ? product : arith::AddIOp::create(l.b, product, x[2]).getResult();
}

template <bool isSigned> static Value mulHighAdd(Lowering &l, Type, ArrayRef<Value> x) {
  Value high = mulHigh(l, x[0], x[1], isSigned);
  return x.size() == 2 ? high : arith::AddIOp::create(l.b, high, x[2]).getResult();
}

/// Computes x y + z as two halves of a number of twice the width, and clamps it.
template <bool isSigned> static Value mulAddSaturated(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value low = arith::MulIOp::create(l.b, x[0], x[1]), high = mulHigh(l, x[0], x[1], isSigned);
  Value sum = arith::AddIOp::create(l.b, low, x[2]);
  Value carries = compare(l, I::ult, sum, low);
  Value top = l.integer(width - 1, width), zero = l.integer(0, width);
  Value carry = arith::ExtUIOp::create(l.b, sum.getType(), carries);
  Value upper = arith::AddIOp::create(l.b, high, carry);
  if (!isSigned)
    return select(l, compare(l, I::ne, upper, zero), l.integer(-1, width), sum);
  upper = arith::AddIOp::create(l.b, upper, arith::ShRSIOp::create(l.b, x[2], top).getResult());
  Value most = l.integer(APInt::getSignedMaxValue(width).getSExtValue(), width);
  Value end = arith::XOrIOp::create(l.b, arith::ShRSIOp::create(l.b, upper, top), most);
  Value fits = compare(l, I::eq, upper, arith::ShRSIOp::create(l.b, sum, top));
  return select(l, fits, sum, end);
}

/// Returns a NaN whose payload is the low bits of the operand.
static Value nan(Lowering &l, Type type, ArrayRef<Value> x) {
  auto real = cast<FloatType>(type);
  unsigned width = widthOf(x[0]), fraction = real.getFPMantissaWidth() - 1;
  APInt quiet = APFloat::getQNaN(real.getFloatSemantics()).bitcastToAPInt();
  Value payload =
      arith::AndIOp::create(l.b, x[0], l.integer((int64_t{1} << (fraction - 1)) - 1, width));
  Value bits = arith::OrIOp::create(l.b, payload,
                                    l.integer(static_cast<int64_t>(quiet.getZExtValue()), width));
  return arith::BitcastOp::create(l.b, type, bits);
}

/// Returns x - floor(x), which is less than 1, and stores floor(x) through the pointer. For
/// infinities and zeros, returns a zero with the sign of x.
static LogicalResult fract(Lowering &l, Operation *op) {
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(1));
  if (failed(pointer))
    return failure();
  Scalars fractions, floors;
  for (Value x : l.get(op->getOperand(0))) {
    auto real = cast<FloatType>(x.getType());
    APFloat below(real.getFloatSemantics(), 1);
    (void)below.next(/*nextDown=*/true);
    Value most = arith::ConstantOp::create(l.b, l.b.getFloatAttr(real, below));
    floors.push_back(math::FloorOp::create(l.b, x));
    Value rest = arith::SubFOp::create(l.b, x, floors.back());
    Value over = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGT, rest, most);
    Value twice = arith::AddFOp::create(l.b, x, x);
    Value hasNone = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OEQ, x, twice);
    Value zero = math::CopySignOp::create(l.b, l.real(real, 0), x);
    fractions.push_back(select(l, hasNone, zero, select(l, over, most, rest)));
  }
  return failed(l.store(*pointer, floors)) ? failure() : l.finish(op, fractions);
}

static LogicalResult ignore(Lowering &, Operation *) { return success(); }

static Value same(Lowering &, Type, ArrayRef<Value> x) { return x[0]; }

static Value rotate(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value mask = l.integer(width - 1, width), up = arith::AndIOp::create(l.b, x[1], mask);
  Value negative = arith::SubIOp::create(l.b, l.integer(0, width), up);
  Value down = arith::AndIOp::create(l.b, negative, mask);
  return arith::OrIOp::create(l.b, arith::ShLIOp::create(l.b, x[0], up),
                              arith::ShRUIOp::create(l.b, x[0], down));
}

static Value upsample(Lowering &l, Type type, ArrayRef<Value> x) {
  Value high = arith::ExtUIOp::create(l.b, type, x[0]),
        low = arith::ExtUIOp::create(l.b, type, x[1]);
  Value by = l.integer(widthOf(x[0]), widthOf(high));
  return arith::OrIOp::create(l.b, arith::ShLIOp::create(l.b, high, by), low);
}

//===-------------------------------------------------------------------------===//
// Choices
//===-------------------------------------------------------------------------===//

static Value bitsOf(Lowering &l, Value x) {
  if (isa<IntegerType>(x.getType()))
    return x;
  return arith::BitcastOp::create(l.b, l.b.getIntegerType(widthOf(x)), x);
}

/// Takes a bit from y if the third operand has a one at its position, and from x otherwise.
static Value bitSelect(Lowering &l, Type type, ArrayRef<Value> x) {
  Value a = bitsOf(l, x[0]), mask = bitsOf(l, x[2]);
  Value differ = arith::XOrIOp::create(l.b, a, bitsOf(l, x[1]));
  Value bits = arith::XOrIOp::create(l.b, a, arith::AndIOp::create(l.b, differ, mask).getResult());
  return isa<IntegerType>(type) ? bits : arith::BitcastOp::create(l.b, type, bits).getResult();
}

/// Lowers `select`. A scalar condition is true if it is nonzero. A component of a vector condition
/// is true if its highest bit is set.
static LogicalResult lowerSelect(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0)), y = l.get(op->getOperand(1)), results;
  bool isVector = x.size() > 1;
  for (auto [a, b, by] : llvm::zip(x, y, l.get(op->getOperand(2)))) {
    Value zero = l.integer(0, widthOf(by));
    results.push_back(select(l, compare(l, isVector ? I::slt : I::ne, by, zero), b, a));
  }
  return l.finish(op, results);
}

/// Lowers shuffles. The operands are the vectors, followed by the mask. Each mask element is the
/// number of a component. Bits that no such number needs are ignored.
static LogicalResult lowerShuffle(Lowering &l, Operation *op) {
  Scalars all, results;
  for (Value operand : op->getOperands().drop_back())
    llvm::append_range(all, l.get(operand));
  for (Value index : l.get(op->getOperands().back())) {
    Value mask = l.integer(static_cast<int64_t>(all.size()) - 1, widthOf(index));
    results.push_back(l.pick(all, arith::AndIOp::create(l.b, index, mask)));
  }
  return l.finish(op, results);
}

static constexpr Rule rulesOfOpenCl[] = {
    {"OpenCL.std/acospi", overPi<math::AcosOp>},
    {"OpenCL.std/asinpi", overPi<math::AsinOp>},
    {"OpenCL.std/atan2pi", overPi<math::Atan2Op>},
    {"OpenCL.std/atanpi", overPi<math::AtanOp>},
    {"OpenCL.std/bitselect", bitSelect},
    {"OpenCL.std/cbrt", apply1<math::CbrtOp>},
    {"OpenCL.std/clz", apply1<math::CountLeadingZerosOp>},
    {"OpenCL.std/copysign", apply2<math::CopySignOp>},
    {"OpenCL.std/cospi", opencl::cosPi},
    {"OpenCL.std/ctz", apply1<math::CountTrailingZerosOp>},
    {"OpenCL.std/distance", opencl::distance},
    {"OpenCL.std/erf", apply1<math::ErfOp>},
    {"OpenCL.std/erfc", apply1<math::ErfcOp>},
    {"OpenCL.std/exp10", exp10},
    {"OpenCL.std/expm1", apply1<math::ExpM1Op>},
    {"OpenCL.std/fdim", positiveDifference},
    {"OpenCL.std/fmod", opencl::fmod},
    {"OpenCL.std/fract", fract},
    {"OpenCL.std/half_recip", reciprocal},
    {"OpenCL.std/hypot", opencl::hypot},
    {"OpenCL.std/ilogb", opencl::ilogb},
    {"OpenCL.std/length", opencl::length},
    {"OpenCL.std/lgamma", opencl::logGamma},
    {"OpenCL.std/lgamma_r", opencl::logGammaSign},
    {"OpenCL.std/log10", apply1<math::Log10Op>},
    {"OpenCL.std/log1p", apply1<math::Log1pOp>},
    {"OpenCL.std/logb", opencl::logb},
    {"OpenCL.std/maxmag", opencl::maxMagnitude},
    {"OpenCL.std/minmag", opencl::minMagnitude},
    {"OpenCL.std/nan", nan},
    {"OpenCL.std/nextafter", opencl::nextAfter},
    {"OpenCL.std/normalize", opencl::normalize},
    {"OpenCL.std/pown", opencl::powInteger},
    {"OpenCL.std/powr", opencl::powPositive},
    {"OpenCL.std/prefetch", ignore},
    {"OpenCL.std/remainder", opencl::remainder},
    {"OpenCL.std/remquo", opencl::remquo},
    {"OpenCL.std/rootn", opencl::root},
    {"OpenCL.std/rotate", rotate},
    {"OpenCL.std/round", apply1<math::RoundOp>},
    {"OpenCL.std/s_abs_diff", difference<true>},
    {"OpenCL.std/s_add_sat", saturateSigned<false>},
    {"OpenCL.std/s_hadd", average<true, false>},
    {"OpenCL.std/s_mad24", mulAdd},
    {"OpenCL.std/s_mad_hi", mulHighAdd<true>},
    {"OpenCL.std/s_mad_sat", mulAddSaturated<true>},
    {"OpenCL.std/s_rhadd", average<true, true>},
    {"OpenCL.std/s_sub_sat", saturateSigned<true>},
    {"OpenCL.std/s_upsample", upsample},
    {"OpenCL.std/select", lowerSelect},
    {"OpenCL.std/shuffle", lowerShuffle},
    {"OpenCL.std/sign", sign},
    {"OpenCL.std/sincos", sinCos},
    {"OpenCL.std/sinpi", opencl::sinPi},
    {"OpenCL.std/tanpi", opencl::tanPi},
    {"OpenCL.std/tgamma", opencl::gamma},
    {"OpenCL.std/u_abs", same},
    {"OpenCL.std/u_abs_diff", difference<false>},
    {"OpenCL.std/u_add_sat", addUnsigned},
    {"OpenCL.std/u_hadd", average<false, false>},
    {"OpenCL.std/u_mad_hi", mulHighAdd<false>},
    {"OpenCL.std/u_mad_sat", mulAddSaturated<false>},
    {"OpenCL.std/u_rhadd", average<false, true>},
    {"OpenCL.std/u_sub_sat", subtractUnsigned},
    {"OpenCL.std/vload_half", opencl::loadHalf},
    {"OpenCL.std/vload_halfn", opencl::loadHalf},
    {"OpenCL.std/vloada_halfn", opencl::loadHalf},
    {"OpenCL.std/vloadn", opencl::loadVector},
    {"OpenCL.std/vstore_half", opencl::storeHalf},
    {"OpenCL.std/vstore_half_r", opencl::storeHalf},
    {"OpenCL.std/vstore_halfn", opencl::storeHalf},
    {"OpenCL.std/vstore_halfn_r", opencl::storeHalf},
    {"OpenCL.std/vstorea_halfn", opencl::storeHalf},
    {"OpenCL.std/vstorea_halfn_r", opencl::storeHalf},
    {"OpenCL.std/vstoren", opencl::storeVector},
};

ArrayRef<Rule> pumice::cpu::openClRules() { return rulesOfOpenCl; }

#define SAME(NAME, GLSL) {"OpenCL.std/" NAME, "GLSL.std.450/" GLSL}
static constexpr Alias aliases[] = {
    SAME("acos", "Acos"),
    SAME("acosh", "Acosh"),
    SAME("asin", "Asin"),
    SAME("asinh", "Asinh"),
    SAME("atan", "Atan"),
    SAME("atan2", "Atan2"),
    SAME("atanh", "Atanh"),
    SAME("ceil", "Ceil"),
    SAME("cos", "Cos"),
    SAME("cosh", "Cosh"),
    SAME("cross", "Cross"),
    SAME("degrees", "Degrees"),
    SAME("exp", "Exp"),
    SAME("exp2", "Exp2"),
    SAME("fabs", "FAbs"),
    SAME("fast_distance", "Distance"),
    SAME("fast_length", "Length"),
    SAME("fclamp", "NClamp"),
    SAME("floor", "Floor"),
    SAME("fma", "Fma"),
    SAME("fmax", "NMax"),
    SAME("fmax_common", "FMax"),
    SAME("fmin", "NMin"),
    SAME("fmin_common", "FMin"),
    SAME("frexp", "Frexp"),
    SAME("half_cos", "Cos"),
    SAME("half_exp", "Exp"),
    SAME("half_exp2", "Exp2"),
    SAME("half_log", "Log"),
    SAME("half_log2", "Log2"),
    SAME("half_rsqrt", "InverseSqrt"),
    SAME("half_sin", "Sin"),
    SAME("half_sqrt", "Sqrt"),
    SAME("half_tan", "Tan"),
    SAME("ldexp", "Ldexp"),
    SAME("log", "Log"),
    SAME("log2", "Log2"),
    SAME("mad", "Fma"),
    SAME("mix", "FMix"),
    SAME("modf", "Modf"),
    SAME("native_cos", "Cos"),
    SAME("native_exp", "Exp"),
    SAME("native_exp2", "Exp2"),
    SAME("native_log", "Log"),
    SAME("native_log2", "Log2"),
    SAME("native_rsqrt", "InverseSqrt"),
    SAME("native_sin", "Sin"),
    SAME("native_sqrt", "Sqrt"),
    SAME("native_tan", "Tan"),
    SAME("pow", "Pow"),
    SAME("radians", "Radians"),
    SAME("rint", "RoundEven"),
    SAME("rsqrt", "InverseSqrt"),
    SAME("s_abs", "SAbs"),
    SAME("s_clamp", "SClamp"),
    SAME("s_max", "SMax"),
    SAME("s_min", "SMin"),
    SAME("sin", "Sin"),
    SAME("sinh", "Sinh"),
    SAME("smoothstep", "SmoothStep"),
    SAME("sqrt", "Sqrt"),
    SAME("step", "Step"),
    SAME("tan", "Tan"),
    SAME("tanh", "Tanh"),
    SAME("trunc", "Trunc"),
    SAME("u_clamp", "UClamp"),
    SAME("u_max", "UMax"),
    SAME("u_min", "UMin"),
    {"OpenCL.std/fast_normalize", "OpenCL.std/normalize"},
    {"OpenCL.std/half_divide", "FDiv"},
    {"OpenCL.std/half_exp10", "OpenCL.std/exp10"},
    {"OpenCL.std/half_log10", "OpenCL.std/log10"},
    {"OpenCL.std/half_powr", "OpenCL.std/powr"},
    {"OpenCL.std/native_divide", "FDiv"},
    {"OpenCL.std/native_exp10", "OpenCL.std/exp10"},
    {"OpenCL.std/native_log10", "OpenCL.std/log10"},
    {"OpenCL.std/native_powr", "OpenCL.std/powr"},
    {"OpenCL.std/native_recip", "OpenCL.std/half_recip"},
    {"OpenCL.std/popcount", "BitCount"},
    {"OpenCL.std/s_mul24", "OpenCL.std/s_mad24"},
    {"OpenCL.std/s_mul_hi", "OpenCL.std/s_mad_hi"},
    {"OpenCL.std/shuffle2", "OpenCL.std/shuffle"},
    {"OpenCL.std/u_mad24", "OpenCL.std/s_mad24"},
    {"OpenCL.std/u_mul24", "OpenCL.std/s_mad24"},
    {"OpenCL.std/u_mul_hi", "OpenCL.std/u_mad_hi"},
    {"OpenCL.std/u_upsample", "OpenCL.std/s_upsample"},
};
#undef SAME

ArrayRef<Alias> pumice::cpu::openClAliases() { return aliases; }
