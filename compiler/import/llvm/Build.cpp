//===- Build.cpp - short forms of operations on numbers and vectors ---------===//
#include "compiler/import/llvm/Build.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

Type Build::with(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? VectorType::get(vector.getShape(), element) : element;
}

Type Build::integers(Type type) { return with(type, b.getIntegerType(bits(type))); }

static Value splat(Build &m, Type type, TypedAttr scalar) {
  TypedAttr value = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(scalar));
  return m.op<arith::ConstantOp>(value);
}

Value Build::bitsConstant(Type type, const APInt &number) {
  return splat(*this, type, b.getIntegerAttr(getElementTypeOrSelf(type), number));
}

Value Build::constant(Type type, int64_t number) {
  Type scalar = getElementTypeOrSelf(type);
  if (isa<FloatType>(scalar))
    return constant(type, static_cast<double>(number));
  return bitsConstant(type, APInt(64, static_cast<uint64_t>(number), true).sextOrTrunc(bits(type)));
}

Value Build::constant(Type type, double number) {
  return splat(*this, type, b.getFloatAttr(getElementTypeOrSelf(type), number));
}

Value Build::compare(arith::CmpIPredicate order, Value x, Value y) {
  return op<arith::CmpIOp>(order, x, y);
}

Value Build::compare(arith::CmpFPredicate order, Value x, Value y) {
  return op<arith::CmpFOp>(order, x, y);
}

Value Build::select(Value condition, Value yes, Value no) {
  return op<arith::SelectOp>(condition, yes, no);
}

Value Build::toBits(Value x) {
  return isa<FloatType>(getElementTypeOrSelf(x.getType()))
             ? op<arith::BitcastOp>(integers(x.getType()), x)
             : x;
}

Value Build::fromBits(Value x, Type type) {
  return x.getType() == type ? x : op<arith::BitcastOp>(type, x);
}

Value Build::resize(Value x, Type type, bool isSigned) {
  if (bits(x.getType()) > bits(type))
    return op<arith::TruncIOp>(type, x);
  if (bits(x.getType()) == bits(type))
    return x;
  return isSigned ? op<arith::ExtSIOp>(type, x) : op<arith::ExtUIOp>(type, x);
}

Value Build::truth(Value condition, Type result) {
  if (isa<VectorType>(result))
    return op<arith::ExtSIOp>(result, condition);
  return op<arith::ExtUIOp>(result, condition);
}

Value Build::reverseBits(Value x, unsigned group) {
  Type type = x.getType();
  unsigned width = bits(type);
  for (unsigned step = width / 2; step >= group; step /= 2) {
    // Swaps neighbouring groups of `step` bits.
    APInt low = APInt::getSplat(width, APInt(2 * step, (uint64_t(1) << step) - 1));
    Value mask = bitsConstant(type, low), by = constant(type, int64_t(step));
    Value up = op<arith::ShLIOp>(op<arith::AndIOp>(x, mask), by);
    Value down = op<arith::AndIOp>(op<arith::ShRUIOp>(x, by), mask);
    x = op<arith::OrIOp>(up, down);
  }
  return x;
}

Value Build::funnelShift(Value high, Value low, Value by, bool left) {
  Type type = high.getType();
  Value most = constant(type, int64_t(bits(type)) - 1), one = constant(type, int64_t(1));
  // The other shift is in two steps, since a shift by all bits is not defined.
  by = op<arith::AndIOp>(by, most);
  Value rest = op<arith::SubIOp>(most, by);
  if (left)
    return op<arith::OrIOp>(op<arith::ShLIOp>(high, by),
                            op<arith::ShRUIOp>(op<arith::ShRUIOp>(low, one), rest));
  return op<arith::OrIOp>(op<arith::ShRUIOp>(low, by),
                          op<arith::ShLIOp>(op<arith::ShLIOp>(high, one), rest));
}

Value Build::least(Type type, bool isSigned) {
  unsigned width = bits(type);
  return bitsConstant(type, isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width));
}

Value Build::most(Type type, bool isSigned) {
  unsigned width = bits(type);
  return bitsConstant(type, isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width));
}

Value Build::addSaturated(Value x, Value y, bool isSigned) {
  using P = arith::CmpIPredicate;
  Type type = x.getType();
  Value sum = op<arith::AddIOp>(x, y);
  if (!isSigned)
    return select(compare(P::ult, sum, x), most(type, false), sum);
  Value zero = constant(type, int64_t(0));
  Value signs = op<arith::AndIOp>(op<arith::XOrIOp>(sum, x), op<arith::XOrIOp>(sum, y));
  Value bound = select(compare(P::slt, x, zero), least(type, true), most(type, true));
  return select(compare(P::slt, signs, zero), bound, sum);
}

Value Build::subSaturated(Value x, Value y, bool isSigned) {
  using P = arith::CmpIPredicate;
  Type type = x.getType();
  Value zero = constant(type, int64_t(0));
  Value rest = op<arith::SubIOp>(x, y);
  if (!isSigned)
    return select(compare(P::ult, x, y), zero, rest);
  Value signs = op<arith::AndIOp>(op<arith::XOrIOp>(x, y), op<arith::XOrIOp>(rest, x));
  Value bound = select(compare(P::slt, x, zero), least(type, true), most(type, true));
  return select(compare(P::slt, signs, zero), bound, rest);
}

Value Build::highProduct(Value x, Value y, bool isSigned) {
  if (isSigned)
    return arith::MulSIExtendedOp::create(b, loc, x, y).getHigh();
  return arith::MulUIExtendedOp::create(b, loc, x, y).getHigh();
}
