//===- SpirvTypes.cpp - names, decorations, types of a SPIR-V module --------===//
#include "executable/SpirvTypes.h"

#include <algorithm>

namespace pumice::executable {
using namespace spirv;

namespace {
constexpr uint64_t mostSize = SpirvTypes::mostSize;

uint64_t times(uint64_t a, uint64_t b) {
  return a != 0 && b > mostSize / a ? mostSize : std::min(a * b, mostSize);
}
uint64_t plus(uint64_t a, uint64_t b) { return std::min(a + b, mostSize); }

/// Returns the index of the result among the operands of an instruction. Returns nothing for
/// instructions that reflection does not need.
std::optional<size_t> resultIndex(uint32_t opcode) {
  switch (opcode) {
  case OpTypeVoid:
  case OpTypeBool:
  case OpTypeInt:
  case OpTypeFloat:
  case OpTypeVector:
  case OpTypeMatrix:
  case OpTypeImage:
  case OpTypeSampler:
  case OpTypeSampledImage:
  case OpTypeArray:
  case OpTypeRuntimeArray:
  case OpTypeStruct:
  case OpTypePointer:
  case OpTypeFunction:
  case OpTypeUntypedPointer:
  case OpTypeAccelerationStructure:
    return 0;
  case OpConstantTrue:
  case OpConstantFalse:
  case OpConstant:
  case OpConstantComposite:
  case OpSpecConstantTrue:
  case OpSpecConstantFalse:
  case OpSpecConstant:
  case OpSpecConstantComposite:
  case OpSpecConstantOp:
  case OpVariable:
  case OpUntypedVariable:
  case OpFunction:
    return 1;
  default:
    return std::nullopt;
  }
}
} // namespace

/// A member that is being listed, with what the structs around it add.
struct SpirvTypes::Leaf {
  std::string name;
  uint64_t offset = 0;
  std::vector<SpirvDimension> dimensions;
};

Status SpirvTypes::read(const FieldPath &path) {
  for (SpirvInstruction instruction : words)
    PUMICE_RETURN_IF_ERROR(readOne(instruction, path));
  return Status::ok();
}

Status SpirvTypes::readOne(SpirvInstruction instruction, const FieldPath &path) {
  std::string_view text;
  uint32_t first = instruction.operand(0), second = instruction.operand(1);
  switch (instruction.opcode()) {
  case OpName:
    if (instruction.text(1, text))
      names.emplace(first, text);
    return Status::ok();
  case OpMemberName:
    if (instruction.text(2, text))
      memberNames.emplace(std::pair(first, second), text);
    return Status::ok();
  case OpDecorate:
    decorations.emplace(Key{first, wholeId, second}, instruction.operand(2));
    return Status::ok();
  case OpMemberDecorate:
    decorations.emplace(Key{first, second, instruction.operand(2)}, instruction.operand(3));
    return Status::ok();
  case OpGroupDecorate:
    for (uint32_t i = 1; i < instruction.operands(); ++i)
      groups.emplace(std::pair(instruction.operand(i), wholeId), first);
    return Status::ok();
  case OpGroupMemberDecorate:
    for (uint32_t i = 1; i + 1 < instruction.operands(); i += 2)
      groups.emplace(std::pair(instruction.operand(i), instruction.operand(i + 1)), first);
    return Status::ok();
  // The pointer itself is defined after the structs that contain it, but its size is known.
  case OpTypeForwardPointer:
    layouts[first] = {.bytes = 8, .packedBytes = 8};
    return Status::ok();
  default:
    break;
  }
  std::optional<size_t> at = resultIndex(instruction.opcode());
  if (!at)
    return Status::ok();
  uint32_t id = instruction.operand(*at);
  if (id == 0 || *at >= instruction.operands())
    return corrupt(path, "the SPIR-V instruction at word ", instruction.position(),
                   " has no result");
  if (!definitions.emplace(id, instruction.position()).second)
    return corrupt(path, "the SPIR-V instruction at word ", instruction.position(), " defines id ",
                   id, " a second time");
  if (*at == 0)
    layouts[id] = layoutOf(instruction);
  else
    readConstant(instruction);
  if (instruction.opcode() == OpTypeArray)
    noteLength(instruction);
  return Status::ok();
}

SpirvConstant SpirvTypes::literal(SpirvInstruction instruction) const {
  SpirvConstant value;
  value.isSigned = scalar(instruction.operand(0), value.bytes) == SpirvScalar::Int;
  uint32_t opcode = instruction.opcode();
  if (opcode == OpConstantTrue || opcode == OpSpecConstantTrue)
    value.bits = 1;
  else if (opcode == OpConstant || opcode == OpSpecConstant)
    value.bits = instruction.operand(2) | uint64_t{instruction.operand(3)} << 32;
  value.clip();
  return value;
}

/// Reads a constant. Operands are defined before the ids that use them, so one pass computes all
/// constants.
void SpirvTypes::readConstant(SpirvInstruction instruction) {
  uint32_t id = instruction.operand(1), opcode = instruction.opcode();
  bool isFixed = opcode == OpConstant || opcode == OpConstantTrue || opcode == OpConstantFalse;
  bool isOpen =
      opcode == OpSpecConstant || opcode == OpSpecConstantTrue || opcode == OpSpecConstantFalse;
  if (!isFixed && !isOpen && opcode != OpSpecConstantOp)
    return;
  SpirvConstant value = literal(instruction);
  if (opcode == OpSpecConstantOp) {
    if (std::optional<SpirvConstant> found = computed(instruction, value))
      constants.emplace(id, *found);
    return;
  }
  if (isOpen)
    value.specId = decoration(id, SpecId).value_or(noSpecId);
  auto given = std::ranges::find(specialized, value.specId, &SpirvConstantValue::id);
  if (value.specId != noSpecId && given != specialized.end()) {
    value.bits = opcode == OpSpecConstant ? given->bits : given->bits != 0;
    value.clip();
  }
  constants.emplace(id, value);
}

/// Computes the value of {type, result, opcode, operands...}.
std::optional<SpirvConstant> SpirvTypes::computed(SpirvInstruction operation,
                                                  SpirvConstant type) const {
  constexpr size_t first = 3, most = 3;
  if (operation.operand(2) == OpCompositeExtract)
    return extracted(operation);
  SpirvConstant operands[most];
  size_t count = operation.operands() - std::min<size_t>(operation.operands(), first);
  if (count > most)
    return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    std::optional<SpirvConstant> operand = constant(operation.operand(first + i));
    if (!operand)
      return std::nullopt;
    operands[i] = *operand;
  }
  return evaluate(operation.operand(2), std::span(operands).first(count), type);
}

/// Computes an extraction: {type, result, opcode, composite, indices...}.
std::optional<SpirvConstant> SpirvTypes::extracted(SpirvInstruction operation) const {
  uint32_t id = operation.operand(3);
  for (size_t i = 4; i < operation.operands(); ++i) {
    std::optional<SpirvInstruction> from = definition(id);
    bool isComposite = from && (from->opcode() == OpConstantComposite ||
                                from->opcode() == OpSpecConstantComposite);
    if (!isComposite)
      return std::nullopt;
    id = from->operand(size_t{2} + operation.operand(i));
  }
  return constant(id);
}

void SpirvTypes::noteLength(SpirvInstruction array) {
  std::optional<SpirvConstant> length = constant(array.operand(2));
  if (length && length->number() < 1 && !empty)
    empty = {length->number(), length->specId};
}

std::optional<SpirvInstruction> SpirvTypes::definition(uint32_t id) const {
  auto found = definitions.find(id);
  if (found == definitions.end())
    return std::nullopt;
  return words.at(found->second);
}

std::optional<uint32_t> SpirvTypes::decoration(uint32_t id, Decoration which,
                                               uint32_t member) const {
  if (auto found = decorations.find(Key{id, member, which}); found != decorations.end())
    return found->second;
  auto [begin, end] = groups.equal_range(std::pair(id, member));
  for (auto group = begin; group != end; ++group)
    if (auto found = decorations.find(Key{group->second, wholeId, which});
        found != decorations.end())
      return found->second;
  return std::nullopt;
}

std::string_view SpirvTypes::name(uint32_t id) const {
  auto found = names.find(id);
  return found == names.end() ? std::string_view() : found->second;
}

std::string_view SpirvTypes::memberName(uint32_t id, uint32_t member) const {
  auto found = memberNames.find(std::pair(id, member));
  return found == memberNames.end() ? std::string_view() : found->second;
}

std::optional<SpirvConstant> SpirvTypes::constant(uint32_t id) const {
  auto found = constants.find(id);
  return found == constants.end() ? std::nullopt : std::optional(found->second);
}

SpirvScalar SpirvTypes::scalar(uint32_t id, uint32_t &bytes) const {
  std::optional<SpirvInstruction> type = definition(id);
  bytes = 4;
  if (!type)
    return SpirvScalar::Other;
  switch (type->opcode()) {
  case OpTypeBool:
    return SpirvScalar::Bool;
  case OpTypeInt:
  case OpTypeFloat:
    bytes = std::min(type->operand(1), 64u) / 8;
    if (bytes == 0)
      return SpirvScalar::Other;
    if (type->opcode() == OpTypeInt)
      return type->operand(2) ? SpirvScalar::Int : SpirvScalar::Uint;
    if (type->operands() == 2)
      return SpirvScalar::Float;
    // The type has an operand for its encoding: 0 is bfloat16, and others are 8-bit floats.
    return type->operand(2) == 0 && bytes == 2 ? SpirvScalar::Bfloat : SpirvScalar::Other;
  case OpTypePointer:
  case OpTypeUntypedPointer:
    bytes = 8;
    return type->operand(1) == PhysicalStorageBuffer ? SpirvScalar::Address : SpirvScalar::Other;
  default:
    return SpirvScalar::Other;
  }
}

SpirvLayout SpirvTypes::layout(uint32_t id) const {
  auto found = layouts.find(id);
  return found == layouts.end() ? SpirvLayout() : found->second;
}

uint64_t SpirvTypes::arrayCount(SpirvInstruction type) const {
  if (type.opcode() == OpTypeRuntimeArray)
    return 0;
  // If the value of a constant cannot be computed, for example of a vector, it counts as at least
  // one.
  std::optional<SpirvConstant> length = constant(type.operand(2));
  return std::clamp<uint64_t>(length ? length->bits : 1, 1, mostSize);
}

uint64_t SpirvTypes::arrayStride(SpirvInstruction type) const {
  return decoration(type.operand(0), ArrayStride).value_or(layout(type.operand(1)).bytes);
}

/// Returns the bytes from the first number of a matrix in memory to the end of its last number.
uint64_t SpirvTypes::matrixBytes(uint32_t matrix, uint32_t parent, uint32_t member) const {
  std::optional<SpirvInstruction> type = definition(matrix);
  if (!type || type->opcode() != OpTypeMatrix)
    return 0;
  uint64_t column = layout(type->operand(1)).bytes, columns = std::max(type->operand(2), 1u);
  uint64_t stride = decoration(parent, MatrixStride, member).value_or(column);
  std::optional<SpirvInstruction> vector = definition(type->operand(1));
  if (!decoration(parent, RowMajor, member) || !vector || vector->opcode() != OpTypeVector)
    return plus(times(stride, columns - 1), column);
  uint64_t rows = std::max(vector->operand(2), 1u);
  return plus(times(stride, rows - 1), times(columns, layout(vector->operand(1)).bytes));
}

SpirvLayout SpirvTypes::layoutOf(SpirvInstruction type) const {
  SpirvLayout result;
  uint32_t id = type.operand(0), bytes = 0;
  switch (type.opcode()) {
  case OpTypeBool:
  case OpTypeInt:
  case OpTypeFloat:
  case OpTypePointer:
  case OpTypeUntypedPointer:
    scalar(id, bytes);
    return {.bytes = bytes, .packedBytes = bytes};
  case OpTypeVector:
    result.bytes = result.packedBytes = times(layout(type.operand(1)).bytes, type.operand(2));
    return result;
  case OpTypeMatrix:
    return {.matrix = id,
            .packedBytes = times(layout(type.operand(1)).packedBytes, type.operand(2))};
  case OpTypeArray: {
    SpirvLayout element = layout(type.operand(1));
    uint64_t count = arrayCount(type);
    std::optional<SpirvConstant> length = constant(type.operand(2));
    result.bytes = plus(times(arrayStride(type), count - 1), element.bytes);
    result.matrix = element.matrix;
    uint64_t step = decoration(id, ArrayStride).value_or(element.packedBytes);
    result.packedBytes = plus(times(step, count - 1), element.packedBytes);
    result.isOpen = element.isOpen || (length && length->specId != noSpecId);
    return result;
  }
  case OpTypeRuntimeArray:
    result.runtimeStride = std::max<uint64_t>(arrayStride(type), 1);
    return result;
  case OpTypeStruct:
    return structLayout(type);
  default:
    return result;
  }
}

SpirvLayout SpirvTypes::structLayout(SpirvInstruction type) const {
  SpirvLayout result;
  uint32_t id = type.operand(0);
  for (uint32_t member = 0; member + 1 < type.operands(); ++member) {
    SpirvLayout of = layout(type.operand(member + 1));
    std::optional<uint32_t> place = decoration(id, Offset, member);
    uint64_t size = of.matrix ? plus(of.bytes, matrixBytes(of.matrix, id, member)) : of.bytes;
    result.bytes = std::max(result.bytes, plus(place ? *place : result.bytes, size));
    result.packedBytes =
        std::max(result.packedBytes, plus(place ? *place : result.packedBytes, of.packedBytes));
    result.runtimeStride = of.runtimeStride;
    result.isOpen |= of.isOpen;
  }
  return result;
}

void SpirvTypes::addMember(uint32_t structId, uint32_t member, Leaf leaf,
                           std::vector<SpirvMember> &members, size_t &budget,
                           unsigned depth) const {
  std::optional<SpirvInstruction> parent = definition(structId);
  uint32_t typeId = parent->operand(member + 1);
  std::optional<SpirvInstruction> type = definition(typeId);
  for (; type && depth && (type->opcode() == OpTypeArray || type->opcode() == OpTypeRuntimeArray);
       type = definition(typeId), --depth) {
    leaf.dimensions.push_back({arrayCount(*type), arrayStride(*type)});
    typeId = type->operand(1);
  }
  if (type && type->opcode() == OpTypeStruct && depth)
    return addMembers(typeId, std::move(leaf), members, budget, depth - 1);
  SpirvMember found;
  if (type && type->opcode() == OpTypeMatrix) {
    std::optional<SpirvInstruction> column = definition(type->operand(1));
    uint64_t step = layout(type->operand(1)).bytes;
    uint64_t stride = decoration(structId, MatrixStride, member).value_or(step);
    if (decoration(structId, RowMajor, member) && column) {
      // Numbers are listed column by column, whatever their order in memory is.
      uint64_t number = layout(column->operand(1)).bytes;
      leaf.dimensions.push_back({type->operand(2), number});
      leaf.dimensions.push_back({column->operand(2), stride});
      typeId = column->operand(1);
      type.reset();
    } else {
      leaf.dimensions.push_back({type->operand(2), stride});
      typeId = type->operand(1);
      type = column;
    }
  }
  if (type && type->opcode() == OpTypeVector) {
    leaf.dimensions.push_back({type->operand(2), layout(type->operand(1)).bytes, true});
    typeId = type->operand(1);
  }
  found.scalar = scalar(typeId, found.bytes);
  found.name = std::move(leaf.name);
  found.offset = leaf.offset;
  found.dimensions = std::move(leaf.dimensions);
  members.push_back(std::move(found));
}

void SpirvTypes::addMembers(uint32_t structId, Leaf leaf, std::vector<SpirvMember> &members,
                            size_t &budget, unsigned depth) const {
  std::optional<SpirvInstruction> type = definition(structId);
  if (!type || type->opcode() != OpTypeStruct)
    return;
  uint64_t next = 0;
  for (uint32_t member = 0; member + 1 < type->operands() && budget; ++member) {
    --budget; // empty structs may be repeated, so structs count too
    Leaf inner = leaf;
    std::string_view given = memberName(structId, member);
    if (!leaf.name.empty() && !given.empty())
      inner.name += '.';
    inner.name += given.empty() ? concat("[", member, "]") : std::string(given);
    shortenName(inner.name);
    uint64_t offset = decoration(structId, Offset, member).value_or(next);
    inner.offset = plus(leaf.offset, offset);
    next = plus(offset, layout(type->operand(member + 1)).bytes);
    addMember(structId, member, std::move(inner), members, budget, depth);
  }
}

SpirvBlock SpirvTypes::block(uint32_t id, size_t &budget) const {
  SpirvBlock result;
  SpirvLayout whole = layout(id);
  result.name = name(id);
  result.bytes = whole.bytes;
  result.runtimeStride = whole.runtimeStride;
  constexpr unsigned maxDepth = 16;
  addMembers(id, {}, result.members, budget, maxDepth);
  return result;
}

} // namespace pumice::executable
