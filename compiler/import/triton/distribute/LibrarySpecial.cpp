//===- LibrarySpecial.cpp - gamma functions and inverses of error functions ---===//
#include "compiler/import/triton/distribute/LibraryCode.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute::library;

static constexpr double pi = std::numbers::pi;

/// Of pi times a number, which is brought between -1 and 1 first: that is exact.
static Number turned(Number x) { return x - (x * 0.5).apply<math::RoundEvenOp>() * 2.0; }
/// Beyond a quarter of a turn by what is left to the half: small sines keep their digits.
Number pumice::triton::distribute::library::sinPi(Number x) {
  Number r = turned(x), a = r.abs(), near = (a > 0.5).choose(1.0 - a, a);
  return (near * pi).apply<math::SinOp>().apply<math::CopySignOp>((r == 0.0).choose(x, r));
}
/// By the sine, which is exact where the cosine is small.
Number pumice::triton::distribute::library::cosPi(Number x) {
  return ((0.5 - turned(x).abs()) * pi).apply<math::SinOp>();
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
