//===- IntegerCalls.cpp - OpenCL's functions of integers --------------------===//
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using P = arith::CmpIPredicate;

static Value shiftRight(Call &c, Value x, int64_t by) {
  Value count = c.constant(x.getType(), by);
  return c.isSigned() ? c.op<arith::ShRSIOp>(x, count) : c.op<arith::ShRUIOp>(x, count);
}

static Value smallerInteger(Call &c, Value x, Value y) {
  return c.isSigned() ? c.op<arith::MinSIOp>(x, y) : c.op<arith::MinUIOp>(x, y);
}

static Value largerInteger(Call &c, Value x, Value y) {
  return c.isSigned() ? c.op<arith::MaxSIOp>(x, y) : c.op<arith::MaxUIOp>(x, y);
}

/// Returns |x - y| as an unsigned number.
static Value integerDistance(Call &c) {
  Value x = c.x[0], y = c.x[1];
  Value isLess = c.compare(c.isSigned() ? P::slt : P::ult, x, y);
  return c.select(isLess, c.op<arith::SubIOp>(y, x), c.op<arith::SubIOp>(x, y));
}

/// Returns the average of two numbers without overflow: x & y plus half of x ^ y.
static Value average(Call &c, bool roundsUp) {
  Value x = c.x[0], y = c.x[1];
  Value half = shiftRight(c, c.op<arith::XOrIOp>(x, y), 1);
  return roundsUp ? c.op<arith::SubIOp>(c.op<arith::OrIOp>(x, y), half)
                  : c.op<arith::AddIOp>(c.op<arith::AndIOp>(x, y), half);
}

/// Returns x · y + z, held within the range of the type.
static Value multiplyAddSaturated(Call &c) {
  Value x = c.x[0], y = c.x[1], z = c.x[2];
  Type type = x.getType();
  bool isSigned = c.isSigned();
  Value low = c.op<arith::MulIOp>(x, y), high = c.highProduct(x, y, isSigned);
  // The carry of the addition belongs to the upper half, as the sign of z does.
  Value sum = c.op<arith::AddIOp>(low, z);
  Value carry = c.op<arith::ExtUIOp>(type, c.compare(P::ult, sum, low));
  high = c.op<arith::AddIOp>(high, carry);
  Value last = c.constant(type, int64_t(Build::bits(type)) - 1);
  if (!isSigned) {
    Value overflows = c.compare(P::ne, high, c.constant(type, int64_t(0)));
    return c.select(overflows, c.most(type, false), sum);
  }
  high = c.op<arith::AddIOp>(high, c.op<arith::ShRSIOp>(z, last));
  Value fits = c.compare(P::eq, high, c.op<arith::ShRSIOp>(sum, last));
  Value isNegative = c.compare(P::slt, high, c.constant(type, int64_t(0)));
  return c.select(fits, sum, c.select(isNegative, c.least(type, true), c.most(type, true)));
}

/// Returns a number whose upper half is the first argument.
static Value upsample(Call &c) {
  Value by = c.constant(c.result, int64_t(Build::bits(c.result)) / 2);
  Value high = c.op<arith::ExtUIOp>(c.result, c.x[0]), low = c.op<arith::ExtUIOp>(c.result, c.x[1]);
  return c.op<arith::OrIOp>(c.op<arith::ShLIOp>(high, by), low);
}

/// Multiplies numbers of 24 bits, which 32 bits hold.
static Value multiply24(Call &c) {
  Value by = c.constant(c.x[0].getType(), int64_t(8));
  auto low = [&](Value x) {
    x = c.op<arith::ShLIOp>(x, by);
    return c.isSigned() ? c.op<arith::ShRSIOp>(x, by) : c.op<arith::ShRUIOp>(x, by);
  };
  return c.op<arith::MulIOp>(low(c.x[0]), low(c.x[1]));
}

static Value absoluteInteger(Call &c) { return c.isSigned() ? c.op<math::AbsIOp>(c.x[0]) : c.x[0]; }

static Value clampInteger(Call &c) {
  return smallerInteger(c, largerInteger(c, c.x[0], c.x[1]), c.x[2]);
}

Made llvm_import::translateInteger(Call &c) {
  if (c.parameters.empty() || c.isFloat() || c.parameters[0].isPointer || !c.parameters[0].bits)
    return std::nullopt;
  // A number as second argument serves all lanes of the first one.
  static const llvm::StringMap<Value (*)(Call &)> functions = {
      {"abs", absoluteInteger},
      {"abs_diff", integerDistance},
      {"add_sat", [](Call &c) { return c.addSaturated(c.x[0], c.x[1], c.isSigned()); }},
      {"sub_sat", [](Call &c) { return c.subSaturated(c.x[0], c.x[1], c.isSigned()); }},
      {"hadd", [](Call &c) { return average(c, false); }},
      {"rhadd", [](Call &c) { return average(c, true); }},
      {"clamp", clampInteger},
      {"clz", [](Call &c) { return c.op<math::CountLeadingZerosOp>(c.x[0]); }},
      {"ctz", [](Call &c) { return c.op<math::CountTrailingZerosOp>(c.x[0]); }},
      {"popcount", [](Call &c) { return c.op<math::CtPopOp>(c.x[0]); }},
      {"bit_reverse", [](Call &c) { return c.reverseBits(c.x[0], 1); }},
      {"mul_hi", [](Call &c) { return c.highProduct(c.x[0], c.x[1], c.isSigned()); }},
      {"mad_hi",
       [](Call &c) {
         return c.op<arith::AddIOp>(c.highProduct(c.x[0], c.x[1], c.isSigned()), c.x[2]);
       }},
      {"mad_sat", multiplyAddSaturated},
      {"mul24", multiply24},
      {"mad24", [](Call &c) { return c.op<arith::AddIOp>(multiply24(c), c.x[2]); }},
      {"rotate", [](Call &c) { return c.funnelShift(c.x[0], c.x[0], c.x[1], true); }},
      {"upsample", upsample},
      {"min", [](Call &c) { return smallerInteger(c, c.x[0], c.x[1]); }},
      {"max", [](Call &c) { return largerInteger(c, c.x[0], c.x[1]); }},
  };
  auto found = functions.find(c.name);
  if (found == functions.end())
    return std::nullopt;
  c.broadcastNumbers();
  return found->second(c);
}
