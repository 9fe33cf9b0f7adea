//===- FixWorkgroupCount.cpp - fixes a module's grid size -------------------===//
//   before: OpDecorate %grid BuiltIn NumWorkgroups
//           %grid = OpVariable %in_v3uint Input
//           %all = OpLoad %v3uint %grid
//           %place = OpAccessChain %in_uint %grid %i
//           %one = OpLoad %uint %place
//   after:  OpDecorate %x SpecId n      (and %y n+1, %z n+2)
//           %x = OpSpecConstant %uint 1 (and %y, %z)
//           %value = OpSpecConstantComposite %v3uint %x %y %z
//           %all = OpCopyObject %v3uint %value
//           %one = OpVectorExtractDynamic %uint %value %i
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/FixWorkgroupCount.h"

#include "executable/SpirvWords.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace pumice::executable;
using namespace pumice::executable::spirv;

namespace pumice::vulkan {
namespace {

Status unusual(const SpirvInstruction &instruction, const char *what) {
  return Status(StatusCode::Unsupported,
                std::string("the SPIR-V instruction at word ") +
                    std::to_string(instruction.position()) + " " + what +
                    " NumWorkgroups; a grid is only split if NumWorkgroups is an input variable of "
                    "three 32-bit integers that is only loaded");
}

struct State {
  explicit State(SpirvWords module) : module(module) {}

  const SpirvWords module;

  // Results of `collect`:
  std::set<uint32_t> variables; // variables with the decoration NumWorkgroups
  /// Maps each pointer into the built-in to the id of its component index. 0 means that it points
  /// to the whole vector.
  std::map<uint32_t, uint32_t> pointers;
  // Keyed by type: pointees of pointers, and components of three-element vectors.
  std::map<uint32_t, uint32_t> pointees, components;
  std::set<uint32_t> words; // ids of 32-bit integer types
  uint32_t vectorType = 0, freeSpecId = 0;

  // Results of `write`:
  std::vector<uint32_t> out;
  uint32_t value = 0; // the id of the composite; its components come before it
  bool decorated = false, defined = false;

  Status collect();
  Status collectVariable(const SpirvInstruction &instruction);
  Status collectUse(const SpirvInstruction &instruction);
  void write(const SpirvInstruction &instruction);
  void writeEntryPoint(const SpirvInstruction &instruction);
  void writeLoad(const SpirvInstruction &instruction);
  void writeConstants();

  bool isPointer(uint32_t id) const { return pointers.contains(id); }
  void add(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    out.push_back((static_cast<uint32_t>(operands.size()) + 1) << 16 | opcode);
    out.insert(out.end(), operands);
  }
};

Status State::collectVariable(const SpirvInstruction &instruction) {
  if (!variables.contains(instruction.operand(1)))
    return Status::ok();
  auto pointee = pointees.find(instruction.operand(0));
  auto component = pointee == pointees.end() ? components.end() : components.find(pointee->second);
  if (component == components.end() || !words.contains(component->second) ||
      (vectorType && vectorType != pointee->second))
    return unusual(instruction, "gives another type to");
  vectorType = pointee->second;
  pointers[instruction.operand(1)] = 0;
  return Status::ok();
}

/// Records pointers that are derived from the built-in variable. Reports uses that are not
/// supported.
Status State::collectUse(const SpirvInstruction &instruction) {
  switch (instruction.opcode()) {
  case OpAccessChain:
  case OpInBoundsAccessChain: // {type, id, base, indices...}
    if (!isPointer(instruction.operand(2)))
      return Status::ok();
    if (instruction.operands() != 4 || pointers[instruction.operand(2)])
      return unusual(instruction, "goes too far into");
    pointers[instruction.operand(1)] = instruction.operand(3);
    return Status::ok();
  case OpCopyObject: // {type, id, of}
    if (isPointer(instruction.operand(2)))
      pointers[instruction.operand(1)] = pointers[instruction.operand(2)];
    return Status::ok();
  case OpCopyMemory:
  case OpFunctionCall:
  case OpExtInst: {
    // A debug instruction may use the variable. Its ids begin with the fifth operand.
    uint32_t first = instruction.opcode() == OpExtInst        ? 4
                     : instruction.opcode() == OpFunctionCall ? 3
                                                              : 0;
    for (uint32_t i = first; i < instruction.operands(); ++i)
      if (isPointer(instruction.operand(i)))
        return unusual(instruction, "names");
    return Status::ok();
  }
  default: // no other instruction takes a pointer to an input
    return Status::ok();
  }
}

Status State::collect() {
  for (SpirvInstruction instruction : module) {
    Status status;
    switch (instruction.opcode()) {
    case OpDecorate: // {id, decoration, literals...}
      if (instruction.operand(1) == BuiltIn && instruction.operand(2) == builtInNumWorkgroups)
        variables.insert(instruction.operand(0));
      if (instruction.operand(1) == SpecId)
        freeSpecId = std::max(freeSpecId, instruction.operand(2) + 1);
      break;
    case OpTypeInt: // {id, bits, sign}
      if (instruction.operand(1) == 32)
        words.insert(instruction.operand(0));
      break;
    case OpTypeVector: // {id, component, count}
      if (instruction.operand(2) == 3)
        components[instruction.operand(0)] = instruction.operand(1);
      break;
    case OpTypePointer: // {id, class, type}
      pointees[instruction.operand(0)] = instruction.operand(2);
      break;
    case OpVariable: // {type, id, class}
      status = collectVariable(instruction);
      break;
    default:
      status = collectUse(instruction);
    }
    PUMICE_RETURN_IF_ERROR(status);
  }
  if (variables.empty() || !std::ranges::all_of(variables, [&](uint32_t id) {
        return isPointer(id); // false for a decoration group
      }))
    return Status(StatusCode::Unsupported, "the SPIR-V module has no variable NumWorkgroups");
  if (freeSpecId > UINT32_MAX - 3)
    return Status(StatusCode::Unsupported, "the SPIR-V module has no SpecId left");
  return Status::ok();
}

/// Writes the entry point, without the variable in its interface: {model, id, name...,
/// interface...}.
void State::writeEntryPoint(const SpirvInstruction &instruction) {
  std::string_view name;
  bool ends = instruction.text(2, name);
  size_t interface = ends ? 2 + SpirvInstruction::textOperands(name) : instruction.operands();
  size_t start = out.size();
  out.push_back(0);
  for (uint32_t i = 0; i < instruction.operands(); ++i)
    if (i < interface || !isPointer(instruction.operand(i)))
      out.push_back(instruction.operand(i));
  out[start] = static_cast<uint32_t>(out.size() - start) << 16 | OpEntryPoint;
}

void State::writeLoad(const SpirvInstruction &instruction) {
  uint32_t type = instruction.operand(0), id = instruction.operand(1);
  if (uint32_t index = pointers[instruction.operand(2)])
    add(OpVectorExtractDynamic, {type, id, value, index});
  else
    add(OpCopyObject, {type, id, value});
}

/// Writes the constants in place of the variable: behind their types, and before all functions.
void State::writeConstants() {
  uint32_t word = components[vectorType];
  for (uint32_t i = 3; i > 0; --i)
    add(OpSpecConstant, {word, value - i, 1});
  add(OpSpecConstantComposite, {vectorType, value, value - 3, value - 2, value - 1});
}

void State::write(const SpirvInstruction &instruction) {
  switch (instruction.opcode()) {
  case OpName:
  case OpDecorate:
    if (!isPointer(instruction.operand(0)))
      break;
    if (instruction.opcode() == OpDecorate && !std::exchange(decorated, true))
      for (uint32_t i = 0; i < 3; ++i)
        add(OpDecorate, {value - 3 + i, SpecId, freeSpecId + i});
    return;
  case OpEntryPoint:
    return writeEntryPoint(instruction);
  case OpVariable:
    if (!isPointer(instruction.operand(1)))
      break;
    if (!std::exchange(defined, true))
      writeConstants();
    return;
  case OpAccessChain:
  case OpInBoundsAccessChain:
  case OpCopyObject:
    if (isPointer(instruction.operand(1)))
      return;
    break;
  case OpLoad: // {type, id, pointer, how...}
    if (isPointer(instruction.operand(2)))
      return writeLoad(instruction);
    break;
  default:
    break;
  }
  for (uint32_t i = 0; i <= instruction.operands(); ++i)
    out.push_back(module.headerWord(instruction.position() + i));
}

} // namespace

Result<FixedWorkgroupCount> fixWorkgroupCount(std::span<const uint8_t> code) {
  const FieldPath top;
  PUMICE_TRY(SpirvWords module, SpirvWords::of(code, top.field("code")));
  State state(module);
  PUMICE_RETURN_IF_ERROR(state.collect());
  constexpr size_t headerWords = 5, boundAt = 3;
  for (size_t i = 0; i < headerWords; ++i)
    state.out.push_back(module.headerWord(i));
  state.value = state.out[boundAt] + 3;
  state.out[boundAt] += 4;
  for (SpirvInstruction instruction : module)
    state.write(instruction);
  return FixedWorkgroupCount{std::move(state.out), state.freeSpecId};
}

} // namespace pumice::vulkan
