//===- ExpandArithTest.cpp - exact polyfills of integers and conversions ----===//
// Operations with exact results are compared bit by bit with APFloat, or with C's arithmetic in a
// wider type. Small types are tested exhaustively, and others at their corners and at random.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/testing/JitFunction.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace pumice::lower::testing;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr unsigned long seed = 1;

template <typename T> std::vector<T> integerSamples(size_t randomCount) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  if constexpr (sizeof(T) == 1) {
    for (int i = Limits::min(); i <= Limits::max(); ++i)
      values.push_back(T(i));
    return values;
  }
  values = {0,
            1,
            2,
            3,
            7,
            16,
            T(-1),
            T(-2),
            T(-3),
            T(-7),
            T(-16),
            Limits::max(),
            T(Limits::max() - 1),
            Limits::min(),
            T(Limits::min() + 1),
            T(Limits::max() / 2),
            T(1) << (8 * sizeof(T) / 2),
            T((T(1) << (8 * sizeof(T) / 2)) - 1)};
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < randomCount; ++i)
    values.push_back(T(int64_t(random()) >> (random() % (8 * sizeof(T)) + 64 - 8 * sizeof(T))));
  return values;
}

template <typename T> std::string integerType() { return "i" + std::to_string(8 * sizeof(T)); }

std::string binarySource(const std::string &op, const std::string &type) {
  return "func.func @f(%a: " + type + ", %b: " + type + ") -> " + type + " { %r = " + op +
         " %a, %b : " + type + " return %r : " + type + " }\n";
}

template <typename T, typename Expected> void checkDivision(const char *op, Expected expected) {
  JitModule module(binarySource(op, integerType<T>()), FmaKind::Fused);
  auto *compiled = module.get<T(T, T)>("f");
  ASSERT_NE(compiled, nullptr);
  std::vector<T> values = integerSamples<T>(60);
  for (T a : values)
    for (T b : values)
      if (b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1)))
        ASSERT_EQ(compiled(a, b), T(expected(a, b))) << op << " " << +a << ", " << +b;
}

__int128 floorDivide(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <typename T> void checkDivisions() {
  using Unsigned = std::make_unsigned_t<T>;
  checkDivision<T>("arith.floordivsi", [](T a, T b) { return floorDivide(a, b); });
  checkDivision<T>("arith.ceildivsi", [](T a, T b) { return -floorDivide(-__int128(a), b); });
  checkDivision<T>("arith.remsi", [](T a, T b) { return a % b; });
  checkDivision<Unsigned>("arith.ceildivui", [](Unsigned a, Unsigned b) {
    return (static_cast<unsigned __int128>(a) + b - 1) / b;
  });
}

TEST(ExpandArith, DividesAndTakesRemainders) {
  checkDivisions<int8_t>();
  checkDivisions<int16_t>();
  checkDivisions<int32_t>();
  checkDivisions<int64_t>();
}

template <typename T> T wrappingQuotient(T a, T b) {
  return b == T(-1) && std::is_signed_v<T> ? T(-std::make_unsigned_t<T>(a)) : T(a / b);
}

/// Checks an expanded division of 64-bit integers, with constant divisors and others. The largest
/// number that is divided is near a multiple of the divisor.
template <typename T>
void checkLongDivision(const std::string &op, const char *type, bool isRemainder) {
  std::vector<T> divisors = integerSamples<T>(60);
  std::erase(divisors, T(0));
  auto takes = [&](const std::string &name, const std::string &given, const std::string &start,
                   const std::string &b) {
    std::string cast = type == std::string("index")
                           ? "%x = arith.index_cast %a : i64 to index\n" + start
                           : "%z = arith.constant 0 : i64 %x = arith.addi %a, %z : i64\n" + start;
    return "func.func @" + name + "(%a: i64" + given + ") -> i64 {\n" + cast + "%r = " + op +
           " %x, " + b + " : " + type + "\n%s = " +
           (type == std::string("index") ? "arith.index_cast %r : index to i64"
                                         : "arith.addi %r, %z : i64") +
           " return %s : i64 }\n";
  };
  std::string variable = type == std::string("index") ? "%y = arith.index_cast %b : i64 to index\n"
                                                      : "%y = arith.addi %b, %z : i64\n";
  std::string source = takes("any", ", %b: i64", variable, "%y");
  for (size_t i = 0; i < divisors.size(); ++i)
    source += takes(
        "f" + std::to_string(i), "",
        "%c = arith.constant " + std::to_string(int64_t(divisors[i])) + " : " + type + "\n", "%c");
  JitModule module(source, FmaKind::Unfused, LongDivisions::Expanded);
  auto *any = module.get<T(T, T)>("any");
  ASSERT_NE(any, nullptr);
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < divisors.size(); ++i) {
    auto *byConstant = module.get<T(T)>("f" + std::to_string(i));
    ASSERT_NE(byConstant, nullptr);
    T b = divisors[i];
    std::vector<T> values = integerSamples<T>(60);
    for (int k = 0; k < 60; ++k)
      values.push_back(T(uint64_t(b) * (random() >> (random() % 64)) - k % 3));
    for (T a : values) {
      T quotient = wrappingQuotient(a, b);
      T expected = isRemainder ? T(uint64_t(a) - uint64_t(quotient) * uint64_t(b)) : quotient;
      ASSERT_EQ(any(a, b), expected) << op << " " << a << ", " << b;
      ASSERT_EQ(byConstant(a), expected) << op << " " << a << ", the constant " << b;
    }
  }
}

TEST(ExpandArith, DividesLongIntegersByProducts) {
  for (const char *type : {"i64", "index"}) {
    checkLongDivision<uint64_t>("arith.divui", type, false);
    checkLongDivision<uint64_t>("arith.remui", type, true);
    checkLongDivision<int64_t>("arith.divsi", type, false);
    checkLongDivision<int64_t>("arith.remsi", type, true);
  }
}

/// Checks the upper half of a product, or the carry of a sum.
template <typename T, typename Wide> void checkExtended(const char *op) {
  std::string type = integerType<T>();
  JitModule module("func.func @high(%a: " + type + ", %b: " + type + ") -> " + type +
                       " { %l, %h = arith." + op + " %a, %b : " + type + " return %h : " + type +
                       " }\nfunc.func @low(%a: " + type + ", %b: " + type + ") -> " + type +
                       " { %l, %h = arith." + op + " %a, %b : " + type + " return %l : " + type +
                       " }\n",
                   FmaKind::Fused);
  auto *high = module.get<T(T, T)>("high"), *low = module.get<T(T, T)>("low");
  ASSERT_TRUE(high && low);
  std::vector<T> values = integerSamples<T>(60);
  for (T a : values)
    for (T b : values) {
      Wide product = Wide(a) * Wide(b);
      ASSERT_EQ(low(a, b), T(product)) << op << " " << +a << ", " << +b;
      ASSERT_EQ(high(a, b), T(product >> (8 * sizeof(T)))) << op << " " << +a << ", " << +b;
    }
}

/// Checks products of integers with a width that targets lack. The upper half of such a product
/// does not begin at a word boundary.
static void checkOddProducts(unsigned width) {
  std::string type = "i" + std::to_string(width), source;
  for (std::string sign : {"s", "u"})
    source += "func.func @" + sign + "(%a: i64, %b: i64) -> i64 {\n" +
              "%x = arith.trunci %a : i64 to " + type + "\n%y = arith.trunci %b : i64 to " + type +
              "\n%l, %h = arith.mul" + sign + "i_extended %x, %y : " + type + "\n%r = arith.ext" +
              sign + "i %h : " + type + " to i64 return %r : i64 }\n";
  JitModule module(source, FmaKind::Fused);
  auto *high = module.get<int64_t(int64_t, int64_t)>("s");
  auto *highUnsigned = module.get<uint64_t(uint64_t, uint64_t)>("u");
  ASSERT_TRUE(high && highUnsigned);
  std::vector<int64_t> values = integerSamples<int64_t>(60);
  for (int64_t x : values)
    for (int64_t y : values) {
      int64_t a = x >> (64 - width), b = y >> (64 - width);
      ASSERT_EQ(high(a, b), int64_t(__int128(a) * b >> width)) << a << ", " << b;
      uint64_t c = uint64_t(x) >> (64 - width), d = uint64_t(y) >> (64 - width);
      ASSERT_EQ(highUnsigned(c, d), uint64_t(static_cast<unsigned __int128>(c) * d >> width))
          << c << ", " << d;
    }
}

TEST(ExpandArith, MultipliesOddWidthsToTwiceTheWidth) {
  for (unsigned width : {5, 17, 24, 31, 33, 48, 63})
    checkOddProducts(width);
}

TEST(ExpandArith, MultipliesToTwiceTheWidth) {
  checkExtended<int8_t, int>("mulsi_extended");
  checkExtended<uint8_t, unsigned>("mului_extended");
  checkExtended<int16_t, int64_t>("mulsi_extended");
  checkExtended<uint16_t, uint64_t>("mului_extended");
  checkExtended<int64_t, __int128>("mulsi_extended");
  checkExtended<uint64_t, unsigned __int128>("mului_extended");
}

template <typename T> void checkCarry() {
  std::string type = integerType<T>();
  JitModule module("func.func @f(%a: " + type + ", %b: " + type +
                       ") -> i1 { %s, %c = arith.addui_extended %a, %b : " + type +
                       ", i1 return %c : i1 }\n",
                   FmaKind::Fused);
  auto *carry = module.get<bool(T, T)>("f");
  ASSERT_NE(carry, nullptr);
  for (T a : integerSamples<T>(60))
    for (T b : integerSamples<T>(60))
      ASSERT_EQ(carry(a, b), T(a + b) < a) << +a << ", " << +b;
}

TEST(ExpandArith, FindsCarries) {
  checkCarry<uint8_t>();
  checkCarry<uint32_t>();
  checkCarry<uint64_t>();
}

/// Signed booleans are 0 and -1. Results of C that do not fit wrap around.
TEST(ExpandArith, ComputesOnBooleans) {
  struct Case {
    const char *op;
    int (*expected)(int, int); // takes 0 and 1, or 0 and -1
    bool isSigned, divides;
  };
  const Case cases[] = {
      {"addi", [](int a, int b) { return a + b; }, false, false},
      {"subi", [](int a, int b) { return a - b; }, false, false},
      {"muli", [](int a, int b) { return a * b; }, false, false},
      {"minui", [](int a, int b) { return std::min(a, b); }, false, false},
      {"maxui", [](int a, int b) { return std::max(a, b); }, false, false},
      {"minsi", [](int a, int b) { return std::min(a, b); }, true, false},
      {"maxsi", [](int a, int b) { return std::max(a, b); }, true, false},
      {"divui", [](int a, int b) { return a / b; }, false, true},
      {"ceildivui", [](int a, int b) { return a / b; }, false, true},
      {"remui", [](int a, int b) { return a % b; }, false, true},
      {"cmpi ult,", [](int a, int b) { return int(a < b); }, false, false},
      {"cmpi ule,", [](int a, int b) { return int(a <= b); }, false, false},
      {"cmpi ugt,", [](int a, int b) { return int(a > b); }, false, false},
      {"cmpi uge,", [](int a, int b) { return int(a >= b); }, false, false},
      {"cmpi slt,", [](int a, int b) { return int(a < b); }, true, false},
      {"cmpi sle,", [](int a, int b) { return int(a <= b); }, true, false},
      {"cmpi sgt,", [](int a, int b) { return int(a > b); }, true, false},
      {"cmpi sge,", [](int a, int b) { return int(a >= b); }, true, false},
  };
  for (const Case &test : cases) {
    JitModule module(binarySource(std::string("arith.") + test.op, "i1"), FmaKind::Fused);
    auto *compiled = module.get<bool(bool, bool)>("f");
    ASSERT_NE(compiled, nullptr);
    for (int a : {0, 1})
      for (int b : {0, 1})
        if (b || !test.divides)
          EXPECT_EQ(compiled(a, b),
                    bool(test.expected(test.isSigned ? -a : a, test.isSigned ? -b : b) & 1))
              << test.op << " " << a << ", " << b;
  }
}

//===- Floats ---------------------------------------------------------------===//

template <typename T> std::vector<T> floatSamples(size_t count) {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> values = {0,
                           0.5,
                           1,
                           1.5,
                           2,
                           2.5,
                           3,
                           10,
                           448,
                           464,
                           465,
                           480,
                           57344,
                           61440,
                           65504,
                           65519.99f,
                           65520,
                           65536,
                           T(1e10),
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::epsilon(),
                           T(0x1p-14),
                           T(0x1p-24),
                           T(0x1p-25),
                           T(0x1.8p-25),
                           T(0x1p-127),
                           T(0x1.8p-127),
                           T(0x1.7ffffcp-127),
                           T(0x1p-126)};
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < count; ++i) {
    auto pattern = static_cast<Bits>(random());
    if (i & 1) // near the ends of narrow types' ranges, and halfway between their numbers
      pattern = std::bit_cast<Bits>(
                    T(std::ldexp(1.0 + double(random() % 64) / 32, int(random() % 44) - 26) *
                      (i & 2 ? 1 : -1))) +
                (random() % 3) - 1;
    values.push_back(std::bit_cast<T>(pattern));
  }
  return values;
}

template <typename T> std::string floatType() { return sizeof(T) == 4 ? "f32" : "f64"; }

struct Rounding {
  const char *name;
  APFloat::roundingMode mode;
};
const Rounding roundings[] = {{"", APFloat::rmNearestTiesToEven},
                              {"to_nearest_even", APFloat::rmNearestTiesToEven},
                              {"to_nearest_away", APFloat::rmNearestTiesToAway},
                              {"toward_zero", APFloat::rmTowardZero},
                              {"upward", APFloat::rmTowardPositive},
                              {"downward", APFloat::rmTowardNegative}};

struct NarrowFloat {
  const char *name;
  const llvm::fltSemantics &semantics;
};
const NarrowFloat tinyFloats[] = {
    {"f8E5M2", APFloat::Float8E5M2()},         {"f8E4M3", APFloat::Float8E4M3()},
    {"f8E4M3FN", APFloat::Float8E4M3FN()},     {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ()},
    {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ()}, {"f8E4M3B11FNUZ", APFloat::Float8E4M3B11FNUZ()},
    {"f8E3M4", APFloat::Float8E3M4()},         {"f6E3M2FN", APFloat::Float6E3M2FN()},
    {"f6E2M3FN", APFloat::Float6E2M3FN()},     {"f4E2M1FN", APFloat::Float4E2M1FN()},
    {"f8E8M0FNU", APFloat::Float8E8M0FNU()}};

/// Returns the bits of x in a narrower type. All NaNs become one, since NaN's payload is not
/// preserved.
template <typename T>
uint64_t convertedBits(T x, const NarrowFloat &to, APFloat::roundingMode mode) {
  bool hasNan = APFloat::semanticsHasNaN(to.semantics);
  bool isSigned = APFloat::semanticsHasSignedRepr(to.semantics);
  APInt nan = hasNan ? APFloat::getQNaN(to.semantics).bitcastToAPInt()
                     : APFloat::getLargest(to.semantics).bitcastToAPInt();
  bool minusZeroIsNan = hasNan && isSigned && nan.isSignMask();
  auto withSign = [&](APInt bits) {
    if (std::signbit(x) && isSigned && !minusZeroIsNan)
      bits.setSignBit();
    return bits.getZExtValue();
  };
  if (std::isnan(x) || (!isSigned && std::signbit(x) && x != 0))
    return withSign(nan);
  if (std::isinf(x) && !APFloat::semanticsHasInf(to.semantics))
    return withSign(nan);
  if (!isSigned && x < T(0x1p-126)) // the type has no subnormals and no zero, so 2^-127 is least
    return mode == APFloat::rmTowardPositive ? x > T(0x1p-127)
           : mode == APFloat::rmTowardZero || mode == APFloat::rmTowardNegative
               ? 0
               : x >= T(0x1.8p-127);
  APFloat value(x);
  bool losesInfo;
  value.convert(to.semantics, mode, &losesInfo);
  if (value.isNaN()) // an overflow gave NaN
    return withSign(nan);
  return value.bitcastToAPInt().getZExtValue();
}

template <typename T> void checkTruncation(const NarrowFloat &to, const Rounding &rounding) {
  std::string from = floatType<T>();
  unsigned width = APFloat::getSizeInBits(to.semantics);
  std::string bits = "i" + std::to_string(width), wide = width < 32 ? "i32" : bits;
  JitModule module("func.func @f(%x: " + from + ") -> " + wide + " {\n  %r = arith.truncf %x " +
                       rounding.name + " : " + from + " to " + to.name +
                       "\n  %b = arith.bitcast %r : " + to.name + " to " + bits + "\n" +
                       (width < 32
                            ? "  %w = arith.extui %b : " + bits + " to i32\n"
                            : "  %w = arith.addi %b, %b : i32\n  %z = arith.subi %w, %b : i32\n") +
                       "  return " + (width < 32 ? "%w" : "%z") + " : " + wide + "\n}\n",
                   FmaKind::Fused);
  auto *compiled = module.get<uint32_t(T)>("f");
  ASSERT_NE(compiled, nullptr);
  for (T x : floatSamples<T>(20000))
    ASSERT_EQ(compiled(x), convertedBits(x, to, rounding.mode))
        << rounding.name << " " << from << " to " << to.name << " of " << x << " = "
        << std::hexfloat << x;
}

TEST(ExpandArith, RoundsByMode) {
  const NarrowFloat f16 = {"f16", APFloat::IEEEhalf()}, bf16 = {"bf16", APFloat::BFloat()},
                    f32 = {"f32", APFloat::IEEEsingle()};
  for (const Rounding &rounding : llvm::ArrayRef(roundings).drop_front()) {
    checkTruncation<float>(f16, rounding);
    checkTruncation<float>(bf16, rounding);
    checkTruncation<double>(f16, rounding);
    checkTruncation<double>(bf16, rounding);
    checkTruncation<double>(f32, rounding);
  }
  checkTruncation<double>(bf16, roundings[0]);
}

TEST(ExpandArith, NarrowsToTinyFloats) {
  for (const NarrowFloat &to : tinyFloats)
    for (const Rounding &rounding : roundings) {
      checkTruncation<float>(to, rounding);
      checkTruncation<double>(to, rounding);
    }
}

TEST(ExpandArith, WidensTinyFloats) {
  for (const NarrowFloat &from : tinyFloats) {
    unsigned width = APFloat::getSizeInBits(from.semantics);
    std::string bits = "i" + std::to_string(width);
    JitModule module("func.func @f(%x: i32) -> f32 {\n  %b = arith.trunci %x : i32 to " + bits +
                         "\n  %v = arith.bitcast %b : " + bits + " to " + from.name +
                         "\n  %r = arith.extf %v : " + from.name +
                         " to f32\n  return %r : f32\n}\n",
                     FmaKind::Fused);
    auto *compiled = module.get<float(uint32_t)>("f");
    ASSERT_NE(compiled, nullptr);
    for (unsigned pattern = 0; pattern < 1u << width; ++pattern) {
      APFloat value(from.semantics, APInt(width, pattern));
      bool isNan = value.isNaN(), losesInfo;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
      float expected = value.convertToFloat(), got = compiled(pattern);
      if (isNan)
        ASSERT_TRUE(std::isnan(got)) << from.name << " " << pattern;
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(expected))
            << from.name << " " << pattern << ": " << got << ", not " << expected;
    }
  }
}

template <typename T> bool sameFloat(T got, T expected) {
  return std::isnan(expected) ? std::isnan(got)
                              : got == expected && std::signbit(got) == std::signbit(expected);
}

template <typename T> void checkFloatBinary(const char *op, T (*expected)(T, T)) {
  JitModule module(binarySource(op, floatType<T>()), FmaKind::Fused);
  auto *compiled = module.get<T(T, T)>("f");
  ASSERT_NE(compiled, nullptr);
  std::vector<T> values = floatSamples<T>(400);
  for (T a : values)
    for (T b : values)
      ASSERT_TRUE(sameFloat(compiled(a, b), expected(a, b)))
          << op << " " << a << ", " << b << " = " << compiled(a, b) << ", not " << expected(a, b);
}

template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
template <typename T> T minimum(T a, T b) { return -maximum(-a, -b); }

TEST(ExpandArith, OrdersZerosAndKeepsNan) {
  checkFloatBinary<float>("arith.maximumf", maximum);
  checkFloatBinary<float>("arith.minimumf", minimum);
  checkFloatBinary<double>("arith.maximumf", maximum);
  checkFloatBinary<double>("arith.minimumf", minimum);
}

TEST(ExpandArith, TakesExactRemaindersOfFloats) {
  checkFloatBinary<float>("arith.remf", std::fmod);
  checkFloatBinary<double>("arith.remf", std::fmod);
}

} // namespace
