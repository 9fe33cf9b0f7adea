//===- SpecOperations.cpp - operations on specialization constants ----------===//
// Evaluates all operations that OpSpecConstantOp may name, on scalars and element by element on
// vectors. Results that SPIR-V leaves undefined are 0, for example those of a division by zero, or
// a shift by too many bits.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/Types.h"

#include "executable/SpirvConstants.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

Type elementOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType();
  return type;
}

APInt bitsOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(value).getValue();
}

APFloat floatOf(Type type, const APInt &bits) {
  return APFloat(cast<FloatType>(type).getFloatSemantics(), bits);
}

Attribute attributeOf(Type type, const APInt &bits) {
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(number, floatOf(type, bits));
  return IntegerAttr::get(type, bits);
}

struct Element {
  Type type;
  APInt bits;
};

/// Returns whether some operands leave the operation without a defined result.
bool mayLackResult(uint32_t opcode) {
  switch (opcode) {
  case OpUDiv:
  case OpSDiv:
  case OpUMod:
  case OpSRem:
  case OpSMod:
  case OpShiftLeftLogical:
  case OpShiftRightLogical:
  case OpShiftRightArithmetic:
    return true;
  default:
    return false;
  }
}

/// Computes operations on integers and booleans. Returns nothing for other operations.
std::optional<APInt> integerOperation(uint32_t opcode, ArrayRef<Element> operands, Type result) {
  unsigned width = result.getIntOrFloatBitWidth();
  auto constantOf = [](uint64_t bits, unsigned width) {
    return pumice::executable::SpirvConstant{.bits = bits, .bytes = (width + 7) / 8};
  };
  SmallVector<pumice::executable::SpirvConstant> constants;
  for (const Element &operand : operands)
    constants.push_back(constantOf(operand.bits.getZExtValue(), operand.bits.getBitWidth()));
  if (auto value = pumice::executable::evaluate(opcode, constants, constantOf(0, width)))
    return APInt(width, value->bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  return mayLackResult(opcode) ? std::optional(APInt::getZero(width)) : std::nullopt;
}

std::optional<APInt> floatOperation(uint32_t opcode, APFloat a, const APFloat &b) {
  switch (opcode) {
  case OpFAdd:
    a.add(b, APFloat::rmNearestTiesToEven);
    break;
  case OpFSub:
    a.subtract(b, APFloat::rmNearestTiesToEven);
    break;
  case OpFMul:
    a.multiply(b, APFloat::rmNearestTiesToEven);
    break;
  case OpFDiv:
    a.divide(b, APFloat::rmNearestTiesToEven);
    break;
  case OpFRem:
  case OpFMod: {
    a.mod(b);
    if (opcode == OpFMod && a.isFiniteNonZero() && a.isNegative() != b.isNegative())
      a.add(b, APFloat::rmNearestTiesToEven);
    break;
  }
  default:
    return std::nullopt;
  }
  return a.bitcastToAPInt();
}

std::optional<APInt> conversion(uint32_t opcode, const APInt &a, Type from, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  auto wants = [&](bool wantsFrom, bool wantsTo) {
    return fromFloat == wantsFrom && toFloat == wantsTo;
  };
  if (opcode == OpBitcast)
    return a.getBitWidth() == width ? std::optional(a) : std::nullopt;
  if (wants(false, false))
    return integerOperation(opcode, {{from, a}}, to);
  bool lost = false;
  if (opcode == OpFConvert && wants(true, true)) {
    APFloat value = floatOf(from, a);
    value.convert(cast<FloatType>(to).getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return value.bitcastToAPInt();
  }
  if (opcode == OpFNegate && wants(true, true))
    return neg(floatOf(from, a)).bitcastToAPInt();
  if (opcode == OpQuantizeToF16 && from.isF32() && to.isF32()) {
    APFloat value = floatOf(from, a);
    value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
    if (value.isDenormal())
      value = APFloat::getZero(APFloat::IEEEhalf(), value.isNegative());
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
    return value.bitcastToAPInt();
  }
  if ((opcode == OpConvertFToS || opcode == OpConvertFToU) && wants(true, false)) {
    APSInt result(width, opcode == OpConvertFToU);
    floatOf(from, a).convertToInteger(result, APFloat::rmTowardZero, &lost);
    return result;
  }
  if ((opcode == OpConvertSToF || opcode == OpConvertUToF) && wants(false, true)) {
    APFloat result(cast<FloatType>(to).getFloatSemantics());
    result.convertFromAPInt(a, opcode == OpConvertSToF, APFloat::rmNearestTiesToEven);
    return result.bitcastToAPInt();
  }
  return std::nullopt;
}

/// Evaluates an operation. Returns nothing if it does not apply to these operands.
std::optional<APInt> evaluate(uint32_t opcode, ArrayRef<Element> operands, Type result) {
  if (operands.size() == 1)
    return conversion(opcode, operands[0].bits, operands[0].type, result);
  if (opcode == OpSelect)
    return operands.size() == 3 && operands[0].type.isInteger(1) && operands[1].type == result &&
                   operands[2].type == result
               ? std::optional(operands[operands[0].bits.isZero() ? 2 : 1].bits)
               : std::nullopt;
  if (operands.size() != 2)
    return std::nullopt;
  const auto &[a, b] = std::pair(operands[0], operands[1]);
  if (isa<FloatType>(a.type))
    return a.type == b.type && result == a.type
               ? floatOperation(opcode, floatOf(a.type, a.bits), floatOf(b.type, b.bits))
               : std::nullopt;
  bool shift = opcode == OpShiftLeftLogical || opcode == OpShiftRightLogical ||
               opcode == OpShiftRightArithmetic;
  if (isa<FloatType>(b.type) || (a.type != b.type && !shift))
    return std::nullopt;
  bool compares = opcode >= OpIEqual && opcode <= OpSLessThanEqual;
  bool fits = compares ? result.isInteger(1) : result == a.type;
  return fits ? integerOperation(opcode, operands, result) : std::nullopt;
}

/// Returns the member at a path, or null if it does not exist.
Constant memberAt(Constant from, ArrayRef<uint32_t> path) {
  for (uint32_t index : path) {
    Type type = memberTypeOf(from.type, index);
    if (!type)
      return {};
    from = {type, memberOf(from.value, from.type, index)};
  }
  return from;
}

Constant withMember(Constant into, ArrayRef<uint32_t> path, Constant value) {
  if (path.empty())
    return into.type == value.type ? value : Constant{};
  uint64_t count = memberCountOf(into.type);
  constexpr uint64_t most = 1 << 16;
  if (path[0] >= count || count > most)
    return {};
  SmallVector<Attribute> members;
  for (uint32_t i = 0; i < count; ++i)
    members.push_back(memberOf(into.value, into.type, i));
  Type type = memberTypeOf(into.type, path[0]);
  Constant inner = withMember({type, members[path[0]]}, path.drop_front(), value);
  if (!inner.type)
    return {};
  members[path[0]] = inner.value;
  return {into.type, compositeOf(into.type, members)};
}

Constant shuffle(const Constant &a, const Constant &b, ArrayRef<uint32_t> lanes, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  uint64_t first = memberCountOf(a.type), all = first + memberCountOf(b.type);
  if (!vector || !isa<VectorType>(a.type) || !isa<VectorType>(b.type) ||
      lanes.size() != memberCountOf(type) || elementOf(a.type) != elementOf(type) ||
      elementOf(b.type) != elementOf(type))
    return {};
  SmallVector<Attribute> members;
  for (uint32_t lane : lanes) {
    if (lane >= all && lane != UINT32_MAX)
      return {};
    members.push_back(lane == UINT32_MAX ? zerosOf(elementOf(type))
                      : lane < first     ? memberOf(a.value, a.type, lane)
                                         : memberOf(b.value, b.type, lane - first));
  }
  return {type, compositeOf(type, members)};
}

/// Computes element by element. All operands have one shape, or all are scalars.
Constant elementwise(uint32_t opcode, ArrayRef<Constant> operands, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!type.isIntOrFloat() && !vector)
    return {};
  uint32_t count = vector ? static_cast<uint32_t>(vector.getNumElements()) : 1;
  SmallVector<Attribute> results;
  for (uint32_t i = 0; i < count; ++i) {
    SmallVector<Element> elements;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      bool chooses = opcode == OpSelect && number == 0 && operand.type.isInteger(1);
      if ((!operand.type.isIntOrFloat() && !isa<VectorType>(operand.type)) ||
          isAddress(operand.value))
        return {};
      if (!chooses && memberCountOf(operand.type) != memberCountOf(type))
        return {};
      Attribute value =
          vector && !chooses ? memberOf(operand.value, operand.type, i) : operand.value;
      elements.push_back({elementOf(operand.type), bitsOf(value)});
    }
    std::optional<APInt> bits = evaluate(opcode, elements, elementOf(type));
    if (!bits || bits->getBitWidth() != elementOf(type).getIntOrFloatBitWidth())
      return {};
    results.push_back(attributeOf(elementOf(type), *bits));
  }
  return {type, vector ? compositeOf(type, results) : results[0]};
}

} // namespace

FailureOr<Constant> Constants::makeOperation(const Instruction &in, Type type) {
  uint32_t opcode = in[2];
  const Row *row = findInstruction(opcode);
  std::string name = row ? row->name : std::to_string(opcode);
  ArrayRef<uint32_t> rest = in.operands.drop_front(std::min<size_t>(3, in.operands.size()));
  size_t values = opcode == OpCompositeExtract                               ? 1
                  : opcode == OpCompositeInsert || opcode == OpVectorShuffle ? 2
                                                                             : rest.size();
  if (values == 0 || values > std::min<size_t>(3, rest.size()))
    return reading.fail(in, "Op" + name + " with " + Twine(rest.size()) + " operands");
  SmallVector<Constant> operands;
  for (uint32_t id : rest.take_front(values)) {
    FailureOr<Constant> operand = get(id, in);
    if (failed(operand))
      return failure();
    if (!operand->value)
      operand->value = zerosOf(operand->type);
    operands.push_back(*operand);
  }
  Constant result;
  if (opcode == OpCompositeExtract)
    result = memberAt(operands[0], rest.drop_front());
  else if (opcode == OpCompositeInsert)
    result = withMember(operands[1], rest.drop_front(2), operands[0]);
  else if (opcode == OpVectorShuffle)
    result = shuffle(operands[0], operands[1], rest.drop_front(2), type);
  else if (opcode == OpSelect && values == 3 && operands[0].type.isInteger(1))
    result = operands[cast<IntegerAttr>(operands[0].value).getValue().isZero() ? 2 : 1];
  else
    result = elementwise(opcode, operands, type);
  if (!result.value || result.type != type)
    return reading.fail(in, "Op" + name + " of these constants cannot be computed");
  produced += memberCountOf(type);
  return result;
}
