//===- Integers.cpp - arithmetic on integers --------------------------------===//
//   before: mad.lo.s32 d, a, b, c;
//   after:  %p = arith.muli %a, %b   %d = arith.addi %p, %c
// Instructions that floats also have (add, mul, …) are continued in Floats.cpp if the type is a
// float.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;
using Numbers = ArrayRef<Number>;

/// Accepts integers of 16 to 64 bits, or two packed halves.
static LogicalResult checkInteger(Call &call, PtxType type) {
  bool isInteger = type.kind == Kind::Signed || type.kind == Kind::Unsigned;
  if (isInteger && (type.lanes == 1 ? type.bits >= 16 : type.bits == 16 && type.lanes == 2))
    return success();
  return call.error("expected a type that '" + call.name + "' takes, got '" +
                    call.instruction.opcode + "'");
}

/// Computes one result from `operands` words, lane by lane.
static LogicalResult eachLane(Call &call, PtxType type, size_t operands,
                              llvm::function_ref<Number(Numbers)> make) {
  if (failed(call.finish(operands + 1)))
    return failure();
  for (const Operand &operand : ArrayRef(call.instruction.operands).drop_front())
    if (failed(call.checkNumber(operand, type)))
      return failure();
  FailureOr<SmallVector<Number>> words = call.t.readAll(call, 1, operands, type.width());
  if (failed(words))
    return failure();
  if (type.lanes == 1)
    return call.t.write(call, call[0], make(*words));
  SmallVector<SmallVector<Number>> parts =
      llvm::map_to_vector(*words, [&](Number word) { return split(word, type.bits); });
  SmallVector<Number> results;
  for (unsigned lane = 0; lane < type.lanes; ++lane)
    results.push_back(make(
        llvm::map_to_vector(parts, [&](const SmallVector<Number> &part) { return part[lane]; })));
  return call.t.write(call, call[0], join(results));
}

static Number larger(Number x, Number y, bool isSigned) {
  return isSigned ? x.apply<arith::MaxSIOp>(y) : x.apply<arith::MaxUIOp>(y);
}
static Number smaller(Number x, Number y, bool isSigned) {
  return isSigned ? x.apply<arith::MinSIOp>(y) : x.apply<arith::MinUIOp>(y);
}

/// Clamps a wider number to the range of s32.
static Number saturated(Translation &t, Number wide) {
  Number least = t.constant(wide.bits(), static_cast<uint64_t>(int64_t(INT32_MIN)));
  Number most = t.constant(wide.bits(), INT32_MAX);
  return resize(smaller(larger(wide, least, true), most, true), 32);
}

//===-------------------------------------------------------------------------===//
// Sums and products
//===-------------------------------------------------------------------------===//

/// Adds a constant to an address, and keeps the pointer from which the address came. Returns false
/// if the operands are of another kind.
static bool addToPointer(Call &call) {
  Translation &t = call.t;
  if (t.guard || call.count() != 3 || call[1].kind != Operand::Kind::Register ||
      call[2].kind != Operand::Kind::Number || call[0].kind != Operand::Kind::Register)
    return false;
  Cell source = *t.cellOf(call[1]);
  Cell *result = t.cellOf(call[0]);
  if (!source.pointer || result->bits != 64)
    return false;
  int64_t added = static_cast<int64_t>(call[2].value);
  result->pointer = source.pointer;
  result->bytes = call.name == "sub" ? source.bytes - added : source.bytes + added;
  result->value = {};
  return true;
}

static LogicalResult sum(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat())
    return floatArithmetic(call, *type);
  if (failed(checkInteger(call, *type)))
    return failure();
  bool isSum = call.name == "add", isSaturated = call.take("sat");
  if (isSaturated && !(type->isSigned() && type->width() == 32 && type->lanes == 1))
    return call.error("expected s32 or floats for '.sat', got '" + call.instruction.opcode + "'");
  if (call.isEmpty() && type->width() == 64 && addToPointer(call))
    return success();
  return eachLane(call, *type, 2, [&](Numbers v) {
    if (!isSaturated)
      return isSum ? v[0] + v[1] : v[0] - v[1];
    Number x = resize(v[0], 64, true), y = resize(v[1], 64, true);
    return saturated(call.t, isSum ? x + y : x - y);
  });
}

static Number highHalf(Number x, Number y, bool isSigned) {
  unsigned bits = x.bits();
  if (bits == 64)
    return {x.b, isSigned ? arith::MulSIExtendedOp::create(*x.b, x.value, y.value).getHigh()
                          : arith::MulUIExtendedOp::create(*x.b, x.value, y.value).getHigh()};
  Number product = resize(x, 2 * bits, isSigned) * resize(y, 2 * bits, isSigned);
  return split(product, bits)[1];
}

static LogicalResult product(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat())
    return floatArithmetic(call, *type);
  bool hasSum = call.name == "mad", isSigned = type->isSigned();
  StringRef part = call.takeAny({"lo", "hi", "wide"});
  if (failed(checkInteger(call, *type)))
    return failure();
  if (part.empty() || type->lanes > 1)
    return call.error("expected .lo, .hi or .wide, got '" + call.instruction.opcode + "'");
  bool isSaturated = hasSum && part == "hi" && isSigned && type->bits == 32 && call.take("sat");
  bool isWide = part == "wide";
  if (isWide && type->bits == 64)
    return call.error("expected 16 or 32 bits for '.wide', got '" + call.instruction.opcode + "'");
  if (failed(call.finish(hasSum ? 4 : 3)))
    return failure();
  unsigned bits = isWide ? 2 * type->bits : type->bits;
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, 2, type->bits);
  if (failed(v))
    return failure();
  Number x = (*v)[0], y = (*v)[1];
  Number result = isWide         ? resize(x, bits, isSigned) * resize(y, bits, isSigned)
                  : part == "hi" ? highHalf(x, y, isSigned)
                                 : x * y;
  if (hasSum) {
    FailureOr<Number> addend = call.t.read(call, call[3], bits);
    if (failed(addend))
      return failure();
    result = isSaturated ? saturated(call.t, resize(result, 64, true) + resize(*addend, 64, true))
                         : result + *addend;
  }
  return call.t.write(call, call[0], result);
}

/// Multiplies 24-bit numbers. Returns the lower 32 bits of the product, or the 32 bits from bit 16
/// on.
static LogicalResult product24(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  StringRef part = call.takeAny({"lo", "hi"});
  bool hasSum = call.name == "mad24", isSigned = type->isSigned();
  if (part.empty() || type->isFloat() || type->width() != 32 || type->kind == Kind::Bits)
    return call.error("expected .lo or .hi, and u32 or s32, got '" + call.instruction.opcode + "'");
  if (failed(call.finish(hasSum ? 4 : 3)))
    return failure();
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, hasSum ? 3 : 2, 32);
  if (failed(v))
    return failure();
  auto low24 = [&](Number x) {
    Number eight = call.t.constant(32, 8);
    x = x.apply<arith::ShLIOp>(eight);
    x = isSigned ? x.apply<arith::ShRSIOp>(eight) : x.apply<arith::ShRUIOp>(eight);
    return resize(x, 64, isSigned);
  };
  Number all = low24((*v)[0]) * low24((*v)[1]);
  if (part == "hi")
    all = all.apply<arith::ShRUIOp>(call.t.constant(64, 16));
  Number result = resize(all, 32);
  return call.t.write(call, call[0], hasSum ? result + (*v)[2] : result);
}

//===-------------------------------------------------------------------------===//
// Quotients, bounds, signs
//===-------------------------------------------------------------------------===//

/// Divides as NVIDIA's GPUs do. If the divisor is zero, all bits of the quotient are set, and the
/// remainder is the dividend.
static Number quotient(Translation &t, Number x, Number y, bool isSigned, bool isRemainder) {
  unsigned bits = x.bits();
  Number zero = t.constant(bits, 0), one = t.constant(bits, 1), all = t.constant(bits, ~0ull);
  Number isZero = compare(y, Predicate::eq, zero);
  Number divisor = isZero.choose(one, y);
  if (!isSigned) {
    Number result =
        isRemainder ? x.apply<arith::RemUIOp>(divisor) : x.apply<arith::DivUIOp>(divisor);
    return isZero.choose(isRemainder ? x : all, result);
  }
  // The quotient of the smallest number and -1 does not fit, and wraps to the smallest number.
  Number isNegation = compare(y, Predicate::eq, all);
  divisor = isNegation.choose(one, divisor);
  Number result = isRemainder ? x.apply<arith::RemSIOp>(divisor) : x.apply<arith::DivSIOp>(divisor);
  result = isNegation.choose(isRemainder ? zero : zero - x, result);
  return isZero.choose(isRemainder ? x : all, result);
}

static LogicalResult division(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat() && call.name == "div")
    return floatArithmetic(call, *type);
  if (failed(checkInteger(call, *type)))
    return failure();
  return eachLane(call, *type, 2, [&](Numbers v) {
    return quotient(call.t, v[0], v[1], type->isSigned(), call.name == "rem");
  });
}

static LogicalResult bound(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat())
    return floatArithmetic(call, *type);
  if (failed(checkInteger(call, *type)))
    return failure();
  bool isRelu = type->isSigned() && call.take("relu");
  return eachLane(call, *type, 2, [&](Numbers v) {
    Number result = call.name == "max" ? larger(v[0], v[1], type->isSigned())
                                       : smaller(v[0], v[1], type->isSigned());
    return isRelu ? larger(result, call.t.constant(result.bits(), 0), true) : result;
  });
}

static LogicalResult sign(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat())
    return floatArithmetic(call, *type);
  if (!type->isSigned() || failed(checkInteger(call, *type)))
    return call.error("expected s16, s32, s64 or floats, got '" + call.instruction.opcode + "'");
  return eachLane(call, *type, 1, [&](Numbers v) {
    Number negative = call.t.constant(v[0].bits(), 0) - v[0];
    return call.name == "neg" ? negative : larger(v[0], negative, true);
  });
}

/// Computes |a - b| + c.
static LogicalResult sumOfDifference(Call &call) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type) || failed(checkInteger(call, *type)))
    return failure();
  return eachLane(call, *type, 3, [&](Numbers v) {
    return larger(v[0], v[1], type->isSigned()) - smaller(v[0], v[1], type->isSigned()) + v[2];
  });
}

/// Adds the products of four pairs of bytes to c. dp2a multiplies two halves by two bytes instead.
static LogicalResult dotProduct(Call &call) {
  FailureOr<PtxType> second = call.takeType();
  FailureOr<PtxType> first = failed(second) ? second : call.takeType();
  if (failed(first))
    return failure();
  bool isOfHalves = call.name == "dp2a", isHigh = isOfHalves && call.take("hi");
  if (isOfHalves && !isHigh && !call.take("lo"))
    return call.error("expected .lo or .hi, got '" + call.instruction.opcode + "'");
  if (failed(checkInteger(call, *first)) || failed(checkInteger(call, *second)) ||
      failed(call.finish(4)))
    return failure();
  if (first->width() != 32 || second->width() != 32)
    return call.error("expected u32 or s32, got '" + call.instruction.opcode + "'");
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, 3, 32);
  if (failed(v))
    return failure();
  SmallVector<Number> a = split((*v)[0], isOfHalves ? 16 : 8), b = split((*v)[1], 8);
  Number result = (*v)[2];
  for (size_t i = 0; i < a.size(); ++i)
    result = result + resize(a[i], 32, first->isSigned()) *
                          resize(b[isHigh ? i + 2 : i], 32, second->isSigned());
  return call.t.write(call, call[0], result);
}

static constexpr Rule rules[] = {
    {"abs", sign},        {"add", sum},
    {"div", division},    {"dp2a", dotProduct},
    {"dp4a", dotProduct}, {"mad", product},
    {"mad24", product24}, {"max", bound},
    {"min", bound},       {"mul", product},
    {"mul24", product24}, {"neg", sign},
    {"rem", division},    {"sad", sumOfDifference},
    {"sub", sum},
};

ArrayRef<Rule> ptx::integerRules() { return rules; }
