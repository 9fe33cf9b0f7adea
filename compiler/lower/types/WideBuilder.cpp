//===- WideBuilder.cpp - extension and rounding of widened values -----------===//
// Rounding works on the bits of an f32 instead of adding magic numbers. Shader compilers may
// simplify (x + c) - c, and Vulkan leaves the rounding mode of additions to the device.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/types/StorageTypes.h"
#include "compiler/lower/types/WidenTypes.h"

using namespace mlir;
using namespace pumice::lower;
using arith::CmpIPredicate;

Value WideBuilder::constant(Value like, Type element, uint64_t value) {
  Type type = withShapeOf(like.getType(), element);
  auto integer = cast<IntegerType>(element);
  TypedAttr attr = IntegerAttr::get(element, APInt(integer.getWidth(), value,
                                                   /*isSigned=*/false, /*implicitTrunc=*/true));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value WideBuilder::op(CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
}

Value WideBuilder::bits(Value f32) {
  return arith::BitcastOp::create(b, loc, withShapeOf(f32.getType(), b.getI32Type()), f32);
}

Value WideBuilder::asFloat(Value i32) {
  return arith::BitcastOp::create(b, loc, withShapeOf(i32.getType(), b.getF32Type()), i32);
}

//===-------------------------------------------------------------------------===//
// Integers
//===-------------------------------------------------------------------------===//

Value WideBuilder::extended(Value wide, Type narrow, Extend how) {
  Type have = getElementTypeOrSelf(wide);
  unsigned width = narrow.getIntOrFloatBitWidth();
  if (how == Extend::None || !have.isInteger() || have.getIntOrFloatBitWidth() == width)
    return wide;
  if (how == Extend::Zero)
    return op<arith::AndIOp>(wide, constant(wide, have, (uint64_t(1) << width) - 1));
  Value unused = constant(wide, have, have.getIntOrFloatBitWidth() - width);
  return op<arith::ShRSIOp>(op<arith::ShLIOp>(wide, unused), unused);
}

Value WideBuilder::resized(Value value, Type element, Extend how) {
  unsigned have = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  unsigned want = element.getIntOrFloatBitWidth();
  Type type = withShapeOf(value.getType(), element);
  if (have == want)
    return value;
  if (have > want)
    return arith::TruncIOp::create(b, loc, type, value);
  if (how == Extend::Sign)
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

//===-------------------------------------------------------------------------===//
// Floats
//===-------------------------------------------------------------------------===//

/// Rounds the low `count` bits of `value` away, to nearest even. Adds half of the last kept bit, or
/// one unit less if that bit is zero. Then clears the low bits.
static Value roundLowBits(WideBuilder &w, Value value, unsigned count) {
  Type i32 = getElementTypeOrSelf(value);
  Value last = w.op<arith::ShRUIOp>(value, w.constant(value, i32, count));
  last = w.op<arith::AndIOp>(last, w.constant(value, i32, 1));
  Value bias = w.op<arith::AddIOp>(last, w.constant(value, i32, (1u << (count - 1)) - 1));
  Value sum = w.op<arith::AddIOp>(value, bias);
  return w.op<arith::AndIOp>(sum, w.constant(value, i32, ~((1u << count) - 1)));
}

Value WideBuilder::rounded(Value f32, FloatType narrow) {
  if (narrow.isF16())
    return roundedToF16(f32);
  assert(narrow.isBF16());
  Type i32 = b.getI32Type();
  Value all = bits(f32);
  Value result = roundLowBits(*this, all, 16);
  // A NaN must not round to infinity. It becomes quiet, and its low bits are dropped.
  Value magnitude = op<arith::AndIOp>(all, constant(all, i32, 0x7fffffff));
  Value isNan = op(CmpIPredicate::ugt, magnitude, constant(all, i32, 0x7f800000));
  Value nan = op<arith::OrIOp>(all, constant(all, i32, 0x00400000));
  nan = op<arith::AndIOp>(nan, constant(all, i32, 0xffff0000));
  return asFloat(arith::SelectOp::create(b, loc, isNan, nan, result));
}

Value WideBuilder::roundedToF16(Value f32) {
  Type i32 = b.getI32Type();
  Value all = bits(f32);
  auto c = [&](uint32_t value) { return constant(all, i32, value); };
  auto select = [&](Value is, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, is, yes, no);
  };
  Value magnitude = op<arith::AndIOp>(all, c(0x7fffffff));
  Value sign = op<arith::AndIOp>(all, c(0x80000000));

  // Normal results keep 10 of the 23 fraction bits. Values from 65520 on become infinite.
  Value normal = roundLowBits(*this, magnitude, 13);
  Value isInfinite = op(CmpIPredicate::uge, normal, c(0x47800000));
  normal = select(isInfinite, c(0x7f800000), normal);
  Value nan = op<arith::OrIOp>(magnitude, c(0x00400000));
  nan = op<arith::AndIOp>(nan, c(0xffffe000));
  Value isNan = op(CmpIPredicate::ugt, magnitude, c(0x7f800000));
  normal = select(isNan, nan, normal);

  // Below 2^-14, results are multiples of 2^-24. The significand is shifted right by 126 -
  // exponent, which is at least 14. A shift by 25 or more gives zero.
  Value exponent = op<arith::ShRUIOp>(magnitude, c(23));
  Value shift = op<arith::SubIOp>(c(126), exponent);
  shift = arith::MinUIOp::create(b, loc, shift, c(25));
  shift = arith::MaxUIOp::create(b, loc, shift, c(14)); // keeps unused shifts valid
  Value significand = op<arith::AndIOp>(magnitude, c(0x007fffff));
  significand = op<arith::OrIOp>(significand, c(0x00800000));
  Value last = op<arith::AndIOp>(op<arith::ShRUIOp>(significand, shift), c(1));
  Value half = op<arith::ShLIOp>(c(1), op<arith::SubIOp>(shift, c(1)));
  Value bias = op<arith::SubIOp>(op<arith::AddIOp>(half, last), c(1));
  Value count = op<arith::ShRUIOp>(op<arith::AddIOp>(significand, bias), shift);
  Type floats = withShapeOf(all.getType(), b.getF32Type());
  Value steps = arith::UIToFPOp::create(b, loc, floats, count);
  Value small = bits(op<arith::MulFOp>(steps, asFloat(c(0x33800000)))); // 2^-24
  Value isSmall = op(CmpIPredicate::ult, magnitude, c(0x38800000));     // 2^-14
  return asFloat(op<arith::OrIOp>(select(isSmall, small, normal), sign));
}

Value WideBuilder::floatToBits(Value f32, FloatType narrow) {
  Type i32 = b.getI32Type();
  Value all = bits(f32);
  auto c = [&](uint32_t value) { return constant(all, i32, value); };
  if (narrow.isBF16())
    return op<arith::ShRUIOp>(all, c(16));
  Value magnitude = op<arith::AndIOp>(all, c(0x7fffffff));
  Value sign = op<arith::AndIOp>(op<arith::ShRUIOp>(all, c(16)), c(0x8000));
  // For normal numbers, the exponent's bias changes by 112. The exponent of infinity and NaN stays
  // all ones.
  Value normal = op<arith::ShRUIOp>(op<arith::SubIOp>(magnitude, c(112u << 23)), c(13));
  Value special = op<arith::OrIOp>(op<arith::ShRUIOp>(magnitude, c(13)), c(0x7c00));
  special = op<arith::AndIOp>(special, c(0x7fff));
  Value isSpecial = op(CmpIPredicate::uge, magnitude, c(0x7f800000));
  normal = arith::SelectOp::create(b, loc, isSpecial, special, normal);
  // For subnormal numbers, expresses the value as a multiple of 2^-24. The product and the
  // conversion are exact.
  Value steps = op<arith::MulFOp>(asFloat(magnitude), asFloat(c(0x4b800000))); // 2^24
  Value isSmall = op(CmpIPredicate::ult, magnitude, c(0x38800000));
  Value bounded = arith::SelectOp::create(b, loc, isSmall, steps, asFloat(c(0)));
  Value small = arith::FPToUIOp::create(b, loc, all.getType(), bounded);
  Value result = arith::SelectOp::create(b, loc, isSmall, small, normal);
  return op<arith::OrIOp>(result, sign);
}

Value WideBuilder::bitsToFloat(Value bits, FloatType narrow) {
  Type i32 = b.getI32Type();
  auto c = [&](uint32_t value) { return constant(bits, i32, value); };
  if (narrow.isBF16())
    return asFloat(op<arith::ShLIOp>(bits, c(16)));
  Value magnitude = op<arith::AndIOp>(bits, c(0x7fff));
  Value sign = op<arith::ShLIOp>(op<arith::AndIOp>(bits, c(0x8000)), c(16));
  Value placed = op<arith::ShLIOp>(magnitude, c(13));
  Value normal = op<arith::AddIOp>(placed, c(112u << 23));
  Value special = op<arith::OrIOp>(placed, c(0x7f800000));
  Value isSpecial = op(CmpIPredicate::uge, magnitude, c(0x7c00));
  normal = arith::SelectOp::create(b, loc, isSpecial, special, normal);
  Type floats = withShapeOf(bits.getType(), b.getF32Type());
  Value steps = arith::UIToFPOp::create(b, loc, floats, magnitude);
  Value small = this->bits(op<arith::MulFOp>(steps, asFloat(c(0x33800000)))); // 2^-24
  Value isSmall = op(CmpIPredicate::ult, magnitude, c(0x0400));
  Value result = arith::SelectOp::create(b, loc, isSmall, small, normal);
  return asFloat(op<arith::OrIOp>(result, sign));
}

//===-------------------------------------------------------------------------===//
// Rounding to odd keeps the high bits, and sets the last of them if any lost bit was set. A second
// rounding that removes at least two more bits can then see on which side of a tie the value was.
//===-------------------------------------------------------------------------===//

Value WideBuilder::truncatedToOdd(Value f64) {
  Type i32 = b.getI32Type();
  Value near = arith::TruncFOp::create(b, loc, withShapeOf(f64.getType(), b.getF32Type()), f64);
  Value back = arith::ExtFOp::create(b, loc, f64.getType(), near);
  Value farther =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back),
                            math::AbsFOp::create(b, loc, f64));
  Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, f64);
  Value all = bits(near);
  Value step = arith::ExtUIOp::create(b, loc, withShapeOf(f64.getType(), i32), farther);
  Value sticky = arith::ExtUIOp::create(b, loc, withShapeOf(f64.getType(), i32), inexact);
  return asFloat(op<arith::OrIOp>(op<arith::SubIOp>(all, step), sticky));
}

/// Integers of more than 24 bits do not fit in f32. From 2^24 on, their low 8 bits are dropped.
/// From 2^32 on, the low 16 bits of an i64 are dropped, and so on. The remaining 17 to 24 bits are
/// more than any narrow float has.
Value WideBuilder::convertedToOdd(Value integer, bool isSigned) {
  Type element = getElementTypeOrSelf(integer);
  unsigned width = element.getIntOrFloatBitWidth();
  auto c = [&](uint64_t value) { return constant(integer, element, value); };
  Value result = integer;
  for (unsigned low = 8; low + 16 < width; low += 8) {
    uint64_t mask = (uint64_t(1) << low) - 1;
    uint64_t limit = uint64_t(1) << (low + 16);
    Value lost = op<arith::AndIOp>(integer, c(mask));
    Value sticky =
        arith::ExtUIOp::create(b, loc, integer.getType(), op(CmpIPredicate::ne, lost, c(0)));
    Value kept = op<arith::AndIOp>(integer, c(~mask));
    kept = op<arith::OrIOp>(kept, op<arith::ShLIOp>(sticky, c(low)));
    Value isLarge;
    if (isSigned)
      isLarge = op(CmpIPredicate::ugt, op<arith::AddIOp>(integer, c(limit)), c(2 * limit));
    else
      isLarge = op(CmpIPredicate::uge, integer, c(limit));
    result = arith::SelectOp::create(b, loc, isLarge, kept, result);
  }
  Type floats = withShapeOf(integer.getType(), b.getF32Type());
  if (isSigned)
    return arith::SIToFPOp::create(b, loc, floats, result);
  return arith::UIToFPOp::create(b, loc, floats, result);
}

/// Adds with integers, like a floating-point unit. Aligns the smaller operand to the larger one
/// with a sticky bit, adds or subtracts, and normalizes. The last bit says whether bits were lost.
/// Returns the plain floating-point sum if the result is zero, subnormal, infinite or NaN. Such a
/// sum is exact, or needs no last bit.
Value WideBuilder::fmaToOdd(Value a, Value b, Value addend) {
  Value product = op<arith::MulFOp>(a, b);
  Value plain = op<arith::AddFOp>(product, addend);
  Value p = bits(product), q = bits(addend);
  Type i32 = this->b.getI32Type();
  auto c = [&](uint32_t value) { return constant(p, i32, value); };
  auto select = [&](Value is, Value yes, Value no) -> Value {
    return arith::SelectOp::create(this->b, loc, is, yes, no);
  };
  auto flag = [&](Value is) -> Value {
    return arith::ExtUIOp::create(this->b, loc, p.getType(), is);
  };
  auto magnitude = [&](Value all) { return op<arith::AndIOp>(all, c(0x7fffffff)); };
  Value isLarger = op(CmpIPredicate::uge, magnitude(p), magnitude(q));
  Value large = select(isLarger, p, q), small = select(isLarger, q, p);

  // Significands have six spare low bits. Subnormal numbers have exponent 1 and no leading one.
  auto unpack = [&](Value all, Value &exponent) {
    exponent = op<arith::ShRUIOp>(magnitude(all), c(23));
    Value leading = op<arith::ShLIOp>(flag(op(CmpIPredicate::ne, exponent, c(0))), c(23));
    exponent = arith::MaxUIOp::create(this->b, loc, exponent, c(1));
    Value significand = op<arith::OrIOp>(op<arith::AndIOp>(all, c(0x007fffff)), leading);
    return op<arith::ShLIOp>(significand, c(6));
  };
  Value exponent, smallExponent;
  Value larger = unpack(large, exponent), smaller = unpack(small, smallExponent);
  Value shift = op<arith::SubIOp>(exponent, smallExponent);
  shift = arith::MinUIOp::create(this->b, loc, shift, c(31));
  Value below = op<arith::SubIOp>(op<arith::ShLIOp>(c(1), shift), c(1));
  Value lost = op(CmpIPredicate::ne, op<arith::AndIOp>(smaller, below), c(0));
  smaller = op<arith::OrIOp>(op<arith::ShRUIOp>(smaller, shift), flag(lost));

  Value differ = op(CmpIPredicate::slt, op<arith::XOrIOp>(p, q), c(0));
  Value sum =
      select(differ, op<arith::SubIOp>(larger, smaller), op<arith::AddIOp>(larger, smaller));
  Value zeros = math::CountLeadingZerosOp::create(this->b, loc, sum);
  Value normal = op<arith::ShLIOp>(sum, op<arith::SubIOp>(zeros, c(1))); // leading one in bit 30
  Value rest = op(CmpIPredicate::ne, op<arith::AndIOp>(normal, c(0x7f)), c(0));
  Value significand = op<arith::OrIOp>(op<arith::ShRUIOp>(normal, c(7)), flag(rest));
  Value lessOne = op<arith::SubIOp>(op<arith::AddIOp>(exponent, c(1)), zeros);
  Value result = op<arith::AddIOp>(op<arith::ShLIOp>(lessOne, c(23)), significand);
  result = op<arith::OrIOp>(result, op<arith::AndIOp>(large, c(0x80000000)));

  Value isNormal = op(CmpIPredicate::ult, lessOne, c(254));
  Value isFinite = op(CmpIPredicate::ult, magnitude(large), c(0x7f800000));
  Value isNonZero = op(CmpIPredicate::ne, sum, c(0));
  Value holds = op<arith::AndIOp>(isNormal, op<arith::AndIOp>(isFinite, isNonZero));
  return select(holds, asFloat(result), plain);
}
