//===- LibraryBessel.cpp - Bessel functions of the device library -----------===//
// For small x, each function is the mean of a periodic function over equal steps. The mean
// converges quickly once there are more steps than x. For large x, the functions are asymptotic
// series. Recurrences give higher orders. The steps run in loops, because the code of f64 sines is
// long.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/LibraryCode.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace pumice;
using namespace pumice::triton::distribute::library;

static constexpr double pi = std::numbers::pi;
static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

//===-------------------------------------------------------------------------===//
// Loops
//===-------------------------------------------------------------------------===//

/// Returns a tile of the type of `like`, in which every element is the scalar.
static Number spread(Number scalar, Number like) {
  if (!isa<RankedTensorType>(like.type()))
    return scalar;
  return {like.b, tile::SplatOp::create(*like.b, like.with(scalar.type()), scalar.value)};
}

static Number integer(ImplicitLocOpBuilder &b, int32_t number) {
  return {&b, arith::ConstantOp::create(b, b.getI32IntegerAttr(number))};
}

/// Emits a loop over 0, 1, … below `count`. `body` maps the carried numbers to those of the next
/// iteration.
template <typename Body>
static SmallVector<Number> repeat(Number count, ArrayRef<Number> first, Body body) {
  ImplicitLocOpBuilder &b = *count.b;
  auto valuesOf = [](ArrayRef<Number> numbers) {
    return llvm::map_to_vector(numbers, [](Number number) { return number.value; });
  };
  auto numbersOf = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return Number{&b, value}; });
  };
  auto loop =
      scf::ForOp::create(b, integer(b, 0).value, count.value, integer(b, 1).value, valuesOf(first));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Number> next =
      body(Number{&b, loop.getInductionVar()}, numbersOf(loop.getRegionIterArgs()));
  scf::YieldOp::create(b, valuesOf(next));
  return numbersOf(loop.getResults());
}

/// Returns the largest element.
static Number largest(Number x) {
  while (auto type = dyn_cast<RankedTensorType>(x.type())) {
    Type rest = x.element();
    if (type.getRank() > 1)
      rest = tile::tensorOf(x.element(), tile::removeDimension(tile::layoutOf(type), 0).value());
    auto reduce = tile::ReduceOp::create(*x.b, TypeRange(rest), ValueRange(x.value), 0u);
    OpBuilder::InsertionGuard guard(*x.b);
    Block *block = x.b->createBlock(&reduce.getCombine(), {}, {x.element(), x.element()},
                                    {x.value.getLoc(), x.value.getLoc()});
    Value larger = arith::MaxSIOp::create(*x.b, block->getArgument(0), block->getArgument(1));
    tile::YieldOp::create(*x.b, larger);
    x = {x.b, reduce->getResult(0)};
  }
  return x;
}

namespace {
/// The angle `part` · pi of one step of a mean. All elements have the same angle.
struct Angle {
  Number part, like;

  Number itself(double times) const { return spread(part * (times * pi), like); }
  Number sine(double times = 1) const { return spread(sinPi(part * times), like); }
  Number cosine(double times = 1) const { return spread(cosPi(part * times), like); }
};
} // namespace

/// Returns the mean of `term` at the midpoints of `count` equal steps from 0 to pi.
template <typename Term> static Number mean(Number x, int count, Term term) {
  auto body = [&](Number i, ArrayRef<Number> carried) {
    Number part = (i.to<arith::SIToFPOp>(x.element()) + 0.5) / double(count);
    return SmallVector<Number>{carried[0] + term(Angle{part, x})};
  };
  return repeat(integer(*x.b, count), {x.number(0)}, body)[0] * (1.0 / count);
}

//===-------------------------------------------------------------------------===//
// Orders 0 and 1
//===-------------------------------------------------------------------------===//

/// Coefficients of Hankel's series: (4n² - 1²)(4n² - 3²)… / (k! 8^k).
static SmallVector<double> hankel(int order, int count) {
  SmallVector<double> terms{1};
  for (int k = 1; k < count; ++k)
    terms.push_back(terms.back() * (4.0 * order * order - (2.0 * k - 1) * (2.0 * k - 1)) /
                    (8.0 * k));
  return terms;
}

/// From `seriesBegin` on, the asymptotic series is accurate enough. Below it, the mean over this
/// number of steps is accurate enough.
static constexpr double seriesBegin = 25;
static constexpr int steps = 32;

/// Computes the function of order 1 near zero, where the means are inaccurate: x/2 times a series
/// in x²/4.
static Number oddSeries(Number x, double sign) {
  SmallVector<double> terms{1};
  for (int k = 1; k < 12; ++k)
    terms.push_back(sign * terms.back() / (k * (k + 1.0)));
  return x * 0.5 * polynomial(x * x * 0.25, terms);
}

Number pumice::triton::distribute::library::besselI(Number x, int order) {
  Number a = x.abs();
  // This mean is that of exp(a (cos t - 1)) cos(n t). The missing factor exp(a) follows at the end.
  Number near = mean(x, steps, [&](const Angle &t) {
    Number half = t.sine(0.5);
    return (a * half * half * -2.0).apply<math::ExpOp>() * t.cosine(order);
  });
  SmallVector<double> series = hankel(order, 16);
  for (size_t k = 1; k < series.size(); k += 2)
    series[k] = -series[k];
  Number far = polynomial(1.0 / a, series) / (a * (2 * pi)).apply<math::SqrtOp>();
  Scaled power = exponential(a, a.number(0));
  Number scaled =
      scaleByPower((a < seriesBegin).choose(near, far) * power.fraction, power.exponent);
  scaled = (a > 1000.0).choose(a.number(infinity), scaled);
  if (order == 0)
    return scaled;
  scaled = (x < 0.0).choose(-scaled, scaled);
  return (a < 2.0).choose(oddSeries(x, 1), scaled);
}

/// For large x, computes J, or Y if `isSecond`, from the amplitude and the phase.
static Number besselFar(Number a, int order, bool isSecond) {
  SmallVector<double> series = hankel(order, 16), even, odd;
  for (size_t k = 0; k < series.size(); k += 2) {
    double sign = k % 4 ? -1 : 1;
    even.push_back(sign * series[k]);
    odd.push_back(sign * series[k + 1]);
  }
  Number inverse = 1.0 / a, square = inverse * inverse;
  Number p = polynomial(square, even), q = polynomial(square, odd) * inverse;
  // Computes cos(a - φ) and sin(a - φ) from the cosine and sine of a, where φ = (2n + 1)π/4. A
  // direct computation of a - φ would lose bits.
  double phase = (2 * order + 1) * pi / 4;
  Number c = a.apply<math::CosOp>(), s = a.apply<math::SinOp>();
  Number cosine = c * std::cos(phase) + s * std::sin(phase),
         sine = s * std::cos(phase) - c * std::sin(phase);
  Number amplitude = (a.number(2 / pi) / a).apply<math::SqrtOp>();
  Number result = amplitude * (isSecond ? p * sine + q * cosine : p * cosine - q * sine);
  return (a == infinity).choose(a.number(0), result);
}

Number pumice::triton::distribute::library::besselJ(Number x, int order) {
  Number a = x.abs();
  Number near = mean(x, steps, [&](const Angle &t) {
    return (t.itself(order) - a * t.sine()).apply<math::CosOp>();
  });
  Number result = (a < seriesBegin).choose(near, besselFar(a, order, /*isSecond=*/false));
  if (order == 0)
    return result;
  result = (x < 0.0).choose(-result, result);
  return (a < 2.0).choose(oddSeries(x, -1), result);
}

/// Returns the weight of one step in Neumann's series, which sums J over all even, or all odd,
/// orders.
static Number neumannWeight(const Angle &t, int order, int orders) {
  auto body = [&](Number i, ArrayRef<Number> carried) {
    Number k = i.to<arith::SIToFPOp>(t.part.type()) + 1.0, twice = k + k;
    Number part = order == 0 ? cosPi(twice * t.part) / k
                             : sinPi((twice + 1.0) * t.part) * (twice + 1.0) / (k * (k + 1.0));
    Number isOdd = (i & 1) == 0.0; // k is i + 1
    return SmallVector<Number>{carried[0] + isOdd.choose(-part, part)};
  };
  return spread(repeat(integer(*t.like.b, orders), {t.part.number(0)}, body)[0], t.like);
}

/// Computes Y with Neumann's series. All of its terms are means over the same steps. So the weights
/// of each step are summed first, and nothing cancels.
Number pumice::triton::distribute::library::besselY(Number x, int order) {
  double begin = x.isDouble() ? seriesBegin : 16;
  int count = x.isDouble() ? 64 : 48, orders = x.isDouble() ? 30 : 20;
  Number sum = mean(x, count, [&](const Angle &t) {
    Number angle = x * t.sine();
    return (order == 0 ? angle.apply<math::CosOp>() : angle.apply<math::SinOp>()) *
           neumannWeight(t, order, orders);
  });
  sum = sum * ((order == 0 ? 4 : 2) / -pi);
  double constant = std::numbers::egamma - std::numbers::ln2 - order;
  Number near = (logarithm(x) + constant) * besselJ(x, order) * (2 / pi) + sum;
  if (order == 1)
    near = near - besselJ(x, 0) * (2 / pi) / x;
  Number result = (x < begin).choose(near, besselFar(x, order, /*isSecond=*/true));
  result = (x == 0.0).choose(x.number(-infinity), result);
  return (x < 0.0).choose(x.number(notANumber), result);
}

//===-------------------------------------------------------------------------===//
// Any order
//===-------------------------------------------------------------------------===//

/// Limits an order to one that is so far above x that J is zero from there on.
static Number limitedOrder(Number n, Number a) {
  Number most = n.number(1e9);
  Number twice = (a < 1e8).choose(a + a, a.number(2e8)).to<arith::FPToSIOp>(n.type()) + 2000.0;
  return n.apply<arith::MinSIOp>((a < 1e8).choose(twice, most));
}

/// For orders n from 2 on, uses the upward recurrence if n is at most x. Otherwise, uses the
/// downward recurrence from an order whose J is negligible, and divides by J0 + 2 J2 + 2 J4 + …,
/// whose exact value is 1.
Number pumice::triton::distribute::library::besselJOf(Number order, Number x) {
  Number a = x.abs(), n = limitedOrder(order, a), zero = x.number(0), one = x.number(1);
  Number real = n.to<arith::SIToFPOp>(x.type());
  double least = x.isDouble() ? 1e-180 : 1e-25, most = x.isDouble() ? 1e100 : 1e10;
  Number isTiny = a < least, isUpward = a >= real;
  Number j0 = besselJ(a, 0), j1 = besselJ(a, 1), twice = 2.0 / isTiny.choose(one, a);
  auto factor = [&](Number k) { return spread(k.to<arith::SIToFPOp>(x.element()), x) * twice; };

  Number upTo = isUpward.choose(n, n.number(0));
  auto upwards = [&](Number i, ArrayRef<Number> j) {
    Number k = i + 1.0, next = factor(k) * j[1] - j[0];
    Number goesOn = spread(k, n) < upTo;
    return SmallVector<Number>{goesOn.choose(j[1], j[0]), goesOn.choose(next, j[1])};
  };
  Number up = repeat(largest(upTo) - 1.0, {j0, j1}, upwards)[1];

  // The first order is even, and far enough above n for full precision.
  Number ahead = (real * (x.isDouble() ? 400.0 : 160.0)).apply<math::SqrtOp>();
  Number start = (n + ahead.to<arith::FPToSIOp>(n.type()) + 1.0) & -2;
  start = isUpward.choose(n.number(0), start);
  Number first = largest(start);
  auto downwards = [&](Number i, ArrayRef<Number> j) {
    Number k = first - i, all = spread(k, n), goesOn = start >= all;
    Number next = factor(k) * j[0] - j[1], last = j[0], sum = j[2], found = j[3];
    Number isLarge = next.abs() > most;
    auto scaled = [&](Number part) { return isLarge.choose(part * (1 / most), part); };
    next = scaled(next), last = scaled(last), sum = scaled(sum), found = scaled(found);
    sum = ((all & 1) == 0.0).choose(sum, sum + next);
    found = (all == n).choose(last, found);
    SmallVector<Number> made{next, last, sum, found};
    for (auto [number, old] : llvm::zip_equal(made, j))
      number = goesOn.choose(number, old);
    return made;
  };
  SmallVector<Number> down = repeat(first, {one, zero, zero, zero}, downwards);
  Number result = isUpward.choose(up, down[3] / (down[2] * 2.0 - down[0]));
  result = (isTiny | (a == infinity)).choose(zero, result);
  result = (n == 1.0).choose(j1, result);
  Number isOdd = (order & 1) == 1.0;
  result = (isOdd & (x < 0.0)).choose(-result, result);
  result = (n == 0.0).choose(j0, result);
  result = isNan(x).choose(x, result);
  return (order < 0.0).choose(x.number(notANumber), result);
}

Number pumice::triton::distribute::library::besselYOf(Number order, Number x) {
  Number n = limitedOrder(order, x.abs());
  Number y0 = besselY(x, 0), y1 = besselY(x, 1), twice = 2.0 / x;
  auto upwards = [&](Number i, ArrayRef<Number> y) {
    Number k = i + 1.0;
    Number next = spread(k.to<arith::SIToFPOp>(x.element()), x) * twice * y[1] - y[0];
    next = (y[1] == -infinity).choose(y[1], next);
    Number goesOn = spread(k, n) < n;
    return SmallVector<Number>{goesOn.choose(y[1], y[0]), goesOn.choose(next, y[1])};
  };
  Number result = repeat(largest(n) - 1.0, {y0, y1}, upwards)[1];
  result = (n == 0.0).choose(y0, result);
  result = (x == infinity).choose(x.number(0), result);
  return (order < 0.0).choose(x.number(notANumber), result);
}
