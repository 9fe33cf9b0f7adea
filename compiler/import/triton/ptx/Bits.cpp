//===- Bits.cpp - logic, shifts, fields and bytes ---------------------------===//
//   before: lop3.b32 d, a, 0x000f000f, 0x64006400, 0xea;
//   after:  %x = arith.andi %a, 0x000f000f   %d = arith.ori %x, 0x64006400
// A shift by too many bits gives zeros, or copies of the sign (PTX ISA, "shl", "shr").
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::ptx;

using Kind = PtxType::Kind;

static LogicalResult wrongType(Call &call) {
  return call.error("expected a type that '" + call.name + "' takes, got '" +
                    call.instruction.opcode + "'");
}

/// Takes the type from the opcode, and checks its width and the number of operands.
static FailureOr<PtxType> typeOf(Call &call, ArrayRef<unsigned> widths, size_t operands) {
  FailureOr<PtxType> type = call.takeType();
  if (failed(type))
    return failure();
  if (type->isFloat() || type->lanes > 1 || !llvm::is_contained(widths, type->bits))
    return wrongType(call);
  if (failed(call.finish(operands)))
    return failure();
  return type;
}

//===-------------------------------------------------------------------------===//
// Logic
//===-------------------------------------------------------------------------===//

static LogicalResult logic(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {1, 16, 32, 64}, 3);
  if (failed(type))
    return failure();
  FailureOr<SmallVector<Number>> v = call.t.readAll(call, 1, 2, type->bits);
  if (failed(v))
    return failure();
  Number x = (*v)[0], y = (*v)[1];
  return call.t.write(call, call[0],
                      call.name == "and"  ? x & y
                      : call.name == "or" ? x | y
                                          : x ^ y);
}

static LogicalResult complement(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {1, 16, 32, 64}, 2);
  FailureOr<Number> x = failed(type) ? FailureOr<Number>() : call.t.read(call, call[1], type->bits);
  if (failed(x))
    return failure();
  if (call.name == "not")
    return call.t.write(call, call[0], inverted(*x));
  Number isZero = compare(*x, Predicate::eq, call.t.constant(type->bits, 0));
  return call.t.write(call, call[0], resize(isZero, type->bits)); // cnot
}

namespace {
/// Computes a function of two bits, given by a table whose bit 2·a + b is the result. If the
/// function is constant, so is the result.
struct TwoBits {
  Translation &t;
  Number a, b;

  Number operator()(unsigned table) const {
    Number zero = t.constant(32, 0), one = t.constant(32, ~0ull);
    switch (table) {
    case 0x0:
      return zero;
    case 0xf:
      return one;
    case 0xc:
      return a;
    case 0xa:
      return b;
    case 0x8:
      return a & b;
    case 0xe:
      return a | b;
    case 0x6:
      return a ^ b;
    case 0x4:
      return a & inverted(b);
    case 0x2:
      return inverted(a) & b;
    default:
      return inverted((*this)(~table & 0xf));
    }
  }
};
} // namespace

/// Computes any function of three bits. `without` and `with` are the tables over a and b for c = 0
/// and for c = 1.
static Number logicOfThree(Translation &t, Number a, Number b, Number c, unsigned table) {
  unsigned without = 0, with = 0;
  for (unsigned i = 0; i < 4; ++i) {
    without |= (table >> (2 * i) & 1) << i;
    with |= (table >> (2 * i + 1) & 1) << i;
  }
  TwoBits of{t, a, b};
  unsigned change = with ^ without;
  if (change == 0)
    return of(with);
  if (change == 0xf)
    return without == 0 ? c : of(without) ^ c;
  if (with == 0xf)
    return of(without) | c;
  if (without == 0)
    return of(with) & c;
  if (with == 0)
    return of(without) & inverted(c);
  if ((without & change) == 0)
    return of(without) | (of(change) & c);
  return of(without) ^ (of(change) & c);
}

static LogicalResult lop3(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32}, 5);
  FailureOr<SmallVector<Number>> v =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 3, 32);
  if (failed(v))
    return failure();
  const Operand &table = call[4];
  if (table.kind != Operand::Kind::Number || table.floatBits || table.value > 0xff)
    return call.error("expected a number from 0 to 0xff as the last operand of 'lop3.b32'; & 0xff "
                      "leaves the lowest bits");
  return call.t.write(
      call, call[0],
      logicOfThree(call.t, (*v)[0], (*v)[1], (*v)[2], static_cast<unsigned>(table.value)));
}

//===-------------------------------------------------------------------------===//
// Shifts
//===-------------------------------------------------------------------------===//

static LogicalResult shift(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {16, 32, 64}, 3);
  if (failed(type))
    return failure();
  FailureOr<Number> x = call.t.read(call, call[1], type->bits);
  FailureOr<Number> amount = failed(x) ? x : call.t.read(call, call[2], 32);
  if (failed(amount))
    return failure();
  return call.t.write(call, call[0],
                      call.name == "shl" ? shiftLeft(*x, *amount)
                                         : shiftRight(*x, *amount, type->isSigned()));
}

/// Shifts two words as one number of 64 bits. A left shift gives the upper word, and a right shift
/// the lower one.
static LogicalResult funnelShift(Call &call) {
  StringRef side = call.takeAny({"l", "r"}), mode = call.takeAny({"wrap", "clamp"});
  if (side.empty() || mode.empty())
    return call.error("expected .l or .r, and .wrap or .clamp, got '" + call.instruction.opcode +
                      "'");
  FailureOr<PtxType> type = typeOf(call, {32}, 4);
  FailureOr<SmallVector<Number>> v =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 3, 32);
  if (failed(v))
    return failure();
  Number both = join({(*v)[0], (*v)[1]}), amount = (*v)[2];
  amount = mode == "wrap" ? amount & 31 : amount.apply<arith::MinUIOp>(call.t.constant(32, 32));
  amount = resize(amount, 64);
  Number result = side == "l" ? split(both.apply<arith::ShLIOp>(amount), 32)[1]
                              : resize(both.apply<arith::ShRUIOp>(amount), 32);
  return call.t.write(call, call[0], result);
}

//===-------------------------------------------------------------------------===//
// Fields
//===-------------------------------------------------------------------------===//

static Number lowByte(Number x) { return x & 0xff; }

static LogicalResult extractField(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32, 64}, 4);
  if (failed(type))
    return failure();
  FailureOr<Number> x = call.t.read(call, call[1], type->bits);
  FailureOr<SmallVector<Number>> v =
      failed(x) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 2, 2, 32);
  if (failed(v))
    return failure();
  Translation &t = call.t;
  unsigned bits = type->bits;
  Number place = lowByte((*v)[0]), length = lowByte((*v)[1]), width = t.constant(32, bits);
  auto least = [](Number x, Number y) { return x.apply<arith::MinUIOp>(y); };
  Number inside = width - least(place, width);
  Number mask = lowMask(resize(least(length, inside), bits));
  Number field = shiftRight(*x, place, /*isSigned=*/false) & mask;
  if (type->isSigned()) {
    Number one = t.constant(32, 1), none = compare(length, Predicate::eq, t.constant(32, 0));
    Number last = least(place + none.choose(one, length) - one, t.constant(32, bits - 1));
    Number sign = resize(shiftRight(*x, last, false), 1);
    sign = sign & inverted(none);
    field = sign.choose(field | inverted(mask), field);
  }
  return t.write(call, call[0], field);
}

static LogicalResult insertField(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32, 64}, 5);
  FailureOr<SmallVector<Number>> words =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 2, type->bits);
  FailureOr<SmallVector<Number>> v = failed(words) ? words : call.t.readAll(call, 3, 2, 32);
  if (failed(v))
    return failure();
  Number place = lowByte((*v)[0]), length = lowByte((*v)[1]);
  Number mask = shiftLeft(lowMask(resize(length, type->bits)), place);
  Number field = shiftLeft((*words)[0], place) & mask;
  return call.t.write(call, call[0], ((*words)[1] & inverted(mask)) | field);
}

template <typename Op> static LogicalResult countBits(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32, 64}, 2);
  FailureOr<Number> x = failed(type) ? FailureOr<Number>() : call.t.read(call, call[1], type->bits);
  if (failed(x))
    return failure();
  return call.t.write(call, call[0], resize(x->apply<Op>(), 32));
}

/// Returns the position of the highest bit that differs from the sign, or a number with all bits
/// set if there is none.
static LogicalResult findBit(Call &call) {
  bool isShift = call.take("shiftamt");
  FailureOr<PtxType> type = typeOf(call, {32, 64}, 2);
  FailureOr<Number> x = failed(type) ? FailureOr<Number>() : call.t.read(call, call[1], type->bits);
  if (failed(x))
    return failure();
  Translation &t = call.t;
  Number zero = t.constant(type->bits, 0), word = *x;
  if (type->isSigned())
    word = compare(word, Predicate::slt, zero).choose(inverted(word), word);
  Number zeros = resize(word.apply<math::CountLeadingZerosOp>(), 32);
  Number place = isShift ? zeros : t.constant(32, type->bits - 1) - zeros;
  Number none = compare(word, Predicate::eq, zero);
  return t.write(call, call[0], none.choose(t.constant(32, ~0ull), place));
}

/// Returns the position of the n-th set bit, counted upwards from `base`, or downwards if n is
/// negative. If there is none, all bits of the result are set. For n = 0, returns `base` if that
/// bit is set.
static LogicalResult findNthBit(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32}, 4);
  FailureOr<SmallVector<Number>> v =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 3, 32);
  if (failed(v))
    return failure();
  Translation &t = call.t;
  Number zero = t.constant(32, 0), last = t.constant(32, 31);
  Number base = (*v)[1] & 31, offset = (*v)[2];
  Number isDown = compare(offset, Predicate::slt, zero);
  Number isHere = compare(offset, Predicate::eq, zero);
  Number mask = isDown.choose(library("__nv_brev", (*v)[0], (*v)[0].type()), (*v)[0]);
  Number from = isDown.choose(last - base, base);
  Number wanted = isHere.choose(t.constant(32, 1), isDown.choose(zero - offset, offset));
  Number rest = mask & t.constant(32, ~0ull).apply<arith::ShLIOp>(from);
  Number count = rest.apply<math::CtPopOp>(), place = zero;
  Number isThere = compare(wanted, Predicate::ule, count);
  for (uint64_t width : {16, 8, 4, 2, 1}) { // continues in the lower half, or behind it
    Number low = (rest & t.constant(32, (uint64_t(1) << width) - 1)).apply<math::CtPopOp>();
    Number isBehind = compare(wanted, Predicate::ugt, low);
    wanted = isBehind.choose(wanted - low, wanted);
    place = isBehind.choose(place + t.constant(32, width), place);
    rest = isBehind.choose(rest.apply<arith::ShRUIOp>(t.constant(32, width)), rest);
  }
  isThere = isThere & (inverted(isHere) | compare(place, Predicate::eq, from));
  Number result = isDown.choose(last - place, place);
  return t.write(call, call[0], isThere.choose(result, t.constant(32, ~0ull)));
}

static LogicalResult reverse(Call &call) {
  FailureOr<PtxType> type = typeOf(call, {32, 64}, 2);
  FailureOr<Number> x = failed(type) ? FailureOr<Number>() : call.t.read(call, call[1], type->bits);
  if (failed(x))
    return failure();
  StringRef name = type->bits == 32 ? "__nv_brev" : "__nv_brevll";
  return call.t.write(call, call[0], library(name, *x, x->type()));
}

/// Sets `length` bits, from bit `place` on.
static LogicalResult makeMask(Call &call) {
  bool wraps = call.take("wrap");
  if (!wraps && !call.take("clamp"))
    return call.error("expected .clamp or .wrap, got '" + call.instruction.opcode + "'");
  FailureOr<PtxType> type = typeOf(call, {32}, 3);
  FailureOr<SmallVector<Number>> v =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 2, 32);
  if (failed(v))
    return failure();
  Number place = (*v)[0], length = (*v)[1];
  if (wraps) {
    place = place & 31;
    length = length & 31;
  }
  return call.t.write(call, call[0], shiftLeft(lowMask(length), place));
}

//===-------------------------------------------------------------------------===//
// Bytes
//===-------------------------------------------------------------------------===//

/// Returns the bytes that each mode of prmt selects, for each value of the selector's lower two
/// bits (PTX ISA, "prmt").
static std::optional<std::array<uint16_t, 4>> selectorsOf(StringRef mode) {
  using Four = std::array<uint16_t, 4>;
  if (mode == "f4e")
    return Four{0x3210, 0x4321, 0x5432, 0x6543};
  if (mode == "b4e")
    return Four{0x5670, 0x6701, 0x7012, 0x0123};
  if (mode == "rc8")
    return Four{0x0000, 0x1111, 0x2222, 0x3333};
  if (mode == "ecl")
    return Four{0x3210, 0x3211, 0x3222, 0x3333};
  if (mode == "ecr")
    return Four{0x0000, 0x1110, 0x2210, 0x3210};
  if (mode == "rc16")
    return Four{0x1010, 0x3232, 0x1010, 0x3232};
  return std::nullopt;
}

/// Permutes bytes by a constant selector. Bytes that move by the same distance move together.
static Number permute(Translation &t, Number a, Number b, uint64_t selector) {
  std::optional<Number> result;
  auto add = [&](Number bits) { result = result ? *result | bits : bits; };
  for (int word = 0; word < 2; ++word)
    for (int distance = -3; distance <= 3; ++distance) {
      uint64_t mask = 0;
      for (int to = 0; to < 4; ++to) {
        auto nibble = static_cast<int>(selector >> (4 * to) & 0xf);
        if (!(nibble & 8) && nibble / 4 == word && to - nibble % 4 == distance)
          mask |= uint64_t(0xff) << (8 * to);
      }
      if (!mask)
        continue;
      Number source = word ? b : a;
      if (distance > 0)
        source = source.apply<arith::ShLIOp>(t.constant(32, static_cast<uint64_t>(8 * distance)));
      if (distance < 0)
        source = source.apply<arith::ShRUIOp>(t.constant(32, static_cast<uint64_t>(-8 * distance)));
      add(mask == 0xffffffff ? source : source & t.constant(32, mask));
    }
  for (int to = 0; to < 4; ++to) {
    auto nibble = static_cast<int>(selector >> (4 * to) & 0xf);
    if (!(nibble & 8))
      continue;
    Number byte = split(nibble & 4 ? b : a, 8)[static_cast<size_t>(nibble & 3)];
    Number sign = byte.apply<arith::ShRSIOp>(t.constant(8, 7));
    Number place =
        resize(sign, 32).apply<arith::ShLIOp>(t.constant(32, static_cast<uint64_t>(8 * to)));
    add(place);
  }
  return *result;
}

/// Permutes bytes by a selector that is known only at run time.
static Number permuteBy(Translation &t, Number a, Number b, Number selector) {
  std::optional<Number> result;
  for (uint64_t to = 0; to < 4; ++to) {
    Number nibble = selector.apply<arith::ShRUIOp>(t.constant(32, 4 * to));
    Number isOfB = compare(nibble & 4, Predicate::ne, t.constant(32, 0));
    Number distance = (nibble & 3) << 3;
    Number byte = isOfB.choose(b, a).apply<arith::ShRUIOp>(distance) & 0xff;
    Number ofSign = compare(byte & 0x80, Predicate::ne, t.constant(32, 0));
    Number sign = ofSign.choose(t.constant(32, 0xff), t.constant(32, 0));
    Number isSign = compare(nibble & 8, Predicate::ne, t.constant(32, 0));
    Number part = isSign.choose(sign, byte).apply<arith::ShLIOp>(t.constant(32, 8 * to));
    result = result ? *result | part : part;
  }
  return *result;
}

static LogicalResult permutation(Call &call) {
  StringRef mode = call.takeAny({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  // In PTX, the mode follows the type, but this accepts both orders.
  FailureOr<PtxType> type = typeOf(call, {32}, 4);
  FailureOr<SmallVector<Number>> v =
      failed(type) ? FailureOr<SmallVector<Number>>() : call.t.readAll(call, 1, 3, 32);
  if (failed(v))
    return failure();
  Translation &t = call.t;
  Number a = (*v)[0], b = (*v)[1], selector = (*v)[2];
  bool isKnown = call[3].kind == Operand::Kind::Number;
  auto selectors = selectorsOf(mode);
  if (isKnown) {
    uint64_t value = call[3].value & 0xffff;
    return t.write(call, call[0], permute(t, a, b, selectors ? (*selectors)[value & 3] : value));
  }
  if (!selectors)
    return t.write(call, call[0], permuteBy(t, a, b, selector));
  Number which = selector & 3, result = permute(t, a, b, (*selectors)[3]);
  for (uint64_t i = 0; i < 3; ++i)
    result = compare(which, Predicate::eq, t.constant(32, i))
                 .choose(permute(t, a, b, (*selectors)[i]), result);
  return t.write(call, call[0], result);
}

static constexpr Rule rules[] = {
    {"and", logic},
    {"bfe", extractField},
    {"bfi", insertField},
    {"bfind", findBit},
    {"bmsk", makeMask},
    {"brev", reverse},
    {"clz", countBits<math::CountLeadingZerosOp>},
    {"cnot", complement},
    {"fns", findNthBit},
    {"lop3", lop3},
    {"not", complement},
    {"or", logic},
    {"popc", countBits<math::CtPopOp>},
    {"prmt", permutation},
    {"shf", funnelShift},
    {"shl", shift},
    {"shr", shift},
    {"xor", logic},
};

ArrayRef<Rule> ptx::bitRules() { return rules; }
