//===- LibrarySpecial.cpp - gamma functions, and parts of several functions -===//
#include "compiler/import/triton/distribute/LibraryCode.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute::library;

static constexpr double pi = std::numbers::pi;
static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Reduces a multiple of pi exactly to the range from -1 to 1.
static Number turned(Number x) { return x - (x * 0.5).apply<math::RoundEvenOp>() * 2.0; }
/// Computes sin(pi x). Beyond a quarter turn, it uses the distance to the half turn, so that small
/// sines keep their precision.
Number pumice::triton::distribute::library::sinPi(Number x) {
  Number r = turned(x), a = r.abs(), near = (a > 0.5).choose(1.0 - a, a);
  return (near * pi).apply<math::SinOp>().apply<math::CopySignOp>((r == 0.0).choose(x, r));
}
/// Computes cos(pi x) by a sine, which is precise where the cosine is small.
Number pumice::triton::distribute::library::cosPi(Number x) {
  return ((0.5 - turned(x).abs()) * pi).apply<math::SinOp>();
}

//===-------------------------------------------------------------------------===//
// Exponential functions and logarithms, accurate even on devices with only Vulkan's precision
//===-------------------------------------------------------------------------===//

Number pumice::triton::distribute::library::scaleByPower(Number x, Number n) {
  bool isDouble = x.isDouble();
  double most = isDouble ? 2190 : 294, atOnce = isDouble ? 1000 : 120;
  n = n.apply<arith::MaxSIOp>(n.number(-most)).apply<arith::MinSIOp>(n.number(most));
  Number third = n.apply<arith::DivSIOp>(n.number(3));
  third = (n.number(atOnce) >= n.abs()).choose(n.number(0), third);
  auto power = [&](Number exponent) {
    if (isDouble)
      exponent = exponent.to<arith::ExtSIOp>(exponent.integers(64));
    return ((exponent + (isDouble ? 1023.0 : 127.0)) << (isDouble ? 52 : 23)).asFloat(x.type());
  };
  return x * power(third) * power(third) * power(n - third - third);
}

/// Splits x into k ln2 + r, and sums the series of exp(r). The products of k and the high part of
/// ln2 are exact.
Scaled pumice::triton::distribute::library::exponential(Number x, Number rest) {
  bool isDouble = x.isDouble();
  double most = isDouble ? 1500 : 300;
  x = x.apply<arith::MaximumFOp>(x.number(-most)).apply<arith::MinimumFOp>(x.number(most));
  Number k = (x * std::numbers::log2e).apply<math::RoundEvenOp>();
  double high = isDouble ? 0x1.62e42fefa0000p-1 : 0x1.62e4p-1;
  double low = isDouble ? 0x1.cf79abc9e3b3ap-40 : 0x1.7f7d1cp-20;
  Number r = fma(k, k.number(-low), fma(k, k.number(-high), x)) + rest;
  SmallVector<double> terms{1};
  for (int i = 1; i <= (isDouble ? 13 : 7); ++i)
    terms.push_back(terms.back() / i);
  return {polynomial(r, terms), k.to<arith::FPToSIOp>(k.integers(32))};
}

/// Near 1, Vulkan only bounds the absolute error of its f32 logarithm, and subnormal numbers may be
/// flushed to zero. The decimal logarithm uses our own formula.
Number pumice::triton::distribute::library::logarithm(Number x) {
  return x.isDouble() ? x.apply<math::LogOp>() : x.apply<math::Log10Op>() * std::numbers::ln10;
}

//===-------------------------------------------------------------------------===//
// Gamma: below 8, steps of 1 lead to a number between 2 and 3, for which there is a polynomial.
// From 8 on, Stirling's formula
//===-------------------------------------------------------------------------===//

/// Coefficients of (Γ(2 + t) - 1) / t in t, for t between 0 and 1.
static constexpr double gammaPart[] = {
    0.42278433509846713,    0.41184033042643653,    0.08157691924739417,     0.07424901074160335,
    -0.0002669818255687655, 0.011154042695320552,   -0.0028526209330675704,  0.0021037900642335234,
    -0.0009189757600434676, 0.0004885326297648182,  -0.00023658793099911327, 0.00011386560876550374,
    -5.000365671352026e-05, 1.8890552644599077e-05, -5.522013251909401e-06,  1.0779471420828106e-06,
    -1.0289212795146559e-07};
static constexpr double gammaPartSingle[] = {0.422784336,    0.411840227,     0.0815797437,
                                             0.0742190677,   -0.000105907223, 0.0106566218,
                                             -0.00191349886, 0.000982099051,  -4.26894652e-05};
/// Coefficients in 1/x, for x >= 8, of x · (Γ(x) / Stirling's formula - 1).
static constexpr double stirling[] = {
    0.08333333333333333,   0.003472222222219891,  -0.002681327159862803,  -0.00022947216021219693,
    0.0007840428150530245, 6.961569522692162e-05, -0.0005899947595137061, -7.822038415606572e-05,
    0.0010415329047648346, -0.0008310144115888943};
static constexpr double stirlingSingle[] = {0.0833333333, 0.00347222506, -0.00268149166,
                                            -0.000226441122, 0.00076849739};
/// Coefficients in 1/x², for x >= 4, of x · log(Γ(x) / Stirling's formula).
static constexpr double logStirling[] = {
    0.08333333333333333,   -0.0027777777777717436, 0.0007936507903711944, -0.0005952373980758306,
    0.0008416746512427891, -0.0019126512521378185, 0.006214071171079563,  -0.024368040189502862,
    0.08641856151332654,   -0.1753502491096262};
static constexpr double logStirlingSingle[] = {0.0833333294, -0.00277662436, 0.000742872086};
/// Coefficients of log Γ(x) / ((x - 1) (x - 2)) in (x - √2) / (x + √2), for x between 1/2 and 4.
static constexpr double logNear[] = {
    0.4961340364972993,   -0.4454493966739447,   0.1287497256826688,   -0.153304355634657,
    0.08568734514064973,  -0.09443623458252338,  0.06404151166191338,  -0.0684088161587315,
    0.05104797861567888,  -0.05366172792966938,  0.04241676325714919,  -0.04415634786269317,
    0.0362733655088085,   -0.037513205090234446, 0.03170950338871797,  -0.03265331042650624,
    0.027859317823005186, -0.028468692403688156, 0.027204504289628298, -0.028427950740198653,
    0.01328090967183631,  -0.01124313588318794,  0.05367157644568238,  -0.0604441952496621,
    -0.04910504073796755, 0.05837789261926646,   0.09240736883792974,  -0.0993479781922055};
static constexpr double logNearSingle[] = {0.496134037,  -0.445449399,  0.128749605,  -0.153303984,
                                           0.0856956375, -0.094453428,  0.0638298652, -0.0680610496,
                                           0.0535834955, -0.0572185145, 0.027264936,  -0.0252517775,
                                           0.0779994673, -0.084896139};

namespace {
/// The values are ofX · root² and ofNext · root². Only the last multiplication can overflow.
struct GammaParts {
  Number ofX, ofNext, root; // Γ(x), and Γ(x + 1)
};
} // namespace

/// Computes the gamma terms for x >= 0.
static GammaParts gammaParts(Number x) {
  Number r = x, product = x.number(1), one = x.number(1);
  for (int step = 3; step < 8; ++step) {
    Number isAbove = r >= x.number(3);
    r = isAbove.choose(r - 1.0, r);
    product = isAbove.choose(product * r, product);
  }
  Number isBelow2 = r < 2.0, isBelow1 = r < 1.0;
  Number t = isBelow2.choose(isBelow1.choose(r, r - 1.0), r - 2.0);
  Number part = fma(t, polynomial(t, gammaPart, gammaPartSingle), one);
  part = part * product / isBelow1.choose(r + 1.0, one);
  Number near = part / isBelow2.choose(r, one);
  Number nearNext = isBelow2.choose(part, part * x);

  Number inverse = 1.0 / x;
  Number series = fma(inverse, polynomial(inverse, stirling, stirlingSingle), one);
  Scaled power = exponential(-x, x.number(0));
  Number far = scaleByPower(series * std::sqrt(2 * pi) * power.fraction, power.exponent);
  Number root = x.apply<math::PowFOp>((x - 0.5) * 0.5);
  Number isFar = x >= x.number(8);
  return {isFar.choose(far, near), isFar.choose(far * x, nearNext), isFar.choose(root, one)};
}

/// For negative x, uses the reflection formula. If the result is too small for the type, its
/// divisor overflows.
Number pumice::triton::distribute::library::gamma(Number x) {
  Number limit = x.number(x.isDouble() ? 200 : 50);
  GammaParts parts = gammaParts(x.abs().apply<arith::MinimumFOp>(limit));
  Number above = parts.ofX * parts.root * parts.root;
  Number sine = sinPi(x);
  Number below = x.number(pi) / (sine * parts.ofNext) / parts.root / parts.root;
  below = (sine == 0.0).choose(x.number(notANumber), below);
  Number result = (x < 0.0).choose(below, above);
  return (x == 0.0).choose(x.number(infinity).apply<math::CopySignOp>(x), result);
}

Number pumice::triton::distribute::library::logGamma(Number x) {
  Number a = x.abs(), isSmall = a < 0.5, isNegative = x < 0.0;
  // Evaluates the polynomial at a, or at 1 + a if a is small. The two factors have the zeros of log
  // Γ, at 1 and 2.
  Number y = isSmall.choose(a + 1.0, a);
  Number first = isSmall.choose(a, a - 1.0), second = isSmall.choose(a - 1.0, a - 2.0);
  Number u = (y - std::numbers::sqrt2) / (y + std::numbers::sqrt2);
  Number near = first * (second * polynomial(u, logNear, logNearSingle));

  Number log = logarithm(a), inverse = 1.0 / a;
  Number series = polynomial(inverse * inverse, logStirling, logStirlingSingle) * inverse;
  Number far = (a - 0.5) * (log - 1.0) + (series + (std::log(2 * pi) - 1) / 2);
  Number above = (a < 4.0).choose(near, far), more = isSmall.choose(log, x.number(0));

  Number sine = sinPi(a).abs();
  Number sineLog = logarithm((a < 0x1p-60).choose(a, sine * (1 / pi)));
  Number below = -(isSmall.choose(above, above + log) + sineLog);
  Number result = isNegative.choose(below, above - more);
  Number isPole = (isNegative & (sine == 0.0) & (a > 0.5)) | x.apply<math::IsInfOp>();
  return isPole.choose(x.number(infinity), result);
}
