//===- LibraryRounding.cpp - arithmetic rounded in a given direction --------===//
// Devices round to nearest. The rounding error is computed exactly, with the well-known splittings
// of sums and products. Its sign shows whether the neighbouring number is the result. Operands are
// scaled if the error would be too small to represent.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/LibraryRounding.h"

#include <cmath>

using namespace mlir;
using namespace pumice::triton::distribute::library;

//===-------------------------------------------------------------------------===//
// Neighbours
//===-------------------------------------------------------------------------===//

static Number moved(Number x, double units) { return (x.bitsOf() + units).asFloat(x.type()); }
static Number isNegative(Number x) { return x.bitsOf() < 0.0; }
static Number isFinite(Number x) { return x.apply<math::IsFiniteOp>(); }
static Number isInfinite(Number x) { return x.apply<math::IsInfOp>(); }
static Number likeSignOf(double x, Number sign) {
  return sign.number(x).apply<math::CopySignOp>(sign);
}

static Number above(Number x) {
  Number least = x.bitsOf().number(1).asFloat(x.type());
  return (x == 0.0).choose(least, isNegative(x).choose(moved(x, -1), moved(x, 1)));
}
static Number below(Number x) { return -above(-x); }

/// Rounds in the given direction. The sign of `error` is that of the exact result minus `nearest`.
static Number directed(Number nearest, Number error, Direction direction) {
  switch (direction) {
  case Direction::Down:
    return (error < 0.0).choose(below(nearest), nearest);
  case Direction::Up:
    return (error > 0.0).choose(above(nearest), nearest);
  case Direction::ToZero:
    break;
  }
  Number isNear = isNegative(nearest).choose(error > 0.0, error < 0.0);
  return isNear.choose(moved(nearest, -1), nearest);
}

/// Corrects the error for two special results. An infinite result of finite operands is larger than
/// the exact result, and a zero is smaller, unless it is exact.
static Number mendedError(Number nearest, Number error, Number areFinite, Number isExactZero) {
  error = (isInfinite(nearest) & areFinite).choose(-nearest, error);
  Number sign = likeSignOf(1, nearest);
  return (nearest == 0.0).choose(isExactZero.choose(nearest, sign), error);
}

//===-------------------------------------------------------------------------===//
// Exact sums and products
//===-------------------------------------------------------------------------===//

namespace {
struct Ordered {
  Number large, small;
};
} // namespace

static Ordered byMagnitude(Number x, Number y) {
  Number isFirst = x.abs() >= y.abs();
  return {isFirst.choose(x, y), isFirst.choose(y, x)};
}

static Exact add(Number x, Number y) {
  auto [large, small] = byMagnitude(x, y);
  Number sum = x + y;
  return {sum, small - (sum - large)};
}

/// Multiplies without a fused operation, which devices may lack. Each number is split into halves,
/// whose products need no rounding. The upper half of an f64 is rounded, so that the lower half
/// also has at most 26 bits.
Exact pumice::triton::distribute::library::exactProduct(Number x, Number y) {
  auto upper = [](Number f) {
    Number bits = f.bitsOf();
    if (!f.isDouble())
      return (bits & -(int64_t(1) << 12)).asFloat(f.type());
    return ((bits + 0x1p26) & -(int64_t(1) << 27)).asFloat(f.type());
  };
  if (x.isDouble()) { // keeps the halves of huge numbers finite
    Number left = x.abs() > 0x1p900, right = y.abs() > 0x1p900;
    auto moved = [](Number f, Number down, Number up) {
      return down.choose(f * 0x1p-100, up.choose(f * 0x1p100, f));
    };
    Number first = moved(x, left, right);
    y = moved(y, right, left), x = first;
  }
  Number a = upper(x), b = upper(y), c = x - a, d = y - b, rounded = x * y;
  return {rounded, ((a * b - rounded) + a * d + c * b) + c * d};
}

/// Returns x - y * z. The result is exact if the product is near x.
static Number missing(Number x, Number y, Number z) {
  Exact product = exactProduct(y, z);
  return (x - product.rounded) - product.rest;
}

namespace {
/// Powers of two that scale small numbers to the range of normal numbers, so that products and
/// their rounding errors keep all bits. `down` reverses `up`.
struct Scale {
  double small, up, down;
};
} // namespace
static Scale scaleOf(Number x) {
  return x.isDouble() ? Scale{0x1p-800, 0x1p400, 0x1p-400} : Scale{0x1p-60, 0x1p100, 0x1p-100};
}

//===-------------------------------------------------------------------------===//
// The operations
//===-------------------------------------------------------------------------===//

/// A Newton step improves the device's root, which is then within one unit of the result. The
/// result is r if x is above r (r - unit) and at most r (r + unit).
Number pumice::triton::distribute::library::roundedRoot(Number x) {
  Number isSmall = x < 0x1p-62; // the error in the Newton step must not be subnormal
  Number scaled = isSmall.choose(x * 0x1p64, x);
  Number device = scaled.apply<math::SqrtOp>();
  Number better = device + missing(scaled, device, device) / (device + device);
  Number root = isNan(better).choose(device, better); // for 0 and infinity
  Number lower = moved(root, -1), upper = moved(root, 1), none = x.number(0);
  Number result = (none >= missing(scaled, root, lower)).choose(lower, root);
  result = (missing(scaled, root, upper) > none).choose(upper, result);
  return isSmall.choose(result * 0x1p-32, result);
}

/// Gives a zero sum its sign. If rounding is downwards, terms that cancel give -0, but the sum of
/// two +0 is +0.
static Number zeroOfSum(Number nearest, Number x, Number y, Direction direction) {
  if (direction != Direction::Down)
    return nearest;
  Number bits = x.bitsOf() | y.bitsOf();
  Number zero = (bits == 0.0).choose(nearest.number(0), nearest.number(-0.0));
  return (nearest == 0.0).choose(zero, nearest);
}

Number pumice::triton::distribute::library::addRounded(Number x, Number y, Direction direction) {
  Exact sum = add(x, y);
  Number overflows = isInfinite(sum.rounded) & isFinite(x) & isFinite(y);
  Number error = overflows.choose(-sum.rounded, sum.rest);
  return zeroOfSum(directed(sum.rounded, error, direction), x, y, direction);
}

Number pumice::triton::distribute::library::multiplyRounded(Number x, Number y,
                                                            Direction direction) {
  auto [large, small] = byMagnitude(x, y);
  Scale scale = scaleOf(x);
  Number nearest = x * y, isSmall = nearest.abs() < scale.small;
  Number isLarge = nearest.abs() > 1 / scale.small;
  Exact product = exactProduct(isLarge.choose(large * scale.down, large),
                               isSmall.choose(small * scale.up, small));
  Number scaled = isLarge.choose(nearest * scale.down, isSmall.choose(nearest * scale.up, nearest));
  Number error = (product.rounded - scaled) + product.rest;
  error = mendedError(nearest, error, isFinite(x) & isFinite(y), (x == 0.0) | (y == 0.0));
  return directed(nearest, error, direction);
}

Number pumice::triton::distribute::library::divideRounded(Number x, Number y, Direction direction) {
  // Both operands are scaled by the same factor, so that no result is subnormal or infinite.
  double limit = x.isDouble() ? 0x1p900 : 0x1p98, by = x.isDouble() ? 0x1p200 : 0x1p64;
  Number nearest = x / y, isSmall = x.abs()<1 / limit, isLarge = x.abs()> limit;
  auto scaled = [&](Number f) { return isSmall.choose(f * by, isLarge.choose(f * (1 / by), f)); };
  Number error = missing(scaled(x), nearest, scaled(y)) * likeSignOf(1, y);
  // A division by zero is exactly infinite, and not a number that is too large.
  Number areFinite = isFinite(x) & isFinite(y) & (y.abs() > 0.0);
  error = mendedError(nearest, error, areFinite, (x == 0.0) | isInfinite(y));
  return directed(nearest, error, direction);
}

Number pumice::triton::distribute::library::rootRounded(Number x, Direction direction) {
  Scale scale = scaleOf(x);
  double half = std::sqrt(scale.up);
  Number nearest = x.isDouble() ? x.apply<math::SqrtOp>() : roundedRoot(x);
  Number isSmall = x < scale.small, isLarge = x > 1 / scale.small;
  auto scaled = [&](Number f, double by) {
    return isSmall.choose(f * by, isLarge.choose(f * (1 / by), f));
  };
  Number root = scaled(nearest, half);
  return directed(nearest, missing(scaled(x, scale.up), root, root), direction);
}

Number pumice::triton::distribute::library::fmaRounded(Number x, Number y, Number z,
                                                       Direction direction) {
  Scale scale = scaleOf(x);
  double most = x.isDouble() ? 0x1p1000 : 0x1p120, down = 0x1p-8;
  auto [large, small] = byMagnitude(x, y);
  Number plain = x * y;
  Number isLarge = plain.abs() > most;
  Number isSmall = (plain.abs() < scale.small) & (z.abs() < scale.small);
  auto byCase = [&](double large, double small) {
    return isLarge.choose(x.number(large), isSmall.choose(x.number(small), x.number(1)));
  };
  Number factor = byCase(down, scale.up), back = byCase(1 / down, scale.down);
  Exact product =
      exactProduct(isLarge.choose(large * down, large), isSmall.choose(small * scale.up, small));
  // A term that became zero by scaling counts as the least number with its sign, because only the
  // sign matters.
  auto visible = [](Number part, Number isNothing) {
    Number least = part.bitsOf().number(1).asFloat(part.type()).apply<math::CopySignOp>(part);
    return (part == 0.0).choose(isNothing.choose(part, least), part);
  };
  Number first = visible(product.rounded, (x == 0.0) | (y == 0.0));
  Number last = visible(z * factor, z == 0.0);
  Exact high = add(first, last), low = add(high.rest, product.rest);
  Exact sum = add(high.rounded, low.rounded);
  Number nearest = sum.rounded * back;
  Number error = (sum.rounded - nearest * factor) + sum.rest + low.rest;
  nearest = isInfinite(high.rounded).choose(high.rounded, nearest);
  Number areFinite = isFinite(x) & isFinite(y) & isFinite(z);
  error = (isInfinite(nearest) & areFinite).choose(-nearest, error);
  Number result = directed(nearest, error, direction);
  Number cancels = (nearest == 0.0) & (error == 0.0);
  result = cancels.choose(zeroOfSum(plain + z, plain, z, direction), result);
  Number other = (isFinite(x) & isFinite(y)).choose(z, plain + z);
  return areFinite.choose(result, other);
}

//===-------------------------------------------------------------------------===//
// Conversions
//===-------------------------------------------------------------------------===//

Number pumice::triton::distribute::library::narrowRounded(Number x, Type type,
                                                          Direction direction) {
  Number nearest = x.to<arith::TruncFOp>(type);
  return directed(nearest, x - nearest.to<arith::ExtFOp>(x.type()), direction);
}

Number pumice::triton::distribute::library::fromIntegerRounded(Number x, Type type, bool isSigned,
                                                               Direction direction) {
  unsigned kept = getElementTypeOrSelf(type).isF64() ? 53 : 24;
  Number zero = x.number(0), isBelow = isSigned ? x < 0.0 : zero < zero;
  Number magnitude = isSigned ? isBelow.choose(-x, x) : x;
  // The number of bits that do not fit in the float.
  Number extra = x.number(double(x.bits() - kept)) - magnitude.apply<math::CountLeadingZerosOp>();
  extra = extra.apply<arith::MaxSIOp>(zero);
  Number ones = x.number(1).apply<arith::ShLIOp>(extra) - 1.0, lost = magnitude & ones;
  Number result = (magnitude - lost).to<arith::UIToFPOp>(type);
  Number next = (lost == 0.0).choose(result, moved(result, 1));
  if (direction == Direction::Down)
    result = isBelow.choose(next, result);
  if (direction == Direction::Up)
    result = isBelow.choose(result, next);
  return isBelow.choose(-result, result);
}
