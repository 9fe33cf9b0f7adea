//===- LibraryError.cpp - error functions of the device library -------------===//
// Polynomials approximate scaled functions that neither overflow nor underflow: exp(x²) erfc(x),
// and the inverse of erfc divided by the square root of a logarithm.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/LibraryCode.h"
#include "compiler/import/triton/distribute/LibraryRounding.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute::library;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Coefficients of erfinv(x) / x as a polynomial in x² - 9/32, for x up to 3/4.
static constexpr double centre[] = {
    0.9640216376238271,  0.3323299940576822, 0.24893511100365384, 0.2325230501536039,
    0.24128321682528003, 0.2662517271366084, 0.30588531014107107, 0.36155284470335153,
    0.4364734893321661,  0.5355815090105687, 0.6657678698121416,  0.8363278223132812,
    1.0598456898286868,  1.354695088705246,  1.7412907517601133,  2.2146356022453153,
    2.8618327554842447,  4.220666478442351,  5.640383175493403,   3.050714102636866,
    3.383605451889536,   26.476687751721276, 36.48924625227927};
static constexpr double centreSingle[] = {0.964021637, 0.332330036, 0.248935289, 0.232512701,
                                          0.241257347, 0.266967388, 0.307245836, 0.34165915,
                                          0.404660975, 0.768351948, 0.994596476};
/// Coefficients of erfcinv(x) / s as a polynomial in (s - 4) / (s + 4), where s² = -log x, for x up
/// to 1/4.
static constexpr double tail[] = {
    0.9378398360103707,    0.1880263633074966,    -0.25651730798585454, 0.24914740037441377,
    -0.20978202934579457,  0.15151882415066448,   -0.08841833352801555, 0.029132540633538935,
    0.019256935359072438,  -0.0532431966937226,   0.07132204308716848,  -0.07449260167713652,
    0.06515915776183384,   -0.04704653026420502,  0.024254068766243014, -0.0009027188202829246,
    -0.01940514103376951,  0.033502382566647185,  -0.04024992264902199, 0.04210023974801188,
    -0.03895749425322122,  0.021340158350386898,  0.007019731101414052, -0.009673773867399859,
    -0.018610533219726135, 0.0052069403885979994, 0.06996911476563308,  -0.09472297636697924,
    0.018417626646794482,  0.04937655081756986,   -0.04031847356066935, 0.009755498289423264};
static constexpr double tailSingle[] = {0.937839835,  0.188026379,   -0.256517089,  0.249145336,
                                        -0.209793368, 0.151593729,   -0.0882025796, 0.0279827581,
                                        0.0174074524, -0.0446586061, 0.0782614514,  -0.1059016,
                                        0.0598048023};
/// Coefficients of (1 + 2x) erfcx(x) as a polynomial in (x - 4) / (x + 4), for x >= 0.
static constexpr double scaled[] = {
    1.2329951186255526,     -0.1396211168405623,     0.015379652102619604,
    0.06809705425466908,    -0.10103906603630056,    0.0937328349990944,
    -0.06633036581218697,   0.03716751552655567,     -0.016197734059799265,
    0.005031970067657489,   -0.0007577732613730956,  -0.00019925714661091188,
    0.0001506214900124047,  -2.4397746422436416e-05, -1.1221287012353486e-05,
    5.706604414895734e-06,  2.919733377963012e-07,   -8.210939042560568e-07,
    7.746992727017941e-08,  1.0633855618594884e-07,  -2.05606492756992e-08,
    -1.234686604382353e-08, 3.1695881915648173e-09,  9.311744978232572e-10,
    -2.659599690242689e-10};
static constexpr double scaledSingle[] = {
    1.23299512,      -0.139621086,   0.0153797687,  0.0680961749, -0.101040941,
    0.0937402055,    -0.0663190441,  0.0371404587,  -0.016230392, 0.00508226958,
    -0.000709132787, -0.00024843673, 0.000114208173};

//===-------------------------------------------------------------------------===//
// Inverses
//===-------------------------------------------------------------------------===//

/// Computes erfinv(x) for magnitudes up to 3/4.
static Number inverseNearZero(Number x) {
  return x * polynomial(fma(x, x, x.number(-9.0 / 32)), centre, centreSingle);
}
/// Computes erfcinv(x) for x up to 1/4.
static Number inverseOfTail(Number x) {
  Number root = (-logarithm(x)).apply<math::SqrtOp>();
  Number y = root * polynomial((root - 4.0) / (root + 4.0), tail, tailSingle);
  return (x == 0.0).choose(x.number(infinity), y);
}

Number pumice::triton::distribute::library::inverseErf(Number x) {
  Number a = x.abs(), far = inverseOfTail(1.0 - a).apply<math::CopySignOp>(x);
  return (a < 0.75).choose(inverseNearZero(x), far);
}

Number pumice::triton::distribute::library::inverseErfc(Number x) {
  Number less = 1.0 - x, isHigh = x > 1.0;
  Number far = inverseOfTail(isHigh.choose(2.0 - x, x));
  return (less.abs() < 0.75).choose(inverseNearZero(less), isHigh.choose(-far, far));
}

//===-------------------------------------------------------------------------===//
// exp(x²) erfc(x), and the normal distribution computed from it
//===-------------------------------------------------------------------------===//

/// Computes exp(x²) erfc(x) for x >= 0.
static Number scaledAbove(Number x) {
  Number y = polynomial((x - 4.0) / (x + 4.0), scaled, scaledSingle) / (x + x + 1.0);
  return (x > 1e9).choose((1 / std::sqrt(std::numbers::pi)) / x, y);
}
/// Limits x to `most`, beyond which the results do not change.
static Number limited(Number x, double most) { return x.apply<arith::MinimumFOp>(x.number(most)); }

Number pumice::triton::distribute::library::scaledErfc(Number x) {
  Number a = x.abs(), above = scaledAbove(a), least = limited(a, x.isDouble() ? 30 : 12);
  Exact square = exactProduct(least, least);
  Scaled power = exponential(square.rounded, square.rest);
  Number below = scaleByPower(power.fraction * 2.0, power.exponent) - above;
  return (x < 0.0).choose(below, above);
}

Number pumice::triton::distribute::library::normalDistribution(Number x) {
  Number a = limited(x.abs(), x.isDouble() ? 40 : 15);
  Exact half = exactProduct(a, a * 0.5);
  Scaled power = exponential(-half.rounded, -half.rest);
  Number part = power.fraction * scaledAbove(a * (1 / std::numbers::sqrt2)) * 0.5;
  Number tail = scaleByPower(part, power.exponent);
  return (x > 0.0).choose(1.0 - tail, tail);
}
