//===- Bits.cpp - bits of integers ------------------------------------------===//
// Shift amounts are taken modulo the width. For larger amounts, SPIR-V leaves the result
// unspecified, and LLVM would make it poison.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static unsigned widthOf(Value x) { return x.getType().getIntOrFloatBitWidth(); }

static Value resized(Lowering &l, Value x, Type type) {
  unsigned from = widthOf(x), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtUIOp::create(l.b, type, x);
  return from > to ? arith::TruncIOp::create(l.b, type, x).getResult() : x;
}

/// Returns the shift amount modulo the width, in the type of the base.
static Value shiftAmount(Lowering &l, Value base, Value amount) {
  unsigned width = widthOf(base);
  APInt known;
  if (matchPattern(amount, m_ConstantInt(&known)))
    return l.integer(static_cast<int64_t>(known.urem(width)), width);
  Value mask = l.integer(width - 1, width);
  return arith::AndIOp::create(l.b, resized(l, amount, base.getType()), mask);
}

template <typename Op> static Value shift(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0], shiftAmount(l, x[0], x[1]));
}

static std::optional<uint64_t> constantOf(Value x) {
  APInt known;
  if (!matchPattern(x, m_ConstantInt(&known)))
    return std::nullopt;
  return known.getZExtValue();
}

static Value lowWord(Lowering &l, Value x) {
  return l.b.createOrFold<arith::TruncIOp>(l.b.getI32Type(), x);
}

// Clang writes 32-bit indices as masks and pairs of shifts of size_t, which the stride analysis
// cannot follow. The forms are x & 0xffffffff, x << 2 & 0x3fffffffc, x << 32 >> 32, and (x << 32) +
// c >> 30. They are replaced by extensions of 32-bit numbers.

/// If x is a word that was shifted up by 32, perhaps with a constant added, returns that word.
/// Otherwise returns null.
static Value highWord(Lowering &l, Value x) {
  if (auto up = x.getDefiningOp<arith::ShLIOp>(); up && constantOf(up.getRhs()) == 32)
    return lowWord(l, up.getLhs());
  auto sum = x.getDefiningOp<arith::AddIOp>();
  std::optional<uint64_t> more = sum ? constantOf(sum.getRhs()) : std::nullopt;
  Value word = more && *more << 32 == 0 ? highWord(l, sum.getLhs()) : Value();
  if (!word)
    return {};
  return arith::AddIOp::create(l.b, word, l.integer(static_cast<int32_t>(*more >> 32)));
}

static Value shiftRight(Lowering &l, Type type, ArrayRef<Value> x) {
  std::optional<uint64_t> by = constantOf(x[1]);
  Value word = widthOf(x[0]) == 64 && by && *by <= 32 ? highWord(l, x[0]) : Value();
  if (!word)
    return shift<arith::ShRSIOp>(l, type, x);
  Value whole = arith::ExtSIOp::create(l.b, x[0].getType(), word);
  return arith::ShLIOp::create(l.b, whole, l.integer(static_cast<int64_t>(32 - *by), 64));
}

static Value bitwiseAnd(Lowering &l, Type, ArrayRef<Value> x) {
  auto up = x[0].getDefiningOp<arith::ShLIOp>();
  uint64_t by = up ? constantOf(up.getRhs()).value_or(64) : 0;
  if (widthOf(x[0]) != 64 || by > 32 || constantOf(x[1]) != uint64_t{UINT32_MAX} << by)
    return arith::AndIOp::create(l.b, x[0], x[1]);
  Value word = arith::ExtUIOp::create(l.b, x[0].getType(), lowWord(l, up ? up.getLhs() : x[0]));
  return by ? arith::ShLIOp::create(l.b, word, up.getRhs()).getResult() : word;
}

template <typename Op> static Value bitwise(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0], x[1]);
}

static Value bitwiseNot(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::XOrIOp::create(l.b, x[0], l.integer(-1, widthOf(x[0])));
}

static Value bitCount(Lowering &l, Type type, ArrayRef<Value> x) {
  return resized(l, math::CtPopOp::create(l.b, x[0]), type);
}

/// Swaps groups of bits. The size of the groups doubles at each step.
static Value bitReverse(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value value = x[0];
  for (unsigned group = 1; group < width; group *= 2) {
    uint64_t mask = ~uint64_t{0} / ((uint64_t{1} << group) + 1); // 0101.., 00110011.., ...
    if (group == 32)
      mask = 0xffffffff;
    Value low = l.integer(static_cast<int64_t>(mask), width);
    Value by = l.integer(group, width);
    Value up = arith::ShLIOp::create(l.b, arith::AndIOp::create(l.b, value, low), by);
    Value down = arith::AndIOp::create(l.b, arith::ShRUIOp::create(l.b, value, by), low);
    value = arith::OrIOp::create(l.b, up, down);
  }
  return value;
}

//===-------------------------------------------------------------------------===//
// Bit fields: offset and count may add up to the full width, and a count of 0 means an empty field
//===-------------------------------------------------------------------------===//

/// Returns a mask whose lowest `count` bits are set, for counts from 0 to the width.
static Value lowOnes(Lowering &l, Value count, unsigned width) {
  Value whole =
      arith::CmpIOp::create(l.b, arith::CmpIPredicate::uge, count, l.integer(width, width));
  Value one = l.integer(1, width);
  Value safe = arith::AndIOp::create(l.b, count, l.integer(width - 1, width));
  Value ones = arith::SubIOp::create(l.b, arith::ShLIOp::create(l.b, one, safe), one);
  return arith::SelectOp::create(l.b, whole, l.integer(-1, width), ones);
}

static Value insertField(Lowering &l, Type type, ArrayRef<Value> x) {
  unsigned width = widthOf(x[0]);
  Value offset = shiftAmount(l, x[0], x[2]);
  Value field = arith::ShLIOp::create(l.b, lowOnes(l, resized(l, x[3], type), width), offset);
  Value inserted = arith::AndIOp::create(l.b, arith::ShLIOp::create(l.b, x[1], offset), field);
  Value rest = arith::AndIOp::create(l.b, x[0], bitwiseNot(l, type, {field}));
  return arith::OrIOp::create(l.b, rest, inserted);
}

static Value extractUnsigned(Lowering &l, Type type, ArrayRef<Value> x) {
  Value moved = arith::ShRUIOp::create(l.b, x[0], shiftAmount(l, x[0], x[1]));
  return arith::AndIOp::create(l.b, moved, lowOnes(l, resized(l, x[2], type), widthOf(x[0])));
}

/// Extracts a field and extends its sign, by an xor with the field's top bit and a subtraction of
/// that bit.
static Value extractSigned(Lowering &l, Type type, ArrayRef<Value> x) {
  Value field = extractUnsigned(l, type, x);
  Value ones = lowOnes(l, resized(l, x[2], type), widthOf(x[0]));
  Value half = arith::ShRUIOp::create(l.b, ones, l.integer(1, widthOf(x[0])));
  Value top = arith::XOrIOp::create(l.b, ones, half);
  return arith::SubIOp::create(l.b, arith::XOrIOp::create(l.b, field, top), top);
}

static constexpr Rule rulesOfBits[] = {
    {"BitCount", bitCount},
    {"BitFieldInsert", insertField},
    {"BitFieldSExtract", extractSigned},
    {"BitFieldUExtract", extractUnsigned},
    {"BitReverse", bitReverse},
    {"BitwiseAnd", bitwiseAnd},
    {"BitwiseOr", bitwise<arith::OrIOp>},
    {"BitwiseXor", bitwise<arith::XOrIOp>},
    {"Not", bitwiseNot},
    {"ShiftLeftLogical", shift<arith::ShLIOp>},
    {"ShiftRightArithmetic", shiftRight},
    {"ShiftRightLogical", shift<arith::ShRUIOp>},
};

ArrayRef<Rule> pumice::cpu::bitRules() { return rulesOfBits; }
