//===- SpirvConstants.cpp - values of a module's constants ------------------===//
// Implements the section "OpSpecConstantOp" of the SPIR-V specification, but only for integers and
// booleans, from which lengths of arrays and sizes of workgroups are computed.
//===-------------------------------------------------------------------------===//
#include "executable/SpirvConstants.h"

#include <algorithm>

namespace pumice::executable {
namespace {

enum Operation : uint32_t {
  UConvert = 113,
  SConvert = 114,
  SNegate = 126,
  IAdd = 128,
  ISub = 130,
  IMul = 132,
  UDiv = 134,
  SDiv = 135,
  UMod = 137,
  SRem = 138,
  SMod = 139,
  LogicalEqual = 164,
  LogicalNotEqual = 165,
  LogicalOr = 166,
  LogicalAnd = 167,
  LogicalNot = 168,
  Select = 169,
  IEqual = 170,
  INotEqual = 171,
  UGreaterThan = 172,
  SGreaterThan = 173,
  UGreaterThanEqual = 174,
  SGreaterThanEqual = 175,
  ULessThan = 176,
  SLessThan = 177,
  ULessThanEqual = 178,
  SLessThanEqual = 179,
  ShiftRightLogical = 194,
  ShiftRightArithmetic = 195,
  ShiftLeftLogical = 196,
  BitwiseOr = 197,
  BitwiseXor = 198,
  BitwiseAnd = 199,
  Not = 200,
};

int64_t signExtend(const SpirvConstant &constant) {
  unsigned unused = 64 - std::clamp(constant.bytes, 1u, 8u) * 8; // broken modules may have 0
  return static_cast<int64_t>(constant.bits << unused) >> unused;
}

std::optional<uint64_t> divide(uint32_t opcode, const SpirvConstant &first,
                               const SpirvConstant &second) {
  uint64_t a = first.bits, b = second.bits;
  int64_t x = signExtend(first), y = signExtend(second);
  bool isSigned = opcode == SDiv || opcode == SRem || opcode == SMod;
  bool isLeast = x < 0 && (a & (a - 1)) == 0; // the negated value is out of range of the type
  if (b == 0 || (isSigned && y == -1 && isLeast))
    return std::nullopt;
  switch (opcode) {
  case UDiv:
    return a / b;
  case UMod:
    return a % b;
  case SDiv:
    return x / y;
  case SRem:
    return x % y;
  default: { // SMod: the result has the sign of the divisor
    int64_t rest = x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
  }
}

std::optional<uint64_t> shift(uint32_t opcode, const SpirvConstant &first, uint64_t count) {
  uint64_t a = first.bits;
  int64_t x = signExtend(first);
  if (count >= std::min(first.bytes, 8u) * 8)
    return std::nullopt;
  return opcode == ShiftLeftLogical    ? a << count
         : opcode == ShiftRightLogical ? a >> count
                                       : static_cast<uint64_t>(x >> count);
}

std::optional<uint64_t> ofOne(uint32_t opcode, const SpirvConstant &a) {
  switch (opcode) {
  case UConvert:
    return a.bits;
  case SConvert:
    return static_cast<uint64_t>(signExtend(a));
  case SNegate:
    return 0 - a.bits;
  case Not:
    return ~a.bits;
  case LogicalNot:
    return a.bits == 0;
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> ofTwo(uint32_t opcode, const SpirvConstant &first,
                              const SpirvConstant &second) {
  uint64_t a = first.bits, b = second.bits;
  int64_t x = signExtend(first), y = signExtend(second);
  switch (opcode) {
  case IAdd:
    return a + b;
  case ISub:
    return a - b;
  case IMul:
    return a * b;
  case UDiv:
  case SDiv:
  case UMod:
  case SRem:
  case SMod:
    return divide(opcode, first, second);
  case ShiftLeftLogical:
  case ShiftRightLogical:
  case ShiftRightArithmetic:
    return shift(opcode, first, b);
  case BitwiseOr:
  case LogicalOr:
    return a | b;
  case BitwiseXor:
    return a ^ b;
  case BitwiseAnd:
  case LogicalAnd:
    return a & b;
  case IEqual:
  case LogicalEqual:
    return a == b;
  case INotEqual:
  case LogicalNotEqual:
    return a != b;
  case UGreaterThan:
    return a > b;
  case SGreaterThan:
    return x > y;
  case UGreaterThanEqual:
    return a >= b;
  case SGreaterThanEqual:
    return x >= y;
  case ULessThan:
    return a < b;
  case SLessThan:
    return x < y;
  case ULessThanEqual:
    return a <= b;
  case SLessThanEqual:
    return x <= y;
  default:
    return std::nullopt;
  }
}

} // namespace

int64_t SpirvConstant::number() const {
  return isSigned ? signExtend(*this) : static_cast<int64_t>(std::min<uint64_t>(bits, INT64_MAX));
}

void SpirvConstant::clip() {
  if (bytes < 8)
    bits &= (uint64_t{1} << bytes * 8) - 1;
}

std::optional<SpirvConstant> evaluate(uint32_t opcode, std::span<const SpirvConstant> operands,
                                      SpirvConstant type) {
  std::optional<uint64_t> bits;
  if (operands.size() == 1)
    bits = ofOne(opcode, operands[0]);
  else if (operands.size() == 2)
    bits = ofTwo(opcode, operands[0], operands[1]);
  else if (operands.size() == 3 && opcode == Select)
    bits = (operands[0].bits ? operands[1] : operands[2]).bits;
  if (!bits)
    return std::nullopt;
  type.bits = *bits;
  type.clip();
  for (const SpirvConstant &operand : operands)
    if (type.specId == noSpecId)
      type.specId = operand.specId;
  return type;
}

} // namespace pumice::executable
