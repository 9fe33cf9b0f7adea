//===- Constants.cpp - SPIR-V's constants as attributes ---------------------===//
#include "compiler/import/spirv/Types.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

constexpr uint32_t deepest = 1000;
constexpr uint64_t mostLeaves = uint64_t{1} << 22;   // scalars of one constant, with repeats
constexpr uint64_t mostProduced = uint64_t{1} << 24; // the same for all constants together
constexpr uint32_t decorationSpecId = 1;

unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

Attribute scalarOf(Type type, uint64_t bits) {
  APInt value(64, bits);
  value = value.trunc(widthOf(type));
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(number, APFloat(number.getFloatSemantics(), value));
  return IntegerAttr::get(type, value);
}

} // namespace

Attribute pumice::spirv_import::zerosOf(Type type) {
  Builder builder(type.getContext());
  if (type.isIntOrFloat() || isa<VectorType>(type))
    return builder.getZeroAttr(type);
  return builder.getUnitAttr();
}

uint64_t pumice::spirv_import::memberCountOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return array.getNumElements();
  if (auto matrix = dyn_cast<spirv::MatrixType>(type))
    return matrix.getNumColumns();
  if (auto record = dyn_cast<spirv::StructType>(type))
    return record.getNumElements();
  return 0;
}

Type pumice::spirv_import::memberTypeOf(Type type, uint64_t index) {
  if (index >= memberCountOf(type))
    return {};
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType();
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return array.getElementType();
  if (auto matrix = dyn_cast<spirv::MatrixType>(type))
    return matrix.getColumnType();
  return cast<spirv::StructType>(type).getElementType(static_cast<unsigned>(index));
}

Attribute pumice::spirv_import::memberOf(Attribute composite, Type type, uint32_t index) {
  if (auto numbers = dyn_cast<DenseElementsAttr>(composite))
    return *(numbers.value_begin<Attribute>() + index);
  if (auto members = dyn_cast<ArrayAttr>(composite))
    return members[index];
  return zerosOf(memberTypeOf(type, index));
}

Attribute pumice::spirv_import::compositeOf(Type type, ArrayRef<Attribute> members) {
  if (members.size() != memberCountOf(type))
    return {};
  if (auto vector = dyn_cast<VectorType>(type))
    return llvm::any_of(members, isAddress) ? Attribute() : DenseElementsAttr::get(vector, members);
  return ArrayAttr::get(type.getContext(), members);
}

bool Constants::isConstant(uint32_t opcode) {
  switch (opcode) {
  case OpConstantTrue:
  case OpConstantFalse:
  case OpConstant:
  case OpConstantComposite:
  case OpConstantNull:
  case OpSpecConstantTrue:
  case OpSpecConstantFalse:
  case OpSpecConstant:
  case OpSpecConstantComposite:
  case OpSpecConstantOp:
  case OpConstantCompositeReplicateEXT:
  case OpSpecConstantCompositeReplicateEXT:
  case OpUndef:
    return true;
  default:
    return false;
  }
}

bool Constants::isModuleVariable(const Instruction &in) {
  return in.opcode == OpVariable && in[2] != static_cast<uint32_t>(spirv::StorageClass::Function);
}

FailureOr<Constant> Constants::get(uint32_t id, const Instruction &user) {
  if (auto found = constants.find(id); found != constants.end())
    return found->second.constant;
  Instruction in = source.definition(id);
  if (!in || (!isConstant(in.opcode) && !isModuleVariable(in)))
    return reading.fail(user, "id " + Twine(id) + " is not a constant");
  if (nesting > deepest)
    return reading.fail(in, "the constant refers to itself, or to more than " + Twine(deepest) +
                                " others in a row");
  ++nesting;
  FailureOr<Constant> made = make(in);
  --nesting;
  if (failed(made))
    return failure();
  uint64_t leaves = 1;
  if (in.opcode == OpConstantComposite || in.opcode == OpSpecConstantComposite)
    for (uint32_t member : in.operands.drop_front(2))
      leaves += constants[member].leaves;
  else if (in.opcode == OpConstantCompositeReplicateEXT ||
           in.opcode == OpSpecConstantCompositeReplicateEXT)
    leaves += memberCountOf(made->type) * constants[in[2]].leaves;
  else if (in.opcode == OpSpecConstantOp)
    for (uint32_t operand : in.operands.drop_front(2)) // counts literals as operands, too
      leaves += constants.contains(operand) ? constants[operand].leaves : 0;
  if (leaves > mostLeaves)
    return reading.fail(in, "a constant of more than " + Twine(mostLeaves) + " numbers");
  constants[id] = {*made, leaves};
  return *made;
}

FailureOr<uint64_t> Constants::integer(uint32_t id, const Instruction &user) {
  FailureOr<Constant> constant = get(id, user);
  if (failed(constant))
    return failure();
  auto number = dyn_cast_if_present<IntegerAttr>(constant->value);
  if (!number)
    return reading.fail(user, "id " + Twine(id) + " is not a constant integer");
  return number.getValue().getZExtValue();
}

std::optional<uint64_t> Constants::specialized(uint32_t id) const {
  const Decoration *decoration = source.decoration(id, decorationSpecId);
  if (!decoration || decoration->literals.empty())
    return std::nullopt;
  auto found = specialization.find(decoration->literals[0]);
  return found == specialization.end() ? std::nullopt : std::optional(found->second);
}

FailureOr<Constant> Constants::make(const Instruction &in) {
  Type type = types.get(in.type(), in);
  if (!type)
    return failure();
  if (isa<NoneType, FunctionType>(type))
    return reading.fail(in, "its type has no values");
  switch (in.opcode) {
  case OpVariable:
    return makeVariable(in, type);
  case OpUndef:
    return Constant{type, {}};
  case OpConstantNull:
    return Constant{type, zerosOf(type)};
  case OpConstantComposite:
  case OpSpecConstantComposite:
  case OpConstantCompositeReplicateEXT:
  case OpSpecConstantCompositeReplicateEXT:
    return makeComposite(in, type);
  case OpSpecConstantOp:
    return in[2] == OpConvertPtrToU || (isa<spirv::PointerType>(type) && in[2] != OpSelect)
               ? makeAddress(in, type)
               : makeOperation(in, type);
  default:
    return makeScalar(in, type);
  }
}

FailureOr<Constant> Constants::makeScalar(const Instruction &in, Type type) {
  std::optional<uint64_t> given;
  if (in.opcode >= OpSpecConstantTrue)
    given = specialized(in[1]);
  bool boolean = in.opcode != OpConstant && in.opcode != OpSpecConstant;
  if (boolean != type.isInteger(1) || !type.isIntOrFloat())
    return reading.fail(in, "its type does not match: truth values need OpTypeBool, and "
                            "numbers need OpTypeInt or OpTypeFloat");
  if (boolean) {
    bool value = in.opcode == OpConstantTrue || in.opcode == OpSpecConstantTrue;
    return Constant{type, BoolAttr::get(reading.context, given ? *given != 0 : value)};
  }
  size_t words = widthOf(type) > 32 ? 2 : 1;
  if (in.operands.size() != 2 + words)
    return reading.fail(in, "a value of " + Twine(in.operands.size() - 2) + " words");
  return Constant{type, scalarOf(type, given ? *given : in[2] | uint64_t{in[3]} << 32)};
}

FailureOr<Constant> Constants::makeComposite(const Instruction &in, Type type) {
  bool repeats = in.opcode == OpConstantCompositeReplicateEXT ||
                 in.opcode == OpSpecConstantCompositeReplicateEXT;
  ArrayRef<uint32_t> ids = in.operands.drop_front(2);
  // A constant cooperative matrix has one member, the value of all its elements.
  auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type);
  uint64_t count = matrix ? 1 : memberCountOf(type);
  if (ids.size() != (repeats ? 1 : count))
    return reading.fail(in, Twine(ids.size()) + " members for a type of " + Twine(count));
  produced += count;
  if (produced > mostProduced)
    return reading.fail(in, "constants of more than " + Twine(mostProduced) + " members");
  if (count > mostLeaves)
    return reading.fail(in, "a constant of more than " + Twine(mostLeaves) + " numbers");
  SmallVector<Attribute> members;
  for (uint64_t i = 0; i < count; ++i) {
    FailureOr<Constant> member = get(ids[repeats ? 0 : i], in);
    if (failed(member))
      return failure();
    Type wanted = matrix ? matrix.getElementType() : memberTypeOf(type, i);
    if (isa<spirv::PointerType>(wanted) && isNull(*member))
      member->value = zerosOf(wanted);
    else if (!sameButPointees(member->type, wanted))
      return reading.fail(in, "member " + Twine(i) + " has another type");
    members.push_back(member->value ? member->value : zerosOf(wanted));
  }
  Attribute value = matrix ? ArrayAttr::get(reading.context, members) : compositeOf(type, members);
  if (!value)
    return reading.fail(in, "its type has no such constants");
  return Constant{type, value};
}
