//===- TinyFloats.cpp - cvt from and to floats of 4 bits, and scales --------===//
//   before: cvt.rn.satfinite.e2m1x2.f32 d, a, b;
//   after:  the code of a number is the count of the bounds between codes that it exceeds
// e2m1 has the numbers 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. ue8m0 is 2^(code - 127), and
// its code 255 is NaN. The first of two operands becomes the upper half.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;

/// Rounds to the nearest even code. Numbers that are too large, and NaN, become the largest number.
static Number toE2m1(Translation &t, Number x) {
  Number bits = bitsOf(x), magnitude = x.abs();
  // A number halfway between two codes gets the even code. So the bounds below even codes are
  // compared by `>=`.
  const std::pair<double, bool> bounds[] = {{0.25, false}, {0.75, true}, {1.25, false},
                                            {1.75, true},  {2.5, false}, {3.5, true},
                                            {5.0, false}};
  Number code = t.constant(32, 0);
  for (auto [bound, isIncluded] : bounds) {
    Number at = x.number(bound);
    Number isBeyond = isIncluded ? magnitude >= at : magnitude > at;
    code = code + resize(isBeyond, 32);
  }
  Number sign = bits.apply<arith::ShRUIOp>(t.constant(32, 28)) & 8;
  return distribute::library::isNan(x).choose(t.constant(32, 7), code | sign);
}

static Number fromE2m1(Translation &t, Number code) {
  Number magnitude = code & 7, one = t.constant(32, 1);
  Number exponent = magnitude.apply<arith::ShRUIOp>(one) + t.constant(32, 126);
  Number bits = exponent.apply<arith::ShLIOp>(t.constant(32, 23)) |
                (magnitude & 1).apply<arith::ShLIOp>(t.constant(32, 22));
  bits = compare(magnitude, Predicate::eq, one).choose(t.constant(32, 0x3f000000), bits);
  bits = compare(magnitude, Predicate::eq, t.constant(32, 0)).choose(t.constant(32, 0), bits);
  Number sign = (code & 8).apply<arith::ShLIOp>(t.constant(32, 28));
  return asFloat(bits | sign, t.b.getF32Type());
}

/// Returns the exponent, or the next one if rounding is upwards. All smaller numbers get the
/// smallest exponent.
static Number toUe8m0(Translation &t, Number x, bool isUpwards) {
  Number bits = bitsOf(x), exponent = bits.apply<arith::ShRUIOp>(t.constant(32, 23)) & 0xff;
  if (isUpwards) {
    Number isNormal = compare(exponent, Predicate::ne, t.constant(32, 0));
    Number least = isNormal.choose(t.constant(32, 0), t.constant(32, 0x400000)); // 2^-127
    Number isMore = compare(bits & 0x7fffff, Predicate::ugt, least);
    exponent = exponent + resize(isMore, 32);
  }
  exponent = exponent.apply<arith::MinUIOp>(t.constant(32, 254));
  Number isNegative = compare(bits, Predicate::slt, t.constant(32, 0));
  exponent = isNegative.choose(t.constant(32, 0), exponent);
  return distribute::library::isNan(x).choose(t.constant(32, 255), exponent);
}

static Number fromUe8m0(Translation &t, Number code) {
  Number bits = code.apply<arith::ShLIOp>(t.constant(32, 23));
  bits = compare(code, Predicate::eq, t.constant(32, 0)).choose(t.constant(32, 0x400000), bits);
  Number isNan = compare(code, Predicate::eq, t.constant(32, 255));
  return asFloat(isNan.choose(t.constant(32, 0x7fffffff), bits), t.b.getF32Type());
}

static bool isTiny(PtxType type) { return type.kind == Kind::E2M1 || type.kind == Kind::UE8M0; }

/// Reads two numbers as f32, the lower one first. They are two operands, or the halves of one
/// operand.
static FailureOr<SmallVector<Number>> readTwo(Call &call, PtxType from) {
  Translation &t = call.t;
  SmallVector<Number> result;
  if (from.lanes == 1) {
    for (size_t i : {2, 1}) {
      FailureOr<Number> x = t.readFloat(call, call[i], from);
      if (failed(x))
        return failure();
      result.push_back(*x);
    }
    return result;
  }
  FailureOr<Number> word = t.read(call, call[1], from.width(), /*relaxed=*/isTiny(from));
  if (failed(word))
    return failure();
  for (unsigned lane = 0; lane < 2; ++lane) {
    Number part = word->apply<arith::ShRUIOp>(t.constant(from.width(), lane * from.bits));
    if (!isTiny(from)) {
      Number half = asFloat(resize(part, 16), t.floatType(from));
      result.push_back(half.to<arith::ExtFOp>(t.typeOf(t.b.getF32Type())));
      continue;
    }
    Number code = resize(part, 32) & ((int64_t(1) << from.bits) - 1);
    result.push_back(from.kind == Kind::E2M1 ? fromE2m1(t, code) : fromUe8m0(t, code));
  }
  return result;
}

LogicalResult ptx::convertTinyFloats(Call &call, PtxType to, PtxType from, StringRef rounding) {
  Translation &t = call.t;
  bool isOfWords = from.lanes == 1 && from.kind == Kind::Float && from.bits == 32;
  bool isOfHalves = from.lanes == 2 && (isTiny(from) || from.bits == 16);
  bool isToHalves = to.lanes == 2 && to.bits == 16 && to.isFloat();
  bool isUpwards = rounding == "rp";
  bool isRounded = to.kind == Kind::UE8M0 ? isUpwards || rounding == "rz" : rounding == "rn";
  if ((!isOfWords && !isOfHalves) || isTiny(to) == isTiny(from) || (isTiny(from) && !isToHalves) ||
      !isRounded)
    return call.error("expected types and a rounding that PTX converts, got '" +
                      call.instruction.opcode + "'");
  FailureOr<SmallVector<Number>> numbers = readTwo(call, from);
  if (failed(numbers))
    return failure();
  if (isTiny(from)) {
    SmallVector<Number> halves;
    for (Number x : *numbers)
      halves.push_back(bitsOf(x.to<arith::TruncFOp>(t.typeOf(t.floatType(to.element())))));
    return t.write(call, call[0], join(halves));
  }
  auto encoded = [&](Number x) {
    return to.kind == Kind::E2M1 ? toE2m1(t, x) : toUe8m0(t, x, isUpwards);
  };
  Number high = encoded((*numbers)[1]).apply<arith::ShLIOp>(t.constant(32, to.bits));
  Number word = resize(encoded((*numbers)[0]) | high, to.width());
  return t.write(call, call[0], word, /*isSigned=*/false, /*relaxed=*/true);
}
