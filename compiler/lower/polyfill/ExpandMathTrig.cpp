//===- ExpandMathTrig.cpp - sine, cosine, tangent ---------------------------===//
// Writes x = q pi/2 + r with |r| <= pi/4 and r as a pair of numbers, then evaluates polynomials.
// Below 2^15 (f32) or 2^23 (f64), the reduction subtracts q times pieces of pi/2 (Cody and Waite).
// Larger arguments take a branch that multiplies the significand by the relevant bits of 2/pi
// (Payne and Hanek). Every finite argument is reduced to full precision.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandMath.h"
#include "compiler/lower/polyfill/MathTables.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace pumice::lower;

namespace {
/// Represents q pi/2 + (r.hi + r.lo). q is an i32, of which only the two low bits matter.
struct Angle {
  Wide r;
  Val q;
};
} // namespace

static Angle reduceSmall(Val x) {
  Elementwise &e = x.e();
  auto pieces = e.pick(tables::halfPiPiecesF32, tables::halfPiPiecesF64);
  Val n = roundEven(x * (2 / 3.14159265358979323846));
  Val first = x - n * pieces[0];
  Wide second = twoSum(first, -(n * pieces[1]));
  Wide third = twoSum(second.hi, -(n * pieces[2]));
  Val rest = (second.lo + third.lo) - n * pieces[3];
  return {fastTwoSum(third.hi, rest), toInt32(n)};
}

/// Returns the 32-bit words of 2/pi from word `index` on. It emits a tree of selects, since
/// element-wise code cannot hold the constant table in memory.
static llvm::SmallVector<Val> wordsFrom(Val index, unsigned count, unsigned indexBits) {
  Elementwise &e = index.e();
  llvm::SmallVector<Val> words;
  unsigned needed = count + (1u << indexBits) - 1;
  for (unsigned i = 0; i < needed; ++i)
    words.push_back(e.integer(i < std::size(tables::twoOverPi) ? tables::twoOverPi[i] : 0));
  for (unsigned bit = indexBits; bit-- > 0;) {
    unsigned step = 1u << bit;
    Val taken = ne(index & step, 0);
    needed -= step;
    for (unsigned i = 0; i < needed; ++i)
      words[i] = select(taken, words[i + step], words[i]);
  }
  words.resize(count);
  return words;
}

/// Returns `count` words that start at bit `position` of the table.
static llvm::SmallVector<Val> window(Val position, unsigned count, unsigned indexBits) {
  llvm::SmallVector<Val> words = wordsFrom(position >> 5, count + 1, indexBits);
  Val shift = position & 31;
  // Shifts twice, since one shift by 32 would be undefined.
  for (unsigned i = 0; i < count; ++i)
    words[i] = (words[i] << shift) | ((words[i + 1] >> 1) >> (31 - shift));
  words.pop_back();
  return words;
}

/// Multiplies a fraction of a quarter turn by pi/2. The fraction is the sum of a, b and c, exact
/// parts of decreasing size.
static Wide timesHalfPi(Val a, Val b, Val c) {
  Elementwise &e = a.e();
  auto halfPi = e.pick(tables::halfPiF32, tables::halfPiF64);
  Wide sum = twoSum(a, b);
  Wide fraction = twoSum(sum.hi, sum.lo + c);
  return multiply(fraction, Wide{e.number(halfPi[0]), e.number(halfPi[1])});
}

/// Uses |x| = m 2^k with a 24-bit integer m. The window starts at the bit of 2/pi whose product
/// with m 2^k has weight 2. The 96-bit product, without its overflow, is |x| 2/pi mod 4. It has 94
/// bits after the binary point.
static Angle reduceLargeF32(Val x) {
  Elementwise &e = x.e();
  Val pattern = bits(abs(x));
  Val m = (pattern & 0x7FFFFF) | 0x800000;
  Val position = (pattern >> 23) - (150 - 30);
  llvm::SmallVector<Val> v = window(position, 3, 3);

  auto wide = [&](Val word) {
    auto product = mlir::arith::MulUIExtendedOp::create(e.b, m.get(), word.get());
    return Wide{e.wrap(product.getHigh()), e.wrap(product.getLow())};
  };
  Wide low = wide(v[2]), middle = wide(v[1]);
  Val r1 = middle.lo + low.hi;
  Val carry = zext(below(r1, middle.lo), 32);
  Val r0 = m * v[0] + middle.hi + carry;

  Val q = (r0 + (1u << 29)) >> 30;
  Val top = r0 - (q << 30);
  Val a = toFloat(shiftRightSigned(top, 12)) * 0x1p-18;
  Val b = toFloat(((top & 0xFFF) << 12) | (r1 >> 20)) * 0x1p-42;
  Val c = toFloat(((r1 & 0xFFFFF) << 4) | (low.lo >> 28)) * 0x1p-66;
  return {timesHalfPi(a, b, c), q};
}

/// Reduces like reduceLargeF32, with a 53-bit m and a window of 192 bits. Each i64 holds a word of
/// 32 bits.
static Angle reduceLargeF64(Val x) {
  Val pattern = bits(abs(x));
  Val m = (pattern & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull;
  Val position = trunc(pattern >> 52, 32) - (1075 - 30);
  llvm::SmallVector<Val> v = window(position, 6, 5);
  for (Val &word : v)
    word = zext(word, 64);

  // Adds m0 * v, and then m1 * v one word higher. Overflow out of the window is a multiple of 4.
  Val m0 = m & 0xFFFFFFFFll, m1 = m >> 32;
  llvm::SmallVector<Val> product(6);
  Val carry = m.constant(0);
  for (int i = 5; i >= 0; --i) {
    Val t = m0 * v[i] + carry;
    product[i] = t & 0xFFFFFFFFll;
    carry = t >> 32;
  }
  carry = m.constant(0);
  for (int i = 5; i >= 1; --i) {
    Val t = m1 * v[i] + product[i - 1] + carry;
    product[i - 1] = t & 0xFFFFFFFFll;
    carry = t >> 32;
  }

  Val high = (product[0] << 32) | product[1];
  Val low = (product[2] << 32) | product[3];
  Val q = (high + (1ull << 61)) >> 62;
  Val top = high - (q << 62);
  Val a = toFloat(shiftRightSigned(top, 30)) * 0x1p-32;
  Val b = toFloat(((top & ((1ll << 30) - 1)) << 23) | (low >> 41)) * 0x1p-85;
  Val c = toFloat(((low & ((1ll << 41) - 1)) << 12) | (product[4] >> 20)) * 0x1p-138;
  return {timesHalfPi(a, b, c), trunc(q, 32)};
}

static Angle reduce(Val x) {
  Elementwise &e = x.e();
  Val limit = e.number(e.pick(0x1p15, 0x1p23));
  Val large = ge(abs(x), limit);
  Angle small = reduceSmall(select(large, e.number(0), x));

  auto branch = mlir::scf::IfOp::create(
      e.b, e.b.getLoc(), anyElement(large),
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        Elementwise inner(builder, loc, x.get().getType(), e.real);
        // If any element is large, small elements get an argument that the window supports.
        Val argument =
            select(inner.wrap(large.get()), inner.wrap(x.get()), inner.wrap(limit.get()));
        Angle angle = e.isDouble() ? reduceLargeF64(argument) : reduceLargeF32(argument);
        Val negative = lt(argument, 0), taken = inner.wrap(large.get());
        auto merge = [&](Val of, Val other) {
          return select(taken, select(negative, -of, of), inner.wrap(other.get())).get();
        };
        mlir::scf::YieldOp::create(builder, loc,
                                   mlir::ValueRange{merge(angle.r.hi, small.r.hi),
                                                    merge(angle.r.lo, small.r.lo),
                                                    merge(angle.q, small.q)});
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc) {
        mlir::scf::YieldOp::create(
            builder, loc, mlir::ValueRange{small.r.hi.get(), small.r.lo.get(), small.q.get()});
      });
  return {{e.wrap(branch.getResult(0)), e.wrap(branch.getResult(1))}, e.wrap(branch.getResult(2))};
}

/// Returns sin(r) = r + r^3 p(r^2) + cos(r) r.lo as the two parts of the last sum.
static Wide wideSin(Wide r) {
  Elementwise &e = r.hi.e();
  Val z = r.hi * r.hi;
  Val p = polynomial(z, e.pick(tables::sinF32, tables::sinF64));
  return {r.hi, r.hi * z * p + r.lo * (1.0 - 0.5 * z)};
}

/// Returns cos(r) = 1 - r^2/2 + r^4 p(r^2) - sin(r) r.lo. The rounding error of 1 - r^2/2 is added
/// again.
static Wide wideCos(Wide r) {
  Elementwise &e = r.hi.e();
  Val z = r.hi * r.hi;
  Val p = polynomial(z, e.pick(tables::cosF32, tables::cosF64));
  Val half = 0.5 * z;
  Val w = 1.0 - half;
  return {w, ((1.0 - w) - half) + (z * z * p - r.hi * r.lo)};
}

static Val sinKernel(Wide r) {
  Wide s = wideSin(r);
  return s.hi + s.lo;
}

static Val cosKernel(Wide r) {
  Wide c = wideCos(r);
  return c.hi + c.lo;
}

/// Returns NaN if x is infinite or NaN, and `result` for other x.
static Val onlyFinite(Val x, Val result) {
  Elementwise &e = x.e();
  return select(lt(abs(x), e.inf()), result, e.nan());
}

static Val negateIf(Val condition, Val x) { return select(condition, -x, x); }

static Val sinOf(Val x, const Angle &angle, Val s, Val c) {
  Val odd = ne(angle.q & 1, 0), negative = ne(angle.q & 2, 0);
  Val result = negateIf(negative, select(odd, c, s));
  return select(eq(x, 0), x, onlyFinite(x, result));
}

static Val cosOf(Val x, const Angle &angle, Val s, Val c) {
  Val odd = ne(angle.q & 1, 0), negative = ne((angle.q + 1) & 2, 0);
  return onlyFinite(x, negateIf(negative, select(odd, s, c)));
}

/// The error is below 1 ulp for every finite argument.
polyfill::SinCos polyfill::sinCos(Val x) {
  Angle angle = reduce(x);
  Val s = sinKernel(angle.r), c = cosKernel(angle.r);
  return {sinOf(x, angle, s, c), cosOf(x, angle, s, c)};
}

Val polyfill::sin(Val x) {
  Angle angle = reduce(x);
  return sinOf(x, angle, sinKernel(angle.r), cosKernel(angle.r));
}

Val polyfill::cos(Val x) {
  Angle angle = reduce(x);
  return cosOf(x, angle, sinKernel(angle.r), cosKernel(angle.r));
}

/// Computes sin/cos in even quarters and -cos/sin in odd ones. Includes the remainder of the
/// division. The error is below 1.5 ulp.
Val polyfill::tan(Val x) {
  Angle angle = reduce(x);
  Wide s = wideSin(angle.r), c = wideCos(angle.r);
  s = fastTwoSum(s.hi, s.lo);
  c = fastTwoSum(c.hi, c.lo);
  Val odd = ne(angle.q & 1, 0);
  Wide numerator = {select(odd, -c.hi, s.hi), select(odd, -c.lo, s.lo)};
  Wide denominator = {select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
  Val result = divide(numerator, denominator);
  return select(eq(x, 0), x, onlyFinite(x, result));
}
