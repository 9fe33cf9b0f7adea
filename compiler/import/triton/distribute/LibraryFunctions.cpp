//===- LibraryFunctions.cpp - functions of a device library as arith and math ===//
//   before: tt.extern_elementwise %x {symbol = "__nv_hypotf"} …
//   after:  arith and math operations that compute the function's formula
// The table is at the end. Names that end in "f" are functions of f32, and others are functions of
// f64. Both types use one formula.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/LibraryFunctions.h"

#include "compiler/import/triton/distribute/LibraryCode.h"
#include "compiler/import/triton/distribute/LibraryRounding.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute;
using namespace pumice::triton::distribute::library;

using Numbers = ArrayRef<Number>;
/// Computes a function. `result` is the type of its result, which determines the type of integers
/// that floats are converted to.
using Formula = Number (*)(Numbers v, Type result);

//===-------------------------------------------------------------------------===//
// Floats
//===-------------------------------------------------------------------------===//

template <typename Op> static Number unary(Numbers v, Type) { return v[0].apply<Op>(); }
template <typename Op> static Number binary(Numbers v, Type) { return v[0].apply<Op>(v[1]); }

namespace {
/// The norm is largest · sqrt(sum). `sum` is the sum of the squares of the numbers divided by
/// `largest`, so it cannot overflow.
struct Norm {
  Number largest, sum;
};
} // namespace

static Norm normOf(Numbers v) {
  Number largest = v[0].abs();
  for (Number x : v.drop_front())
    largest = largest.apply<arith::MaxNumFOp>(x.abs()); // infinity takes precedence over NaN
  Number unit = (largest == 0.0).choose(largest.number(1), largest);
  Number sum = largest.number(0);
  for (Number x : v) {
    Number part = x / unit;
    sum = fma(part, part, sum);
  }
  Number one = sum.number(1); // instead of NaN for infinity / infinity
  return {unit, unit.apply<math::IsInfOp>().choose(one, sum)};
}

static Number norm(Numbers v, Type) {
  auto [largest, sum] = normOf(v);
  return largest * sum.apply<math::SqrtOp>();
}
static Number reciprocalNorm(Numbers v, Type) {
  auto [largest, sum] = normOf(v);
  return 1.0 / sum.apply<math::SqrtOp>() / largest;
}

static Number remainderOf(Numbers v, Type) {
  Number y = v[1].abs(), x = v[0].abs().apply<arith::RemFOp>(y + y);
  Number once = (x + x > y).choose(x - y, x);
  Number twice = (x + x > y).choose((once + once >= y).choose(once - y, once), once);
  Number isNegative = v[0].bitsOf() < 0.0;
  return isNegative.choose(-twice, twice);
}

static Number nextAfter(Numbers v, Type) {
  Number x = v[0], y = v[1], bits = x.bitsOf();
  Number away = (x < y).apply<arith::XOrIOp>(bits < 0.0);
  Number next = away.choose(bits + 1.0, bits - 1.0).asFloat(x.type());
  Number least = bits.number(1).asFloat(x.type());
  Number fromZero = (y > 0.0).choose(least, -least);
  Number result = (x == y).choose(y, (x == 0.0).choose(fromZero, next));
  return (isNan(x) | isNan(y)).choose(x + y, result);
}

static Number positiveDifference(Numbers v, Type) {
  Number x = v[0], y = v[1], none = (isNan(x) | isNan(y)).choose(x + y, x.number(0));
  return (x > y).choose(x - y, none);
}

/// Returns the exponent of a float's leading bit, as an integer of the float's width.
static Number exponentOf(Number x) {
  bool isDouble = x.isDouble();
  int64_t mantissa = isDouble ? 52 : 23, bias = isDouble ? 1023 : 127;
  Number isSmall = x.abs() < (isDouble ? 0x1p-1022 : 0x1p-126);
  Number scaled = isSmall.choose(x * x.number(isDouble ? 0x1p54 : 0x1p24), x);
  Number field = (scaled.bitsOf() >> mantissa) & (2 * bias + 1);
  return field - isSmall.choose(field.number(bias + (isDouble ? 54 : 24)), field.number(bias));
}

static Number logB(Numbers v, Type) {
  Number x = v[0], exponent = exponentOf(x).to<arith::SIToFPOp>(x.type());
  exponent = x.apply<math::IsFiniteOp>().choose(exponent, x * x);
  return (x == 0.0).choose(x.number(-std::numeric_limits<double>::infinity()), exponent);
}

static Number integerLogB(Numbers v, Type result) {
  Number x = v[0], exponent = exponentOf(x);
  if (x.isDouble())
    exponent = exponent.to<arith::TruncIOp>(result);
  Number least = exponent.number(std::numeric_limits<int32_t>::min());
  exponent = (x == 0.0).choose(least, exponent);
  exponent = isNan(x).choose(least, exponent);
  return x.apply<math::IsInfOp>().choose(exponent.number(std::numeric_limits<int32_t>::max()),
                                         exponent);
}

static Number scaleBy(Numbers v, Type) { return scaleByPower(v[0], v[1]); }

static Number exp10(Numbers v, Type) { return v[0].number(10).apply<math::PowFOp>(v[0]); }
static Number reciprocal(Numbers v, Type) { return 1.0 / v[0]; }
static Number reciprocalRoot(Numbers v, Type) { return v[0].apply<math::RsqrtOp>(); }
static Number reciprocalCubeRoot(Numbers v, Type) { return 1.0 / v[0].apply<math::CbrtOp>(); }
static Number normalQuantile(Numbers v, Type) {
  return 0.0 - inverseErfc(v[0] * 2.0) * std::numbers::sqrt2;
}
static Number saturate(Numbers v, Type) {
  return v[0].apply<arith::MaxNumFOp>(v[0].number(0)).apply<arith::MinNumFOp>(v[0].number(1));
}
static Number multiplyAdd(Numbers v, Type) { return fma(v[0], v[1], v[2]); }
static Number power(Numbers v, Type) {
  return v[1].isFloat() ? v[0].apply<math::PowFOp>(v[1]) : v[0].apply<math::FPowIOp>(v[1]);
}
static Number absolute(Numbers v, Type) { return v[0].abs(); }
template <Number (*f)(Number)> static Number special(Numbers v, Type) { return f(v[0]); }
template <Number (*f)(Number, int), int order> static Number bessel(Numbers v, Type) {
  return f(v[0], order);
}

template <Number (*f)(Number, Number)> static Number ofOrder(Numbers v, Type) {
  return f(v[0], v[1]);
}

//===-------------------------------------------------------------------------===//
// Predicates, bits, integers
//===-------------------------------------------------------------------------===//

/// Returns a truth value as the integer type that Triton's front end expects.
static Number answer(Number yes, Type result) {
  return getElementTypeOrSelf(result).isInteger(1) ? yes : yes.to<arith::ExtUIOp>(result);
}
template <typename Op> static Number test(Numbers v, Type result) {
  return answer(v[0].apply<Op>(), result);
}
static Number isNegative(Numbers v, Type result) { return answer(v[0].bitsOf() < 0.0, result); }

static Number sameBits(Numbers v, Type result) { return v[0].to<arith::BitcastOp>(result); }

/// Converts an unsigned integer to another width. If it becomes narrower, the low bits remain.
static Number resized(Number x, Type result) {
  unsigned bits = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
  return bits < x.bits()   ? x.to<arith::TruncIOp>(result)
         : bits > x.bits() ? x.to<arith::ExtUIOp>(result)
                           : x;
}
template <typename Op> static Number count(Numbers v, Type result) {
  return resized(v[0].apply<Op>(), result);
}
static Number firstSet(Numbers v, Type result) {
  Number x = v[0], place = x.apply<math::CountTrailingZerosOp>() + 1.0;
  return resized((x == 0.0).choose(x.number(0), place), result);
}

static Number reversed(Numbers v, Type) {
  Number x = v[0];
  for (int64_t width = 1; width < x.bits(); width *= 2) {
    uint64_t mask = 0; // selects the lower group of each pair
    for (unsigned bit = 0; bit < x.bits(); ++bit)
      mask |= uint64_t(!(bit / static_cast<unsigned>(width) & 1)) << bit;
    Value attr = arith::ConstantOp::create(
        *x.b, isa<RankedTensorType>(x.type())
                  ? TypedAttr(DenseElementsAttr::get(
                        cast<RankedTensorType>(x.type()),
                        Attribute(IntegerAttr::get(x.element(), APInt(x.bits(), mask)))))
                  : TypedAttr(IntegerAttr::get(x.element(), APInt(x.bits(), mask))));
    Number low{x.b, attr};
    x = ((x & low) << width) | ((x >> width) & low);
  }
  return x;
}

static Number upperHalf(Numbers v, Type) {
  return {v[0].b, arith::MulSIExtendedOp::create(*v[0].b, v[0].value, v[1].value).getHigh()};
}
static Number upperHalfUnsigned(Numbers v, Type) {
  return {v[0].b, arith::MulUIExtendedOp::create(*v[0].b, v[0].value, v[1].value).getHigh()};
}
template <typename Shift> static Number product24(Numbers v, Type) {
  Number eight = v[0].number(8);
  return (v[0] << 8).apply<Shift>(eight) * (v[1] << 8).apply<Shift>(eight);
}
template <typename Max, typename Min> static Number sumOfDifference(Numbers v, Type) {
  return v[0].apply<Max>(v[1]) - v[0].apply<Min>(v[1]) + v[2];
}
template <typename Shift> static Number mean(Numbers v, Type) {
  return (v[0] & v[1]) + (v[0] ^ v[1]).apply<Shift>(v[0].number(1));
}
template <typename Shift> static Number meanUpwards(Numbers v, Type) {
  return (v[0] | v[1]) - (v[0] ^ v[1]).apply<Shift>(v[0].number(1));
}

static Number permuteBytes(Numbers v, Type) {
  Number result = v[0].number(0);
  for (int64_t i = 0; i < 4; ++i) {
    Number which = (v[2] >> (4 * i)) & 7;
    Number word = (which < 4.0).choose(v[0], v[1]);
    Number byte = word.apply<arith::ShRUIOp>((which & 3) << 3) & 255;
    result = result | (byte << (8 * i));
  }
  return result;
}

static Number lowWord(Numbers v, Type result) { return resized(v[0].bitsOf(), result); }
static Number highWord(Numbers v, Type result) { return resized(v[0].bitsOf() >> 32, result); }
/// Returns the upper word of a number's reciprocal, given the upper word of the number.
static Number inverseOfHighWord(Numbers v, Type) {
  auto upper = [](Number x) { return ((x.bitsOf() >> 32) << 32).asFloat(x.type()); };
  return upper(1.0 / upper(v[0]));
}
static Number ofWords(Numbers v, Type result) {
  Number high = v[0].to<arith::ExtUIOp>(v[0].integers(64)),
         low = v[1].to<arith::ExtUIOp>(v[1].integers(64));
  return ((high << 32) | low).asFloat(result);
}

//===-------------------------------------------------------------------------===//
// Conversions: float2int_rn and the like
//===-------------------------------------------------------------------------===//

/// Converts as the PTX instruction of this name does. A number that is out of range becomes the
/// limit of the type. NaN becomes 0 in conversions from f32 to 32 bits. In others, it becomes the
/// number in which only the highest bit is set.
template <typename Round, bool isSigned> static Number toInteger(Numbers v, Type result) {
  Number x = v[0].apply<Round>();
  unsigned bits = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
  double end = std::ldexp(1, isSigned ? bits - 1 : bits);
  Number isLow = x < (isSigned ? -end : 0.0),
         isInside = (x < end) & (x >= x.number(isSigned ? -end : 0));
  Number inside = isInside.choose(x, x.number(0));
  Number whole = isSigned ? inside.to<arith::FPToSIOp>(result) : inside.to<arith::FPToUIOp>(result);
  Number none = whole.number(0), highest = whole.number(1) << (bits - 1);
  Number least = isSigned ? highest : none, most = least - 1.0;
  Number ofNan = v[0].isDouble() || bits == 64 ? highest : none;
  Number limit = isLow.choose(least, isNan(x).choose(ofNan, most));
  return isInside.choose(whole, limit);
}
template <typename Op> static Number converted(Numbers v, Type result) {
  return v[0].to<Op>(result);
}

template <bool isSigned>
static void addToInteger(llvm::StringMap<Formula> &table, const std::string &name) {
  table[name + "_rn"] = toInteger<math::RoundEvenOp, isSigned>;
  table[name + "_rd"] = toInteger<math::FloorOp, isSigned>;
  table[name + "_ru"] = toInteger<math::CeilOp, isSigned>;
  table[name + "_rz"] = toInteger<math::TruncOp, isSigned>;
}

static void addConversions(llvm::StringMap<Formula> &table) {
  for (std::string from : {"float", "double"}) {
    for (std::string to : {"int", "ll"}) {
      addToInteger</*isSigned=*/true>(table, from + "2" + to);
      table[to + "2" + from + "_rn"] = converted<arith::SIToFPOp>;
    }
    for (std::string to : {"uint", "ull"}) {
      addToInteger</*isSigned=*/false>(table, from + "2" + to);
      table[to + "2" + from + "_rn"] = converted<arith::UIToFPOp>;
    }
  }
  table["double2float_rn"] = converted<arith::TruncFOp>;
  for (StringRef name : {"float_as_int", "float_as_uint", "int_as_float", "uint_as_float",
                         "double_as_longlong", "longlong_as_double"})
    table[name] = sameBits;
  table["llrint"] = table["llrintf"] = toInteger<math::RoundEvenOp, true>;
  table["llround"] = table["llroundf"] = toInteger<math::RoundOp, true>;
}

//===-------------------------------------------------------------------------===//
// The table
//===-------------------------------------------------------------------------===//

static void addFloats(llvm::StringMap<Formula> &table) {
  const std::pair<StringRef, Formula> entries[] = {
      {"acos", unary<math::AcosOp>},
      {"acosh", unary<math::AcoshOp>},
      {"asin", unary<math::AsinOp>},
      {"asinh", unary<math::AsinhOp>},
      {"atan", unary<math::AtanOp>},
      {"atanh", unary<math::AtanhOp>},
      {"atan2", binary<math::Atan2Op>},
      {"cbrt", unary<math::CbrtOp>},
      {"ceil", unary<math::CeilOp>},
      {"copysign", binary<math::CopySignOp>},
      {"cos", unary<math::CosOp>},
      {"cosh", unary<math::CoshOp>},
      {"cospi", special<cosPi>},
      {"cyl_bessel_i0", bessel<besselI, 0>},
      {"cyl_bessel_i1", bessel<besselI, 1>},
      {"erf", unary<math::ErfOp>},
      {"erfc", unary<math::ErfcOp>},
      {"erfcinv", special<inverseErfc>},
      {"erfcx", special<scaledErfc>},
      {"erfinv", special<inverseErf>},
      {"exp", unary<math::ExpOp>},
      {"exp10", exp10},
      {"exp2", unary<math::Exp2Op>},
      {"expm1", unary<math::ExpM1Op>},
      {"fabs", unary<math::AbsFOp>},
      {"fdim", positiveDifference},
      {"floor", unary<math::FloorOp>},
      {"fma", multiplyAdd},
      {"fmod", binary<arith::RemFOp>},
      {"hypot", norm},
      {"ilogb", integerLogB},
      {"j0", bessel<besselJ, 0>},
      {"j1", bessel<besselJ, 1>},
      {"jn", ofOrder<besselJOf>},
      {"ldexp", scaleBy},
      {"lgamma", special<logGamma>},
      {"log", unary<math::LogOp>},
      {"log10", unary<math::Log10Op>},
      {"log1p", unary<math::Log1pOp>},
      {"log2", unary<math::Log2Op>},
      {"logb", logB},
      {"nearbyint", unary<math::RoundEvenOp>},
      {"nextafter", nextAfter},
      {"norm3d", norm},
      {"norm4d", norm},
      {"normcdf", special<normalDistribution>},
      {"normcdfinv", normalQuantile},
      {"pow", power},
      {"powi", power},
      {"rcbrt", reciprocalCubeRoot},
      {"remainder", remainderOf},
      {"rhypot", reciprocalNorm},
      {"rint", unary<math::RoundEvenOp>},
      {"rnorm3d", reciprocalNorm},
      {"rnorm4d", reciprocalNorm},
      {"round", unary<math::RoundOp>},
      {"rsqrt", reciprocalRoot},
      {"scalbn", scaleBy},
      {"sin", unary<math::SinOp>},
      {"sinh", unary<math::SinhOp>},
      {"sinpi", special<sinPi>},
      {"sqrt", unary<math::SqrtOp>},
      {"tan", unary<math::TanOp>},
      {"tanh", unary<math::TanhOp>},
      {"tgamma", special<gamma>},
      {"trunc", unary<math::TruncOp>},
      {"y0", bessel<besselY, 0>},
      {"y1", bessel<besselY, 1>},
      {"yn", ofOrder<besselYOf>},
  };
  for (auto [name, formula] : entries) {
    table[name] = formula;
    table[(name + "f").str()] = formula;
  }
}

//===-------------------------------------------------------------------------===//
// Triton's float8e4b15 is an i8 in its IR. It has four bits of exponent with a bias of 15, and
// three bits of fraction, but no infinity and no NaN. The largest number is 1.875.
//===-------------------------------------------------------------------------===//

static constexpr int64_t e4b15Least = 8; // the smallest normal number, 2^-14

static Number signOf(Number bits) { return bits & int64_t(1) << 31; }

static Number fromE4b15(Numbers v, Type result) {
  Number byte = v[0].to<arith::ExtUIOp>(v[0].integers(32)), magnitude = byte & 0x7f;
  constexpr int64_t bias = int64_t(127 - 15) << 23;
  Number normal = ((magnitude << 20) + static_cast<double>(bias)).asFloat(result);
  Number subnormal = magnitude.to<arith::UIToFPOp>(result) * 0x1p-17;
  Number value = (magnitude < static_cast<double>(e4b15Least)).choose(subnormal, normal);
  return (value.bitsOf() | signOf(byte << 24)).asFloat(result);
}

/// Rounds to the nearest even number, or towards zero. Numbers that are too large, and NaN, become
/// the largest number.
template <bool nearest> static Number toE4b15(Numbers v, Type result) {
  Number x = v[0].abs().apply<arith::MinNumFOp>(v[0].number(1.875)), bits = x.bitsOf();
  Number kept = bits;
  if (nearest)
    kept = bits + static_cast<double>((1 << 19) - 1) + ((bits >> 20) & 1);
  Number normal = (kept >> 20) - static_cast<double>((127 - 15) << 3);
  Number steps = x * 0x1p17;
  if (nearest)
    steps = steps.apply<math::RoundEvenOp>();
  Number subnormal = steps.to<arith::FPToUIOp>(bits.type());
  Number magnitude = (x < 0x1p-14).choose(subnormal, normal);
  Number sign = signOf(v[0].bitsOf()) >> 24;
  return (magnitude | sign).to<arith::TruncIOp>(result);
}

static void addFloat8(llvm::StringMap<Formula> &table) {
  table["fp8e4b15_to_fp32"] = fromE4b15;
  table["fp32_to_fp8e4b15"] = toE4b15</*nearest=*/true>;
  table["fp32_to_fp8e4b15_rz"] = toE4b15</*nearest=*/false>;
}

static void addArithmetic(llvm::StringMap<Formula> &table) {
  for (std::string type : {"f", "d"}) {
    table[type + "add_rn"] = binary<arith::AddFOp>;
    table[type + "sub_rn"] = binary<arith::SubFOp>;
    table[type + "mul_rn"] = binary<arith::MulFOp>;
    table[type + "div_rn"] = binary<arith::DivFOp>;
    table[type + "rcp_rn"] = reciprocal;
    table[type + "sqrt_rn"] = unary<math::SqrtOp>;
    table[type + "rsqrt_rn"] = reciprocalRoot;
  }
  table["fma_rn"] = table["fmaf_rn"] = multiplyAdd;
  table["saturatef"] = saturate;
  for (StringRef name : {"sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10", "pow"})
    table[("fast_" + name + "f").str()] = table[name];
  table["fast_fdividef"] = binary<arith::DivFOp>;
}

template <Direction direction> static Number sum(Numbers v, Type) {
  return addRounded(v[0], v[1], direction);
}
template <Direction direction> static Number difference(Numbers v, Type) {
  return addRounded(v[0], -v[1], direction);
}
template <Direction direction> static Number product(Numbers v, Type) {
  return multiplyRounded(v[0], v[1], direction);
}
template <Direction direction> static Number quotient(Numbers v, Type) {
  return divideRounded(v[0], v[1], direction);
}
template <Direction direction> static Number inverse(Numbers v, Type) {
  return divideRounded(v[0].number(1), v[0], direction);
}
template <Direction direction> static Number root(Numbers v, Type) {
  return rootRounded(v[0], direction);
}
template <Direction direction> static Number productAndSum(Numbers v, Type) {
  return fmaRounded(v[0], v[1], v[2], direction);
}
template <Direction direction> static Number narrow(Numbers v, Type result) {
  return narrowRounded(v[0], result, direction);
}
template <Direction direction, bool isSigned> static Number fromInteger(Numbers v, Type result) {
  return fromIntegerRounded(v[0], result, isSigned, direction);
}

template <Direction direction>
static void addDirection(llvm::StringMap<Formula> &table, const std::string &ending) {
  for (std::string type : {"f", "d"}) {
    table[type + "add" + ending] = sum<direction>;
    table[type + "sub" + ending] = difference<direction>;
    table[type + "mul" + ending] = product<direction>;
    table[type + "div" + ending] = quotient<direction>;
    table[type + "rcp" + ending] = inverse<direction>;
    table[type + "sqrt" + ending] = root<direction>;
  }
  table["fma" + ending] = table["fmaf" + ending] = productAndSum<direction>;
  table["double2float" + ending] = narrow<direction>;
  for (std::string to : {"2float", "2double"}) {
    for (std::string from : {"int", "ll"})
      table[from + to + ending] = fromInteger<direction, true>;
    for (std::string from : {"uint", "ull"})
      table[from + to + ending] = fromInteger<direction, false>;
  }
}

static void addRoundings(llvm::StringMap<Formula> &table) {
  addDirection<Direction::ToZero>(table, "_rz");
  addDirection<Direction::Down>(table, "_rd");
  addDirection<Direction::Up>(table, "_ru");
}

static void addIntegers(llvm::StringMap<Formula> &table) {
  const std::pair<StringRef, Formula> entries[] = {
      {"abs", absolute},
      {"llabs", absolute},
      {"brev", reversed},
      {"brevll", reversed},
      {"byte_perm", permuteBytes},
      {"clz", count<math::CountLeadingZerosOp>},
      {"clzll", count<math::CountLeadingZerosOp>},
      {"ffs", firstSet},
      {"ffsll", firstSet},
      {"popc", count<math::CtPopOp>},
      {"popcll", count<math::CtPopOp>},
      {"hadd", mean<arith::ShRSIOp>},
      {"uhadd", mean<arith::ShRUIOp>},
      {"rhadd", meanUpwards<arith::ShRSIOp>},
      {"urhadd", meanUpwards<arith::ShRUIOp>},
      {"mul24", product24<arith::ShRSIOp>},
      {"umul24", product24<arith::ShRUIOp>},
      {"mulhi", upperHalf},
      {"mul64hi", upperHalf},
      {"umulhi", upperHalfUnsigned},
      {"umul64hi", upperHalfUnsigned},
      {"sad", sumOfDifference<arith::MaxSIOp, arith::MinSIOp>},
      {"usad", sumOfDifference<arith::MaxUIOp, arith::MinUIOp>},
      {"double2hiint", highWord},
      {"double2loint", lowWord},
      {"hiloint2double", ofWords},
      {"rcp64h", inverseOfHighWord},
      {"finitef", test<math::IsFiniteOp>},
      {"isfinited", test<math::IsFiniteOp>},
      {"isinff", test<math::IsInfOp>},
      {"isinfd", test<math::IsInfOp>},
      {"isnanf", test<math::IsNaNOp>},
      {"isnand", test<math::IsNaNOp>},
      {"signbitf", isNegative},
      {"signbitd", isNegative},
  };
  for (auto [name, formula] : entries)
    table[name] = formula;
}

static Formula formulaOf(StringRef name) {
  static const llvm::StringMap<Formula> table = [] {
    llvm::StringMap<Formula> result;
    addFloats(result);
    addArithmetic(result);
    addIntegers(result);
    addConversions(result);
    addRoundings(result);
    addFloat8(result);
    return result;
  }();
  return name.consume_front("__nv_") ? table.lookup(name) : nullptr;
}

bool pumice::triton::distribute::isLibraryFunction(StringRef name) {
  return formulaOf(name) != nullptr;
}

Value pumice::triton::distribute::libraryFunction(OpBuilder &builder, Location loc, StringRef name,
                                                  ValueRange operands, Type type) {
  ImplicitLocOpBuilder b(loc, builder);
  SmallVector<Number> numbers;
  for (Value operand : operands)
    numbers.push_back({&b, operand});
  return formulaOf(name)(numbers, type).value;
}
