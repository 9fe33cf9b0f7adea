//===- LibrarySpecial.cpp - gamma, inverse error and Bessel functions --------===//
#include "compiler/import/triton/distribute/LibraryCode.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute::library;

static constexpr double pi = std::numbers::pi;

/// Of pi times a number, which is brought between -1 and 1 first: that is exact.
static Number turned(Number x) { return x - (x * 0.5).apply<math::RoundEvenOp>() * 2.0; }
Number pumice::triton::distribute::library::sinPi(Number x) {
  return (turned(x) * pi).apply<math::SinOp>();
}
/// By the sine, which is exact where the cosine is small.
Number pumice::triton::distribute::library::cosPi(Number x) {
  return ((0.5 - turned(x).abs()) * pi).apply<math::SinOp>();
}

//===-------------------------------------------------------------------------===//
// The square root, correctly rounded, of f32: devices are off by a few units in the last place
//===-------------------------------------------------------------------------===//

namespace {
struct Product {
  Number rounded, rest;
};
} // namespace

/// Exactly, without a fused operation, which devices need not have.
static Product multiply(Number x, Number y) {
  auto upper = [](Number f) {
    Number bits = f.bitsOf();
    return Number{f.b, arith::AndIOp::create(*f.b, bits.value, bits.number(-4096).value)}.asFloat(
        f.type());
  };
  Number a = upper(x), b = upper(y), c = x - a, d = y - b, rounded = x * y;
  return {rounded, ((a * b - rounded) + a * d + c * b) + c * d};
}

/// x - y * z, of which no bit is lost where the product is near x.
static Number missing(Number x, Number y, Number z) {
  Product product = multiply(y, z);
  return (x - product.rounded) - product.rest;
}

/// A step of Newton's brings the device's root within a unit; then r is right where x lies above
/// r (r - unit) and not above r (r + unit).
Number pumice::triton::distribute::library::roundedRoot(Number x) {
  Number isSmall = x < 0x1p-62; // what is left over must not be subnormal
  Number scaled = isSmall.choose(x * 0x1p64, x);
  Number device = scaled.apply<math::SqrtOp>();
  Number better = device + missing(scaled, device, device) / (device + device);
  Number root = isNan(better).choose(device, better); // of 0 and infinity
  auto moved = [&](double units) { return (root.bitsOf() + units).asFloat(x.type()); };
  Number below = moved(-1), above = moved(1), none = x.number(0);
  Number result = (none >= missing(scaled, root, below)).choose(below, root);
  result = (missing(scaled, root, above) > none).choose(above, result);
  return isSmall.choose(result * 0x1p-32, result);
}

//===-------------------------------------------------------------------------===//
// Gamma: Lanczos' approximation with g = 7, and nine terms
//===-------------------------------------------------------------------------===//

static Number lanczosSum(Number x) {
  static constexpr double terms[] = {
      676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
      12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Number sum = x.number(0.99999999999980993);
  for (auto [i, term] : llvm::enumerate(terms))
    sum = sum + x.number(term) / (x + double(i + 1));
  return sum;
}

/// Of what is not less than 1/2.
static Number gammaAbove(Number x) {
  Number z = x - 1.0, t = z + 7.5;
  Number root = t.apply<math::PowFOp>((z + 0.5) * 0.5); // two factors: one overflows too early
  return lanczosSum(z) * std::sqrt(2 * pi) * root * (-t).apply<math::ExpOp>() * root;
}

Number pumice::triton::distribute::library::gamma(Number x) {
  Number isLow = x < 0.5;
  Number above = gammaAbove(isLow.choose(1.0 - x, x));
  return isLow.choose(x.number(pi) / (sinPi(x) * above), above);
}

Number pumice::triton::distribute::library::logGamma(Number x) {
  Number isLow = x < 0.5;
  Number z = isLow.choose(1.0 - x, x) - 1.0, t = z + 7.5;
  Number above = (z + 0.5) * t.apply<math::LogOp>() - t +
                 (lanczosSum(z) * std::sqrt(2 * pi)).apply<math::LogOp>();
  Number mirrored = (x.number(pi) / sinPi(x).abs()).apply<math::LogOp>() - above;
  return isLow.choose(mirrored, above);
}

//===-------------------------------------------------------------------------===//
// Error functions
//===-------------------------------------------------------------------------===//

/// A single-precision polynomial in w = -log(1 - x²); then Newton's steps with the function itself.
static Number inverseErfStart(Number x, Number w) {
  Number near =
      polynomial(w - 2.5, {1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087,
                           -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08});
  Number far = polynomial(w.apply<math::SqrtOp>() - 3.0,
                          {2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773,
                           -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257});
  return (w < 5.0).choose(near, far) * x;
}

/// Only f64 needs steps; what is infinite stays so.
template <typename Error> static Number refined(Number y, Error error) {
  if (!y.isDouble())
    return y;
  for (int step = 0; step < 2; ++step) {
    Number next = y - error(y) * (y * y).apply<math::ExpOp>() * (std::sqrt(pi) / 2);
    y = next.apply<math::IsFiniteOp>().choose(next, y);
  }
  return y;
}

Number pumice::triton::distribute::library::inverseErf(Number x) {
  Number w = -((1.0 - x) * (x + 1.0)).apply<math::LogOp>();
  Number y = refined(inverseErfStart(x, w), [&](Number y) { return y.apply<math::ErfOp>() - x; });
  Number infinity = x.number(std::numeric_limits<double>::infinity());
  return (x.abs() == 1.0).choose(infinity * x, y);
}

Number pumice::triton::distribute::library::inverseErfc(Number x) {
  Number w = -(x * (2.0 - x)).apply<math::LogOp>();
  Number y =
      refined(inverseErfStart(1.0 - x, w), [&](Number y) { return x - y.apply<math::ErfcOp>(); });
  Number infinity = x.number(std::numeric_limits<double>::infinity());
  y = (x == 0.0).choose(infinity, y);
  return (x == 2.0).choose(-infinity, y);
}

/// exp(x²) erfc(x), where both are numbers; beyond, its asymptotic series.
Number pumice::triton::distribute::library::scaledErfc(Number x) {
  Number square = x * x, rest = fma(x, x, -square);
  Number near = square.apply<math::ExpOp>() * (rest + 1.0) * x.apply<math::ErfcOp>();
  Number t = -0.5 / square, far = x.number(1), term = x.number(1);
  for (int k = 1; k <= 8; ++k) {
    term = term * t * double(2 * k - 1);
    far = far + term;
  }
  far = far / (x * std::sqrt(pi));
  return (x > 8.0).choose(far, near);
}

//===-------------------------------------------------------------------------===//
// Bessel functions: means of a periodic function over equal steps, which converge as fast as steps
// outnumber x; asymptotic series beyond
//===-------------------------------------------------------------------------===//

/// Coefficients of Hankel's series: (4n² - 1²)(4n² - 3²)… / (k! 8^k).
static SmallVector<double> hankel(int order, int count) {
  SmallVector<double> terms{1};
  for (int k = 1; k < count; ++k)
    terms.push_back(terms.back() * (4.0 * order * order - (2.0 * k - 1) * (2.0 * k - 1)) /
                    (8.0 * k));
  return terms;
}

/// Where both ways are exact enough.
static constexpr double seriesBegin = 25;
static constexpr int steps = 32;

Number pumice::triton::distribute::library::besselI(Number x, int order) {
  Number a = x.abs();
  // The mean of exp(a (cos t - 1)) cos(n t): what is left of exp(a) is put back at the end.
  Number sum = x.number(0);
  for (int k = 0; k < steps; ++k) {
    double t = pi * (k + 0.5) / steps;
    sum = sum + (a * (std::cos(t) - 1)).apply<math::ExpOp>() * (std::cos(order * t) / steps);
  }
  SmallVector<double> series = hankel(order, 16);
  for (size_t k = 1; k < series.size(); k += 2)
    series[k] = -series[k];
  Number far = polynomial(1.0 / a, series) / (a * (2 * pi)).apply<math::SqrtOp>();
  Number scaled = (a < seriesBegin).choose(sum, far) * a.apply<math::ExpOp>();
  if (order % 2)
    scaled = (x < 0.0).choose(-scaled, scaled);
  return scaled;
}

/// Amplitude and phase of both kinds where x is large.
static Number besselFar(Number a, int order, bool isSecond) {
  SmallVector<double> series = hankel(order, 16), even, odd;
  for (size_t k = 0; k < series.size(); k += 2) {
    double sign = k % 4 ? -1 : 1;
    even.push_back(sign * series[k]);
    odd.push_back(sign * series[k + 1]);
  }
  Number inverse = 1.0 / a, square = inverse * inverse;
  Number p = polynomial(square, even), q = polynomial(square, odd) * inverse;
  // cos(a - φ) and sin(a - φ), where φ = (2n + 1)π/4, by those of a: nothing is lost.
  double phase = (2 * order + 1) * pi / 4;
  Number c = a.apply<math::CosOp>(), s = a.apply<math::SinOp>();
  Number cosine = c * std::cos(phase) + s * std::sin(phase),
         sine = s * std::cos(phase) - c * std::sin(phase);
  Number amplitude = (a.number(2 / pi) / a).apply<math::SqrtOp>();
  return amplitude * (isSecond ? p * sine + q * cosine : p * cosine - q * sine);
}

Number pumice::triton::distribute::library::besselJ(Number x, int order) {
  Number a = x.abs(), near = x.number(0);
  for (int k = 0; k < steps; ++k) {
    double t = pi * (k + 0.5) / steps;
    Number angle = order * t - a * std::sin(t);
    near = near + angle.apply<math::CosOp>() * (1.0 / steps);
  }
  Number result = (a < seriesBegin).choose(near, besselFar(a, order, /*isSecond=*/false));
  if (order % 2)
    result = (x < 0.0).choose(-result, result);
  return result;
}

/// Neumann's series in J of all even, or odd, orders, each of which is a mean over the same steps:
/// so what they are multiplied by is summed here, and nothing cancels.
Number pumice::triton::distribute::library::besselY(Number x, int order) {
  constexpr double begin = 16;
  constexpr int count = 48, orders = 20;
  Number sum = x.number(0);
  for (int j = 0; j < count; ++j) {
    double t = pi * (j + 0.5) / count, weight = 0;
    for (int k = 1; k <= orders; ++k)
      weight += (k % 2 ? -1 : 1) *
                (order == 0 ? std::cos(2 * k * t) / k
                            : std::sin((2 * k + 1) * t) * (2 * k + 1) / (k * (k + 1.0)));
    Number angle = x * std::sin(t);
    Number part = order == 0 ? angle.apply<math::CosOp>() : angle.apply<math::SinOp>();
    sum = sum + part * (weight * (order == 0 ? 4 : 2) / (-pi * count));
  }
  double constant = std::numbers::egamma - order;
  Number near = ((x * 0.5).apply<math::LogOp>() + constant) * besselJ(x, order) * (2 / pi) + sum;
  if (order == 1)
    near = near - besselJ(x, 0) * (2 / pi) / x;
  return (x < begin).choose(near, besselFar(x, order, /*isSecond=*/true));
}
