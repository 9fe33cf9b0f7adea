//===- Conversions.cpp - from one type of number to another -----------------===//
// If a float is out of range of an integer type, SPIR-V leaves the result of a conversion
// unspecified. Here the float is clamped to the range first.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }
static unsigned widthOf(Value x) { return widthOf(x.getType()); }

template <bool isSigned> static Value toFloat(Lowering &l, Type type, ArrayRef<Value> x) {
  if (isSigned)
    return arith::SIToFPOp::create(l.b, type, x[0]);
  return arith::UIToFPOp::create(l.b, type, x[0]);
}

/// Returns the float of `type` that is nearest to an integer, rounded towards zero.
static Value nearestFloat(Lowering &l, Type type, APInt number, bool isSigned) {
  APFloat value(cast<FloatType>(type).getFloatSemantics());
  (void)value.convertFromAPInt(number, isSigned, APFloat::rmTowardZero);
  return arith::ConstantOp::create(l.b, l.b.getFloatAttr(type, value));
}

/// Converts to an integer. LLVM makes poison of numbers that are out of range. So numbers are first
/// clamped to the range of floats that fit, and NaN becomes the lowest of them. `exact` means
/// OpenCL's saturation: numbers above the range become the greatest integer, and NaN becomes 0.
static Value toInteger(Lowering &l, Type type, Value x, bool isSigned, bool exact) {
  unsigned width = widthOf(type);
  APInt most = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  Value high = nearestFloat(l, x.getType(), most, isSigned);
  Value low = nearestFloat(l, x.getType(), least, isSigned);
  auto above = [&](Value a, Value b) -> Value {
    return arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGT, a, b);
  };
  Value clamped = arith::SelectOp::create(l.b, above(x, low), x, low);
  clamped = arith::SelectOp::create(l.b, above(high, clamped), clamped, high);
  Value result = isSigned ? arith::FPToSIOp::create(l.b, type, clamped).getResult()
                          : arith::FPToUIOp::create(l.b, type, clamped).getResult();
  if (!exact)
    return result;
  Value isNan = arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNO, x, x);
  result = arith::SelectOp::create(l.b, isNan, l.integer(0, width), result);
  if (isSigned) { // a narrow float has no number as low as the least integer
    Value lowest = l.integer(least.getSExtValue(), width);
    result = arith::SelectOp::create(l.b, above(low, x), lowest, result);
  }
  Value greatest = l.integer(static_cast<int64_t>(most.getZExtValue()), width);
  return arith::SelectOp::create(l.b, above(x, high), greatest, result);
}

/// Returns the instruction's rounding mode in SPIR-V's numbers (0: to even, 1: to zero, 2: up, 3:
/// down). Returns `otherwise` if the instruction has none.
static int32_t roundingMode(Operation *op, int32_t otherwise) {
  auto all = op->getAttrOfType<DictionaryAttr>("spvx.decorations");
  auto mode = all ? all.getAs<DenseI32ArrayAttr>("FPRoundingMode") : DenseI32ArrayAttr();
  return mode && !mode.empty() ? mode[0] : otherwise;
}

/// Rounds x to an integer.
static Value roundToWhole(Lowering &l, Value x, int32_t mode) {
  switch (mode) {
  case 0:
    return math::RoundEvenOp::create(l.b, x);
  case 2:
    return math::CeilOp::create(l.b, x);
  case 3:
    return math::FloorOp::create(l.b, x);
  default:
    return x; // a conversion to an integer truncates anyway
  }
}

template <bool isSigned> static LogicalResult lowerToInteger(Lowering &l, Operation *op) {
  Scalars results;
  Type type = l.types.scalar(getElementTypeOrSelf(op->getResult(0).getType()));
  bool exact = isDecorated(op, "SaturatedConversion");
  for (Value x : l.get(op->getOperand(0))) {
    if (!isa<FloatType>(x.getType()) || !isa_and_nonnull<IntegerType>(type))
      return l.error() << "Op" << instructionName(op) << " from " << x.getType()
                       << " is not supported";
    results.push_back(toInteger(l, type, roundToWhole(l, x, roundingMode(op, 1)), isSigned, exact));
  }
  return l.finish(op, results);
}

template <bool isSigned> static Value resizeInteger(Lowering &l, Type type, ArrayRef<Value> x) {
  if (widthOf(x[0]) > widthOf(type))
    return arith::TruncIOp::create(l.b, type, x[0]);
  if (widthOf(x[0]) == widthOf(type))
    return x[0];
  return isSigned ? arith::ExtSIOp::create(l.b, type, x[0]).getResult()
                  : arith::ExtUIOp::create(l.b, type, x[0]).getResult();
}

/// Clamps a number to the range of a narrower type of the same sign.
static Value clampTo(Lowering &l, Type type, Value x, bool isSigned) {
  unsigned from = widthOf(x), to = widthOf(type);
  auto limit = [&](const APInt &value) {
    return l.integer((isSigned ? value.sext(from) : value.zext(from)).getSExtValue(), from);
  };
  if (!isSigned)
    return arith::MinUIOp::create(l.b, x, limit(APInt::getMaxValue(to)));
  Value above = arith::MaxSIOp::create(l.b, x, limit(APInt::getSignedMinValue(to)));
  return arith::MinSIOp::create(l.b, above, limit(APInt::getSignedMaxValue(to)));
}

/// Lowers OpSConvert and OpUConvert.
template <bool isSigned> static LogicalResult lowerResize(Lowering &l, Operation *op) {
  Scalars results;
  Type type = l.types.scalar(getElementTypeOrSelf(op->getResult(0).getType()));
  bool saturates = isDecorated(op, "SaturatedConversion");
  for (Value x : l.get(op->getOperand(0))) {
    if (!isa<IntegerType>(x.getType()) || !isa_and_nonnull<IntegerType>(type))
      return l.error() << "Op" << instructionName(op) << " from " << x.getType()
                       << " is not supported";
    if (saturates && widthOf(x) > widthOf(type))
      x = clampTo(l, type, x, isSigned);
    results.push_back(resizeInteger<isSigned>(l, type, {x}));
  }
  return l.finish(op, results);
}

static Value resizeFloat(Lowering &l, Type type, ArrayRef<Value> x) {
  if (x[0].getType() == type)
    return x[0];
  if (widthOf(x[0]) < widthOf(type))
    return arith::ExtFOp::create(l.b, type, x[0]);
  if (widthOf(x[0]) > widthOf(type))
    return arith::TruncFOp::create(l.b, type, x[0]);
  // Converts between f16 and bf16, through f32.
  Value wide = arith::ExtFOp::create(l.b, l.b.getF32Type(), x[0]);
  return arith::TruncFOp::create(l.b, type, wide);
}

/// If `wrong` is true, returns the neighbour of a float in the direction of the rounding mode.
/// Otherwise returns the float.
static Value stepWhere(Lowering &l, Value wrong, Value x, int32_t mode) {
  unsigned width = widthOf(x);
  Value bits = arith::BitcastOp::create(l.b, l.b.getIntegerType(width), x);
  Value negative = arith::CmpIOp::create(l.b, arith::CmpIPredicate::slt, bits, l.integer(0, width));
  // Seen as integers, floats grow with their magnitude. So subtracting 1 from the bits is one step
  // towards zero.
  Value change, less = l.integer(-1, width), more = l.integer(1, width);
  if (mode == 1)
    change = less;
  else if (mode == 2)
    change = arith::SelectOp::create(l.b, negative, less, more);
  else
    change = arith::SelectOp::create(l.b, negative, more, less);
  Value moved = arith::BitcastOp::create(l.b, x.getType(),
                                         arith::AddIOp::create(l.b, bits, change).getResult());
  return arith::SelectOp::create(l.b, wrong, moved, x);
}

/// Converts to a narrower float. The result is the nearest float, or the next one if the nearest
/// float is on the wrong side for the rounding mode.
Value pumice::cpu::roundFloat(Lowering &l, Type type, Value x, int32_t mode) {
  Value nearest = resizeFloat(l, type, {x});
  if (mode == 0 || widthOf(type) >= widthOf(x))
    return nearest;
  Value back = arith::ExtFOp::create(l.b, x.getType(), nearest);
  auto above = [&](Value a, Value b) -> Value {
    return arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGT, a, b);
  };
  Value wrong = mode == 1   ? above(math::AbsFOp::create(l.b, back), math::AbsFOp::create(l.b, x))
                : mode == 2 ? above(x, back)
                            : above(back, x);
  return stepWhere(l, wrong, nearest, mode);
}

/// Converts an integer of 64 bits. The nearest float is compared with it as an integer.
static Value roundWide(Lowering &l, Type type, Value x, bool isSigned, int32_t mode) {
  Value nearest = isSigned ? toFloat<true>(l, type, {x}) : toFloat<false>(l, type, {x});
  Value back = toInteger(l, x.getType(), nearest, isSigned, /*exact=*/true);
  using I = arith::CmpIPredicate;
  auto less = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(l.b, isSigned ? I::slt : I::ult, a, b);
  };
  Value end = l.real(type, isSigned ? 0x1p63 : 0x1p64); // too large for 64 bits
  Value beyond = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGE, nearest, end);
  Value over = arith::OrIOp::create(l.b, less(x, back), beyond), under = less(back, x);
  under = arith::SelectOp::create(l.b, beyond, l.integer(0, 1), under);
  Value tooLow = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OEQ, nearest,
                                       l.real(type, -std::numeric_limits<double>::infinity()));
  under = arith::OrIOp::create(l.b, under, tooLow);
  if (mode == 2)
    return stepWhere(l, under, nearest, mode);
  if (mode == 3 || !isSigned)
    return stepWhere(l, over, nearest, mode);
  Value negative = less(x, l.integer(0, 64));
  return stepWhere(l, arith::SelectOp::create(l.b, negative, under, over), nearest, mode);
}

template <bool isSigned> static LogicalResult lowerFromInteger(Lowering &l, Operation *op) {
  Type type = l.types.scalar(getElementTypeOrSelf(op->getResult(0).getType()));
  int32_t mode = roundingMode(op, l.floats.roundsTowardZero(type));
  Scalars results;
  for (Value x : l.get(op->getOperand(0))) {
    if (mode == 0)
      results.push_back(toFloat<isSigned>(l, type, {x}));
    else if (widthOf(x) > 32)
      results.push_back(roundWide(l, type, x, isSigned, mode));
    else // a double represents x exactly
      results.push_back(roundFloat(l, type, toFloat<isSigned>(l, l.b.getF64Type(), {x}), mode));
  }
  return l.finish(op, results);
}

static LogicalResult lowerFConvert(Lowering &l, Operation *op) {
  Scalars results;
  Value result = op->getResult(0);
  Type type = l.types.scalar(getElementTypeOrSelf(result.getType()));
  for (Value x : l.get(op->getOperand(0)))
    results.push_back(roundFloat(l, type, x, roundingMode(op, l.floats.roundsTowardZero(type))));
  return l.finish(op, results);
}

/// Rounds an f32 number to f16, and converts it back.
static Value quantize(Lowering &l, Type type, ArrayRef<Value> x) {
  Value half = arith::TruncFOp::create(l.b, l.b.getF16Type(), x[0]);
  // A number that is subnormal in f16 becomes a zero with its sign.
  Value magnitude = math::AbsFOp::create(l.b, x[0]);
  Value small =
      arith::CmpFOp::create(l.b, arith::CmpFPredicate::OLT, magnitude, l.real(type, 0x1p-14));
  Value zero = math::CopySignOp::create(l.b, l.zero(type), x[0]);
  return arith::SelectOp::create(l.b, small, zero, arith::ExtFOp::create(l.b, type, half));
}

/// Clamps a signed number to the range of the unsigned type, or an unsigned number to the range of
/// the signed type.
template <bool fromSigned> static Value saturate(Lowering &l, Type type, ArrayRef<Value> x) {
  unsigned from = widthOf(x[0]), to = widthOf(type);
  if (fromSigned) { // signed to unsigned: negative becomes 0
    Value clamped = arith::MaxSIOp::create(l.b, x[0], l.integer(0, from));
    if (to < from)
      clamped = arith::MinSIOp::create(
          l.b, clamped,
          l.integer(static_cast<int64_t>(APInt::getAllOnes(to).getZExtValue()), from));
    return resizeInteger<false>(l, type, {clamped});
  }
  Value clamped = x[0]; // unsigned to signed
  if (to <= from)
    clamped = arith::MinUIOp::create(l.b, clamped,
                                     l.integer(APInt::getSignedMaxValue(to).getSExtValue(), from));
  return resizeInteger<false>(l, type, {clamped});
}

//===-------------------------------------------------------------------------===//
// Bitcasts between scalars of any widths. Earlier components hold lower bits.
//===-------------------------------------------------------------------------===//

static Value asInteger(Lowering &l, Value x) {
  if (isa<LLVM::LLVMPointerType>(x.getType()))
    return l.generic("llvm.ptrtoint", l.b.getI64Type(), x);
  if (isa<FloatType>(x.getType()))
    return arith::BitcastOp::create(l.b, l.b.getIntegerType(widthOf(x)), x);
  return x;
}

static Value fromInteger(Lowering &l, Type type, Value x) {
  if (isa<LLVM::LLVMPointerType>(type))
    return l.generic("llvm.inttoptr", type, x);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(l.b, type, x);
  return x;
}

static unsigned bitsOf(Type type) { return isa<LLVM::LLVMPointerType>(type) ? 64 : widthOf(type); }

/// Joins each `count` consecutive parts into one number.
static Value joined(Lowering &l, ArrayRef<Value> parts, unsigned width) {
  Type type = l.b.getIntegerType(width);
  Value sum;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value bits = arith::ExtUIOp::create(l.b, type, asInteger(l, part));
    if (i)
      bits = arith::ShLIOp::create(
          l.b, bits, l.integer(static_cast<int64_t>(i) * bitsOf(part.getType()), width));
    sum = sum ? arith::OrIOp::create(l.b, sum, bits).getResult() : bits;
  }
  return sum;
}

static Scalars recast(Lowering &l, ArrayRef<Value> from, ArrayRef<Type> to) {
  Scalars result;
  unsigned narrow = bitsOf(from[0].getType()), wide = bitsOf(to[0]);
  if (narrow == wide) {
    for (auto [value, type] : llvm::zip(from, to))
      result.push_back(value.getType() == type ? value : fromInteger(l, type, asInteger(l, value)));
  } else if (narrow < wide) {
    unsigned each = wide / narrow;
    for (auto [i, type] : llvm::enumerate(to))
      result.push_back(fromInteger(l, type, joined(l, from.slice(i * each, each), wide)));
  } else {
    unsigned each = narrow / wide;
    for (auto [i, type] : llvm::enumerate(to)) {
      Value bits = asInteger(l, from[i / each]);
      if (i % each)
        bits = arith::ShRUIOp::create(l.b, bits,
                                      l.integer(static_cast<int64_t>(i % each) * wide, narrow));
      bits = arith::TruncIOp::create(l.b, l.b.getIntegerType(wide), bits);
      result.push_back(fromInteger(l, type, bits));
    }
  }
  return result;
}

static LogicalResult lowerBitcast(Lowering &l, Operation *op) {
  Scalars from = l.get(op->getOperand(0));
  SmallVector<Type> to;
  if (!l.types.scalars(op->getResult(0).getType(), to) || from.empty() ||
      from.size() * bitsOf(from[0].getType()) != to.size() * bitsOf(to[0]))
    return l.error() << "OpBitcast from " << op->getOperand(0).getType() << " to "
                     << op->getResult(0).getType() << " is not supported";
  return l.finish(op, recast(l, from, to));
}

/// Converts from bf16. SPV_INTEL_bfloat16_conversion represents such numbers as 16-bit integers.
static Value fromBrain(Lowering &l, Type type, ArrayRef<Value> x) {
  Value brain = arith::BitcastOp::create(l.b, l.b.getBF16Type(), x[0]);
  return arith::ExtFOp::create(l.b, type, brain);
}

static Value toBrain(Lowering &l, Type type, ArrayRef<Value> x) {
  Value brain = arith::TruncFOp::create(l.b, l.b.getBF16Type(), x[0]);
  return arith::BitcastOp::create(l.b, type, brain);
}

static constexpr Rule rulesOfConversion[] = {
    {"Bitcast", lowerBitcast},
    {"ConvertBF16ToFINTEL", fromBrain},
    {"ConvertFToBF16INTEL", toBrain},
    {"ConvertFToS", lowerToInteger<true>},
    {"ConvertFToU", lowerToInteger<false>},
    {"ConvertSToF", lowerFromInteger<true>},
    {"ConvertUToF", lowerFromInteger<false>},
    {"FConvert", lowerFConvert},
    {"QuantizeToF16", quantize},
    {"SConvert", lowerResize<true>},
    {"SatConvertSToU", saturate<true>},
    {"SatConvertUToS", saturate<false>},
    {"UConvert", lowerResize<false>},
};

ArrayRef<Rule> pumice::cpu::conversionRules() { return rulesOfConversion; }
