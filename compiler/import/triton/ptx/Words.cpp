//===- Words.cpp - integer operations of instructions -----------------------===//
#include "compiler/import/triton/distribute/LibraryFunctions.h"
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

static Number constantLike(Number x, uint64_t value) {
  auto one = IntegerAttr::get(x.element(), APInt(x.bits(), value, /*isSigned=*/false,
                                                 /*implicitTrunc=*/true));
  TypedAttr attribute = one;
  if (auto tensor = dyn_cast<RankedTensorType>(x.type()))
    attribute = DenseElementsAttr::get(tensor, Attribute(one));
  return {x.b, arith::ConstantOp::create(*x.b, attribute)};
}

Number ptx::resize(Number x, unsigned bits, bool isSigned) {
  if (bits == x.bits())
    return x;
  if (bits < x.bits())
    return x.to<arith::TruncIOp>(x.integers(bits));
  return isSigned ? x.to<arith::ExtSIOp>(x.integers(bits)) : x.to<arith::ExtUIOp>(x.integers(bits));
}

Number ptx::compare(Number x, Predicate predicate, Number y) {
  return {x.b, arith::CmpIOp::create(*x.b, predicate, x.value, y.value)};
}

/// Reinterprets bits. If the bits came from a float of that type, returns that float again.
static Number bitcast(Number x, Type element) {
  Type type = x.with(element);
  if (type == x.type())
    return x;
  if (auto before = x.value.getDefiningOp<arith::BitcastOp>())
    if (before.getIn().getType() == type)
      return {x.b, before.getIn()};
  return x.to<arith::BitcastOp>(type);
}

Number ptx::asFloat(Number bits, FloatType type) { return bitcast(bits, type); }
Number ptx::bitsOf(Number x) { return x.isFloat() ? bitcast(x, x.b->getIntegerType(x.bits())) : x; }

Number ptx::shiftLeft(Number x, Number amount) {
  Number width = constantLike(amount, x.bits()), isInside = compare(amount, Predicate::ult, width);
  Number small = isInside.choose(amount, constantLike(amount, 0));
  Number shifted = x.apply<arith::ShLIOp>(resize(small, x.bits()));
  return isInside.choose(shifted, constantLike(x, 0));
}

Number ptx::shiftRight(Number x, Number amount, bool isSigned) {
  Number width = constantLike(amount, x.bits()), isInside = compare(amount, Predicate::ult, width);
  if (isSigned) {
    Number most = constantLike(amount, x.bits() - 1);
    return x.apply<arith::ShRSIOp>(resize(isInside.choose(amount, most), x.bits()));
  }
  Number small = isInside.choose(amount, constantLike(amount, 0));
  Number shifted = x.apply<arith::ShRUIOp>(resize(small, x.bits()));
  return isInside.choose(shifted, constantLike(x, 0));
}

Number ptx::inverted(Number x) { return x ^ constantLike(x, ~uint64_t(0)); }

Number ptx::lowMask(Number count) {
  return inverted(shiftLeft(constantLike(count, ~uint64_t(0)), count));
}

SmallVector<Number> ptx::split(Number word, unsigned bits) {
  SmallVector<Number> parts;
  for (unsigned at = 0; at < word.bits(); at += bits) {
    Number shifted = at ? word.apply<arith::ShRUIOp>(constantLike(word, at)) : word;
    parts.push_back(resize(shifted, bits));
  }
  return parts;
}

Number ptx::join(ArrayRef<Number> parts) {
  unsigned width = 0, at = 0;
  for (Number part : parts)
    width += part.bits();
  std::optional<Number> word;
  for (Number part : parts) {
    unsigned bits = part.bits();
    Number wide = resize(part, width);
    if (at)
      wide = wide.apply<arith::ShLIOp>(constantLike(wide, at));
    word = word ? *word | wide : wide;
    at += bits;
  }
  return *word;
}

Number ptx::library(StringRef name, ArrayRef<Number> operands, Type result) {
  SmallVector<Value> values;
  for (Number operand : operands)
    values.push_back(operand.value);
  ImplicitLocOpBuilder &b = *operands.front().b;
  return {&b, distribute::libraryFunction(b, b.getLoc(), name, values, result)};
}
