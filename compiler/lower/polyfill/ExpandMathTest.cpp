//===- ExpandMathTest.cpp - compares polyfills with a precise reference -----===//
// Compares special values with C's library, and then random and dense arguments with MPFR. The test
// prints the largest error, which must be within the bound that docs/precision.md promises.
//
// PUMICE_MATH_SAMPLES sets the number of arguments per function (default 20000). PUMICE_MATH_SEED
// sets the seed of the random arguments.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/testing/JitFunction.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

using namespace pumice::lower::testing;

namespace {

using Reference = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
using Reference2 = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
using Libm = double (*)(double);
using Libm2 = double (*)(double, double);

struct Function {
  const char *name;
  Reference reference;
  Libm libm;                 // for special values only
  double low, high;          // the range of most samples
  double boundF32, boundF64; // in ulps; 0 means that the function is native
};

const Function functions[] = {
    {"exp", mpfr_exp, std::exp, -20, 20, 0, 1},
    {"exp2", mpfr_exp2, std::exp2, -20, 20, 0, 1.5},
    {"expm1", mpfr_expm1, std::expm1, -3, 3, 1.5, 1.5},
    {"log", mpfr_log, std::log, 0, 4, 0, 1},
    {"log2", mpfr_log2, std::log2, 0, 4, 0, 1.5},
    {"log10", mpfr_log10, std::log10, 0, 4, 1.5, 1.5},
    {"log1p", mpfr_log1p, std::log1p, -1, 3, 1.5, 1.5},
    {"sin", mpfr_sin, std::sin, -10, 10, 1, 1},
    {"cos", mpfr_cos, std::cos, -10, 10, 1, 1},
    {"tan", mpfr_tan, std::tan, -10, 10, 1.5, 1.5},
    {"asin", mpfr_asin, std::asin, -1, 1, 1.5, 1.5},
    {"acos", mpfr_acos, std::acos, -1, 1, 1.5, 1.5},
    {"atan", mpfr_atan, std::atan, -5, 5, 2, 2},
    {"sinh", mpfr_sinh, std::sinh, -4, 4, 2, 2},
    {"cosh", mpfr_cosh, std::cosh, -4, 4, 2, 2},
    {"tanh", mpfr_tanh, std::tanh, -4, 4, 2, 2},
    {"asinh", mpfr_asinh, std::asinh, -4, 4, 2, 2},
    {"acosh", mpfr_acosh, std::acosh, 1, 4, 2.5, 2.5},
    {"atanh", mpfr_atanh, std::atanh, -1, 1, 2.5, 2},
    {"cbrt", mpfr_cbrt, std::cbrt, -9, 9, 1, 1},
    {"erf", mpfr_erf, std::erf, -4, 4, 1.5, 1.5},
    {"erfc", mpfr_erfc, std::erfc, -4, 12, 2, 2},
};

unsigned long setting(const char *name, unsigned long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

template <typename T> using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <typename T> constexpr const char *typeName = sizeof(T) == 4 ? "f32" : "f64";

class Mpfr {
public:
  Mpfr() { mpfr_init2(value, 256); }
  ~Mpfr() { mpfr_clear(value); }
  Mpfr(const Mpfr &) = delete;
  mpfr_t value;
};

/// Returns |got - exact| in units of the last place of a T near `exact`. Returns infinity if they
/// are of different kinds, for example if only one is NaN.
template <typename T> double ulpError(T got, const Mpfr &exact) {
  T rounded = sizeof(T) == 4 ? T(mpfr_get_flt(exact.value, MPFR_RNDN))
                             : T(mpfr_get_d(exact.value, MPFR_RNDN));
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : INFINITY;
  if (got == rounded)
    return 0;
  if (std::isinf(got)) // an overflow is right if `exact` is near the largest number
    return std::isinf(rounded) || std::abs(rounded) > T(0.999999) * std::numeric_limits<T>::max()
               ? (std::signbit(got) == std::signbit(rounded) ? 1 : INFINITY)
               : INFINITY;
  if (std::isinf(rounded))
    return std::abs(got) > T(0.999999) * std::numeric_limits<T>::max() ? 1 : INFINITY;
  int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent;
  long exponent =
      mpfr_zero_p(exact.value) ? least : std::max<long>(mpfr_get_exp(exact.value), least);
  Mpfr difference;
  mpfr_sub_d(difference.value, exact.value, got, MPFR_RNDN);
  mpfr_mul_2si(difference.value, difference.value, digits - exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

template <typename T> std::vector<T> specialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.25),
                           T(0.5),
                           1,
                           T(1.5),
                           2,
                           3,
                           4,
                           5,
                           10,
                           22,
                           64,
                           88,
                           100,
                           128,
                           700,
                           709,
                           710,
                           745,
                           1000,
                           T(1e10),
                           T(1e30),
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::epsilon(),
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           T(M_PI),
                           T(M_PI_2),
                           T(M_PI_4),
                           T(0.625),
                           T(0.346574)};
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  return values;
}

/// Returns sample `i`. A quarter of the samples are random bits, and a quarter are near one, zero
/// or the interval's ends. The others are spread evenly over the interval from `low` to `high`.
template <typename T> T sample(std::mt19937_64 &random, size_t i, double low, double high) {
  double unit = std::uniform_real_distribution<double>(0, 1)(random);
  switch (i % 4) {
  case 0:
    return std::bit_cast<T>(static_cast<Bits<T>>(random()));
  case 1: // near one, zero and the interval's ends, at distances of all magnitudes
    return T((i & 8    ? 1.0
              : i & 16 ? low
              : i & 32 ? high
                       : 0.0) +
             std::copysign(std::exp2(-60 * unit), i & 4 ? 1 : -1));
  default:
    return T(low + (high - low) * unit);
  }
}

/// Returns whether the result is right if the library's is NaN, infinity or zero. Infinity and zero
/// must have the same sign. Other results need not match.
template <typename T> bool sameSpecial(T got, T expected) {
  if (std::isnan(expected))
    return std::isnan(got);
  if (std::isinf(expected))
    return got == expected;
  return expected != 0 || (got == 0 && std::signbit(got) == std::signbit(expected));
}

template <typename T> std::string source(const char *name, int operands) {
  std::string type = typeName<T>, args = "%x: " + type, used = "%x";
  if (operands == 2) {
    args += ", %y: " + type;
    used += ", %y";
  }
  return "func.func @f(" + args + ") -> " + type + " {\n  %r = math." + name + " " + used + " : " +
         type + "\n  return %r : " + type + "\n}\n";
}

template <typename T> void check(const Function &function, double bound, FmaKind fma) {
  JitModule module(source<T>(function.name, 1), fma);
  auto *compiled = module.get<T(T)>("f");
  ASSERT_NE(compiled, nullptr);
  for (T x : specialValues<T>())
    EXPECT_TRUE(sameSpecial(compiled(x), T(function.libm(x))))
        << function.name << "(" << x << ") = " << compiled(x) << ", not " << T(function.libm(x));

  unsigned long seed = setting("PUMICE_MATH_SEED", 1),
                count = setting("PUMICE_MATH_SAMPLES", 20000);
  std::mt19937_64 random(seed);
  Mpfr argument, exact;
  double worst = 0;
  T where = 0;
  std::vector<T> specials = specialValues<T>();
  for (size_t i = 0; i < count + specials.size(); ++i) {
    T x = i < specials.size() ? specials[i] : sample<T>(random, i, function.low, function.high);
    T got = compiled(x);
    mpfr_set_d(argument.value, x, MPFR_RNDN);
    function.reference(exact.value, argument.value, MPFR_RNDN);
    double error = ulpError(got, exact);
    if (error > worst)
      worst = error, where = x;
  }
  printf("%-8s %s %-8s %.3f ulp (bound %.1f) at %a = %.9g\n", function.name, typeName<T>,
         fma == FmaKind::Fused ? "fused" : "unfused", worst, bound, double(where), double(where));
  EXPECT_LE(worst, bound) << function.name << "(" << where << "), seed " << seed;
}

class MathAccuracy : public testing::TestWithParam<Function> {};

TEST_P(MathAccuracy, HoldsItsBound) {
  for (FmaKind fma : {FmaKind::Fused, FmaKind::Unfused}) {
    if (GetParam().boundF32)
      check<float>(GetParam(), GetParam().boundF32, fma);
    check<double>(GetParam(), GetParam().boundF64, fma);
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, MathAccuracy, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

template <typename T>
void checkBinary(const char *name, Reference2 reference, Libm2 libm, double bound, FmaKind fma,
                 T (*sampleX)(std::mt19937_64 &, size_t), T (*sampleY)(std::mt19937_64 &, size_t)) {
  JitModule module(source<T>(name, 2), fma);
  auto *compiled = module.get<T(T, T)>("f");
  ASSERT_NE(compiled, nullptr);
  std::vector<T> specials = specialValues<T>();
  for (T x : specials)
    for (T y : specials)
      EXPECT_TRUE(sameSpecial(compiled(x, y), T(libm(x, y))))
          << name << "(" << x << ", " << y << ") = " << compiled(x, y) << ", not " << libm(x, y);
  unsigned long seed = setting("PUMICE_MATH_SEED", 1),
                count = setting("PUMICE_MATH_SAMPLES", 20000);
  std::mt19937_64 random(seed);
  Mpfr first, second, exact;
  double worst = 0;
  T whereX = 0, whereY = 0;
  for (size_t i = 0; i < count; ++i) {
    T x = sampleX(random, i), y = sampleY(random, i);
    mpfr_set_d(first.value, x, MPFR_RNDN);
    mpfr_set_d(second.value, y, MPFR_RNDN);
    reference(exact.value, first.value, second.value, MPFR_RNDN);
    double error = ulpError(compiled(x, y), exact);
    if (error > worst)
      worst = error, whereX = x, whereY = y;
  }
  printf("%-8s %s %-8s %.3f ulp (bound %.1f) at %a, %a\n", name, typeName<T>,
         fma == FmaKind::Fused ? "fused" : "unfused", worst, bound, double(whereX), double(whereY));
  EXPECT_LE(worst, bound) << name << "(" << whereX << ", " << whereY << "), seed " << seed;
}

template <typename T> T powBase(std::mt19937_64 &random, size_t i) {
  return i % 4 == 0 ? std::bit_cast<T>(static_cast<Bits<T>>(random()))
                    : std::abs(sample<T>(random, i, 0, 3));
}
/// Returns exponents for which results have any magnitude, even for bases near one.
template <typename T> T powExponent(std::mt19937_64 &random, size_t i) {
  double size = std::exp2(std::uniform_real_distribution<double>(-10, 30)(random));
  if (i % 8 == 0)
    return T(std::round(sample<T>(random, 2, -40, 40)));
  return i % 3 ? sample<T>(random, 2, -100, 100) : T(i & 1 ? size : -size);
}

TEST(MathAccuracy, Pow) {
  for (FmaKind fma : {FmaKind::Fused, FmaKind::Unfused}) {
    checkBinary<float>("powf", mpfr_pow, std::pow, 1, fma, powBase<float>, powExponent<float>);
    checkBinary<double>("powf", mpfr_pow, std::pow, 1, fma, powBase<double>, powExponent<double>);
  }
}

template <typename T> T anywhere(std::mt19937_64 &random, size_t i) {
  return sample<T>(random, i, -3, 3);
}

TEST(MathAccuracy, Atan2) {
  for (FmaKind fma : {FmaKind::Fused, FmaKind::Unfused}) {
    checkBinary<float>("atan2", mpfr_atan2, std::atan2, 2, fma, anywhere<float>, anywhere<float>);
    checkBinary<double>("atan2", mpfr_atan2, std::atan2, 2, fma, anywhere<double>,
                        anywhere<double>);
  }
}

} // namespace
