//===- SpirvParameters.cpp - the layout of an OpenCL kernel's arguments -----===//
#include "executable/SpirvParameters.h"

#include <algorithm>
#include <bit>

namespace pumice::executable {
using namespace spirv;

namespace {
constexpr uint64_t mostBytes = uint64_t{1} << 32;
constexpr unsigned deepest = 32; // the nesting limit of structs

struct Extent {
  uint64_t bytes = 0, alignment = 1;
};

uint64_t alignedTo(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

class Parameters {
public:
  Parameters(const SpirvTypes &types, size_t &budget, SpirvEntryPoint &entry)
      : types(types), budget(budget), block(entry.pushConstants), entry(entry) {}
  void add(uint32_t type, std::string name);

private:
  Extent extent(uint32_t type, unsigned depth = 0);
  Extent extentOf(SpirvInstruction type, unsigned depth);
  std::vector<uint64_t> memberOffsets(SpirvInstruction type, unsigned depth);
  void list(uint32_t type, SpirvMember member, unsigned depth = 0);
  void push(SpirvMember member);

  const SpirvTypes &types;
  size_t &budget;
  SpirvBlock &block;
  SpirvEntryPoint &entry;
  std::unordered_map<uint32_t, Extent> known;
};

Extent Parameters::extent(uint32_t type, unsigned depth) {
  if (auto found = known.find(type); found != known.end())
    return found->second;
  std::optional<SpirvInstruction> definition = types.definition(type);
  if (!definition || depth > deepest)
    return {};
  Extent made = extentOf(*definition, depth);
  made.bytes = std::min(made.bytes, mostBytes);
  return known[type] = made;
}

Extent Parameters::extentOf(SpirvInstruction type, unsigned depth) {
  switch (type.opcode()) {
  case OpTypeInt:
  case OpTypeFloat: {
    uint32_t bytes = 0;
    (void)types.scalar(type.operand(0), bytes);
    return {bytes, std::max(bytes, 1u)}; // 0 if no type has this width
  }
  case OpTypePointer:
    return {8, 8};
  case OpTypeVector: {
    uint64_t element = extent(type.operand(1), depth + 1).bytes;
    uint64_t bytes = element * std::bit_ceil(std::min(type.operand(2), 64u));
    return {bytes, std::max<uint64_t>(bytes, 1)};
  }
  case OpTypeArray: {
    Extent element = extent(type.operand(1), depth + 1);
    uint64_t stride = alignedTo(element.bytes, element.alignment);
    uint64_t count = types.arrayCount(type);
    bool tooMany = stride && count > mostBytes / stride;
    return {tooMany ? mostBytes : stride * count, element.alignment};
  }
  case OpTypeStruct: {
    bool packed = types.decoration(type.operand(0), CPacked).has_value();
    Extent whole;
    for (uint32_t i = 1; i < type.operands(); ++i) {
      Extent member = extent(type.operand(i), depth + 1);
      if (!packed)
        whole.alignment = std::max(whole.alignment, member.alignment);
      whole.bytes = alignedTo(whole.bytes, packed ? 1 : member.alignment) + member.bytes;
      whole.bytes = std::min(whole.bytes, mostBytes);
    }
    whole.bytes = alignedTo(whole.bytes, whole.alignment);
    return whole;
  }
  default:
    return {};
  }
}

std::vector<uint64_t> Parameters::memberOffsets(SpirvInstruction type, unsigned depth) {
  bool packed = types.decoration(type.operand(0), CPacked).has_value();
  std::vector<uint64_t> offsets;
  uint64_t next = 0;
  for (uint32_t i = 1; i < type.operands(); ++i) {
    Extent member = extent(type.operand(i), depth + 1);
    offsets.push_back(alignedTo(next, packed ? 1 : member.alignment));
    next = std::min(offsets.back() + member.bytes, mostBytes);
  }
  return offsets;
}

void Parameters::push(SpirvMember member) {
  if (budget == 0)
    return;
  --budget;
  block.members.push_back(std::move(member));
}

/// Lists the numbers in a type. `member` is the position of the type.
void Parameters::list(uint32_t type, SpirvMember member, unsigned depth) {
  std::optional<SpirvInstruction> definition = types.definition(type);
  if (!definition || depth > deepest || budget == 0)
    return;
  switch (definition->opcode()) {
  case OpTypeArray:
  case OpTypeVector: {
    bool isVector = definition->opcode() == OpTypeVector;
    Extent element = extent(definition->operand(1), depth + 1);
    uint64_t count = isVector ? definition->operand(2) : types.arrayCount(*definition);
    member.dimensions.push_back({count, alignedTo(element.bytes, element.alignment), isVector});
    return list(definition->operand(1), std::move(member), depth + 1);
  }
  case OpTypeStruct: {
    std::vector<uint64_t> offsets = memberOffsets(*definition, depth);
    for (size_t i = 0; i < offsets.size() && budget != 0; ++i) {
      --budget; // empty structs may be repeated, so structs count too
      SpirvMember inner = member;
      std::string_view given = types.memberName(type, static_cast<uint32_t>(i));
      inner.name += given.empty() ? concat("[", i, "]") : concat(".", given);
      shortenName(inner.name);
      inner.offset += offsets[i];
      list(definition->operand(i + 1), std::move(inner), depth + 1);
    }
    return;
  }
  case OpTypePointer:
    member.scalar = definition->operand(1) == spirv::Workgroup ? SpirvScalar::WorkgroupMemory
                                                               : SpirvScalar::Address;
    member.bytes = 8;
    return push(std::move(member));
  default:
    member.scalar = types.scalar(type, member.bytes);
    return push(std::move(member));
  }
}

void Parameters::add(uint32_t type, std::string name) {
  std::optional<SpirvInstruction> definition = types.definition(type);
  bool isPointer = definition && definition->opcode() == OpTypePointer;
  if (isPointer && definition->operand(1) == spirv::Function) // a struct by value
    type = definition->operand(2);
  Extent whole = extent(type);
  SpirvParameter &parameter = entry.parameters.emplace_back();
  parameter.name = name;
  parameter.firstMember = block.members.size();
  if (whole.bytes == 0) {
    uint32_t opcode = definition ? definition->opcode() : 0;
    parameter.refused = opcode == OpTypeImage          ? "an image"
                        : opcode == OpTypeSampler      ? "a sampler"
                        : opcode == OpTypeSampledImage ? "a sampled image"
                                                       : "of a type that is not known here";
    return;
  }
  SpirvMember member;
  member.name = std::move(name);
  member.offset = alignedTo(block.bytes, whole.alignment);
  block.bytes = member.offset + whole.bytes;
  parameter.offset = member.offset;
  parameter.bytes = whole.bytes;
  list(type, std::move(member));
  parameter.members = block.members.size() - parameter.firstMember;
}
} // namespace

void describeParameters(const SpirvTypes &types, uint32_t function, std::span<const uint32_t> ids,
                        size_t &budget, SpirvEntryPoint &entry) {
  std::optional<SpirvInstruction> made = types.definition(function);
  std::optional<SpirvInstruction> type;
  if (made && made->opcode() == OpFunction)
    type = types.definition(made->operand(3));
  if (!type || type->opcode() != OpTypeFunction)
    return;
  Parameters parameters(types, budget, entry);
  for (size_t i = 0; i + 2 < type->operands() && budget != 0; ++i) {
    --budget;
    std::string name;
    if (i < ids.size())
      name = types.name(ids[i]);
    if (name.empty())
      name = concat("[", i, "]");
    shortenName(name);
    parameters.add(type->operand(i + 2), std::move(name));
  }
  entry.hasPushConstants = !entry.parameters.empty();
}

} // namespace pumice::executable
