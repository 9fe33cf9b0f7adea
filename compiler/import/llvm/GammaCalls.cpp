//===- GammaCalls.cpp - OpenCL's gamma functions ----------------------------===//
// Gamma(x) = product / divisor * Gamma(r), where r lies between 1 and 2: each step by 1 multiplies
// one of them. There, Gamma is a polynomial, and its logarithm is (r - 1) (r - 2) times another. So
// the logarithm is exact near its zeros. The polynomials interpolate at Chebyshev's points.
//===-------------------------------------------------------------------------===//
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numbers>

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using F = arith::CmpFPredicate;

// Polynomials of r - 1.5, the highest power first: for f32, and for f64 (wide).
static constexpr double gammaTerms[] = {
    0.007484716578035859, -0.011218867339375906, 0.010731902396297227, -0.01603682942614149,
    0.025960329313602933, -0.03818597340620204,  0.058601187685352836, -0.07750938151051293,
    0.144645646774322,    -0.10729523605243217,  0.41481345110904844,  0.03233840131680834,
    0.886226925452758};
static constexpr double wideGammaTerms[] = {
    -2.6438768429449395e-05, 3.9658143069647206e-05, -1.3219345917290426e-05, 1.982897579460526e-05,
    -6.589010970777393e-05,  9.883488225564512e-05,  -0.00013162411099712862, 0.0001974344086362455,
    -0.00030114846153431635, 0.0004517117108378048,  -0.0006765072538293501,  0.0010146923613140158,
    -0.0015220166479794248,  0.002282599629071887,   -0.003422802025066698,   0.005131642793472937,
    -0.007690211387199283,   0.011522515426835783,   -0.0172224431127432,     0.02583760645467407,
    -0.038001935554878685,   0.058610303817196625,   -0.07752305229985407,    0.14464535904462134,
    -0.10729480456477221,    0.4148134536883012,     0.03233839744888501,     0.886226925452758};
static constexpr double logTerms[] = {
    -0.0005920239037255214, 0.0009585090935483713, -0.0011184132096307986, 0.0018491879253835115,
    -0.0032182068080868612, 0.005456284864522071,  -0.009425257787561038,  0.016796514370089517,
    -0.03130849537087994,   0.06291141368299658,   -0.1459598958869427,    0.48312895049714205};
static constexpr double wideLogTerms[] = {
    9.709216074231989e-07,  -1.5072452153499573e-06, 7.042780807676138e-07, -1.102612067708726e-06,
    2.958215255227661e-06,  -4.625457607882671e-06,  6.705768988864753e-06, -1.0534353120465444e-05,
    1.6740008153246913e-05, -2.6417953998861694e-05, 4.177534843234808e-05, -6.631104355104014e-05,
    0.00010562379141197883, -0.0001688945629022701,  0.0002712770900420811, -0.0004379951055640762,
    0.0007115222584559245,  -0.0011644144747619684,  0.0019229161402867507, -0.003212074077176656,
    0.0054464578445504955,  -0.009425622448470082,   0.01679709863118688,   -0.031308487501011,
    0.06291140107456494,    -0.14595989591430608,    0.4831289505409809};

/// From here on, Stirling's series gives the logarithm.
static constexpr double largeNumber = 20;
/// Its coefficients of 1/x, 1/x^3 and so on, the last first.
static constexpr double stirlingTerms[] = {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                                           1.0 / 1260,      -1.0 / 360, 1.0 / 12};

/// Gamma(x) = product / divisor * Gamma(rest).
struct Shifted {
  Value rest, product, divisor;
};

static bool isWide(Type type) { return getElementTypeOrSelf(type).isF64(); }

static Value polynomial(Call &c, Value x, ArrayRef<double> terms) {
  Value sum = c.constant(x.getType(), terms.front());
  for (double term : terms.drop_front())
    sum = c.op<arith::AddFOp>(c.op<arith::MulFOp>(sum, x), c.constant(x.getType(), term));
  return sum;
}

/// Moves x between 1 and 2, if it is nearer to them than `steps`. The divisor is also multiplied by
/// `scale`.
static Shifted shifted(Call &c, Value x, int64_t steps, Value scale) {
  Type i64 = c.b.getI64Type(), type = x.getType();
  Value one = c.constant(type, 1.0), two = c.constant(type, 2.0);
  auto loop = scf::ForOp::create(c.b, c.loc, c.constant(i64, 0), c.constant(i64, steps),
                                 c.constant(i64, 1), ValueRange{x, one, scale});
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getRegionIterArgs()[0], product = loop.getRegionIterArgs()[1],
        divisor = loop.getRegionIterArgs()[2];
  Value isHigh = c.compare(F::OGE, rest, two), isLow = c.compare(F::OLT, rest, one);
  Value lower = c.op<arith::SubFOp>(rest, one);
  Value more = c.op<arith::MulFOp>(product, lower), less = c.op<arith::MulFOp>(divisor, rest);
  Value next = c.select(isHigh, lower, c.select(isLow, c.op<arith::AddFOp>(rest, one), rest));
  scf::YieldOp::create(
      c.b, c.loc,
      ValueRange{next, c.select(isHigh, more, product), c.select(isLow, less, divisor)});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// Returns whether the greatest integer that is not above x is odd.
static Value hasOddFloor(Call &c, Value x) {
  Value half = c.op<arith::MulFOp>(c.op<math::FloorOp>(x), c.constant(x.getType(), 0.5));
  return c.compare(F::ONE, half, c.op<math::FloorOp>(half));
}

static Value isWhole(Call &c, Value x) { return c.compare(F::OEQ, x, c.op<math::FloorOp>(x)); }

static Value gammaOf(Call &c, Value x) {
  Type type = x.getType();
  bool wide = isWide(type);
  auto number = [&](double value) { return c.constant(type, value); };
  double infinity = std::numeric_limits<double>::infinity();
  // Beyond these numbers, the result is infinite or zero.
  double most = wide ? 172 : 36, least = wide ? -185 : -42;
  // Divisors of subnormal results would be infinite, so they are made smaller.
  Value scale =
      c.select(c.compare(F::OLT, x, number(-1.0)), number(wide ? 0x1p-60 : 0x1p-30), number(1.0));
  Shifted s = shifted(c, x, static_cast<int64_t>(most - least), scale);
  Value terms = polynomial(c, c.op<arith::SubFOp>(s.rest, number(1.5)),
                           wide ? ArrayRef(wideGammaTerms) : ArrayRef(gammaTerms));
  Value made = c.op<arith::MulFOp>(c.op<arith::DivFOp>(terms, s.divisor), s.product);
  made = c.op<arith::MulFOp>(made, scale);
  made = c.select(c.compare(F::OGE, x, number(most)), number(infinity), made);
  Value none = c.select(hasOddFloor(c, x), number(-0.0), number(0.0));
  made = c.select(c.compare(F::OLT, x, number(least)), none, made);
  Value isPole = c.op<arith::AndIOp>(isWhole(c, x), c.compare(F::OLT, x, number(0.0)));
  made = c.select(isPole, number(std::numeric_limits<double>::quiet_NaN()), made);
  return c.select(c.compare(F::OEQ, x, number(0.0)), c.op<math::CopySignOp>(number(infinity), x),
                  made);
}

/// Returns the logarithm of Gamma(x), for large x.
static Value stirling(Call &c, Value x) {
  Type type = x.getType();
  Value one = c.constant(type, 1.0), log = naturalLogarithm(c, x);
  Value inverse = c.op<arith::DivFOp>(one, x);
  Value series = polynomial(c, c.op<arith::MulFOp>(inverse, inverse), stirlingTerms);
  Value made = c.op<arith::MulFOp>(x, c.op<arith::SubFOp>(log, one));
  made = c.op<arith::SubFOp>(made, c.op<arith::MulFOp>(log, c.constant(type, 0.5)));
  constexpr double halfOfLog2Pi = 0.91893853320467274178;
  made = c.op<arith::AddFOp>(made, c.constant(type, halfOfLog2Pi));
  return c.op<arith::AddFOp>(made, c.op<arith::MulFOp>(series, inverse));
}

static Value logarithmOfGamma(Call &c, Value x) {
  Type type = x.getType();
  auto number = [&](double value) { return c.constant(type, value); };
  Value size = c.op<math::AbsFOp>(x);
  Shifted s = shifted(c, x, static_cast<int64_t>(largeNumber) + 2, number(1.0));
  // Gamma(x) is 1 / x near 0, where the quotient may be infinite.
  Value isTiny = c.compare(F::OLT, size, number(isWide(type) ? 0x1p-54 : 0x1p-25));
  Value factor = c.op<math::AbsFOp>(c.op<arith::DivFOp>(s.product, s.divisor));
  Value log = naturalLogarithm(c, c.select(isTiny, size, factor));
  Value terms = polynomial(c, c.op<arith::SubFOp>(s.rest, number(1.5)),
                           isWide(type) ? ArrayRef(wideLogTerms) : ArrayRef(logTerms));
  Value zeros = c.op<arith::MulFOp>(c.op<arith::SubFOp>(s.rest, number(1.0)),
                                    c.op<arith::SubFOp>(s.rest, number(2.0)));
  Value small = c.op<arith::AddFOp>(log, c.op<arith::MulFOp>(zeros, terms));
  small = c.select(isTiny, c.op<arith::NegFOp>(log), small);
  Value large = stirling(c, size);
  // Gamma(x) Gamma(-x) = -pi / (x sin(pi x))
  Value sine = c.op<arith::MulFOp>(size, c.op<math::AbsFOp>(sineOfPi(c, x)));
  Value reflected = c.op<arith::SubFOp>(
      naturalLogarithm(c, c.op<arith::DivFOp>(number(std::numbers::pi), sine)), large);
  large = c.select(c.compare(F::OLT, x, number(0.0)), reflected, large);
  Value made = c.select(c.compare(F::OLT, size, number(largeNumber)), small, large);
  Value isPole = c.op<arith::AndIOp>(isWhole(c, x), c.compare(F::OLE, x, number(0.0)));
  isPole = c.op<arith::OrIOp>(isPole, c.op<math::IsInfOp>(x));
  made = c.select(isPole, number(std::numeric_limits<double>::infinity()), made);
  return c.select(c.op<math::IsNaNOp>(x), x, made);
}

/// Stores the sign of Gamma(x), or 0 if it is infinite, and returns the logarithm of its size.
static Value logarithmAndSign(Call &c) {
  Value x = c.x[0], zero = c.constant(x.getType(), 0.0);
  Type integers = Build::with(x.getType(), c.b.getI32Type());
  Value isNegative = c.op<arith::AndIOp>(c.compare(F::OLT, x, zero), hasOddFloor(c, x));
  Value sign = c.select(isNegative, c.constant(integers, -1), c.constant(integers, 1));
  Value isPole = c.op<arith::AndIOp>(isWhole(c, x), c.compare(F::OLE, x, zero));
  c.f.store(c.pointer(1), c.x[1], c.select(isPole, c.constant(integers, 0), sign), 0);
  return logarithmOfGamma(c, x);
}

Made llvm_import::translateGamma(Call &c) {
  bool hasSign = c.name == "lgamma_r";
  if (!c.result || !c.isFloat() || (!hasSign && c.name != "lgamma" && c.name != "tgamma"))
    return std::nullopt;
  NarrowResult narrow(c, true);
  Value made = hasSign              ? logarithmAndSign(c)
               : c.name == "tgamma" ? gammaOf(c, c.x[0])
                                    : logarithmOfGamma(c, c.x[0]);
  return narrow.finish(made);
}
