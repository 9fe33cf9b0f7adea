//===- SpirvBinary.cpp - small edits of a serialized module -----------------===//
#include "compiler/spirv/SpirvBinary.h"

#include "executable/SpirvWords.h"

#include <cstring>

using namespace pumice::spirv;
using namespace pumice::executable::spirv; // for the numbers of opcodes

namespace {
constexpr size_t headerWords = 5, boundWord = 3;

uint32_t opcodeOf(uint32_t first) { return first & 0xffff; }
uint32_t lengthOf(uint32_t first) { return first >> 16; }
uint32_t firstWord(uint32_t opcode, uint32_t length) { return length << 16 | opcode; }
} // namespace

template <typename Test> std::optional<size_t> SpirvBinary::find(Test test) const {
  for (size_t at = headerWords; at < words.size(); at += lengthOf(words[at])) {
    if (lengthOf(words[at]) == 0 || at + lengthOf(words[at]) > words.size())
      return std::nullopt;
    if (test(opcodeOf(words[at]), at))
      return at;
  }
  return std::nullopt;
}

void SpirvBinary::insert(size_t at, std::vector<uint32_t> instruction) {
  words.insert(words.begin() + at, instruction.begin(), instruction.end());
}

std::optional<uint32_t> SpirvBinary::idOf(std::string_view name) const {
  std::optional<size_t> at = find([&](uint32_t opcode, size_t offset) {
    if (opcode != OpName)
      return false;
    const char *text = reinterpret_cast<const char *>(&words[offset + 2]);
    size_t room = (lengthOf(words[offset]) - 2) * sizeof(uint32_t);
    return name.size() < room && strnlen(text, room) == name.size() &&
           std::memcmp(text, name.data(), name.size()) == 0;
  });
  if (!at)
    return std::nullopt;
  return words[*at + 1];
}

/// Returns the end of the decorations, which come before the types.
size_t SpirvBinary::endOfAnnotations() const {
  size_t end = words.size();
  if (std::optional<size_t> type = find([](uint32_t opcode, size_t) {
        return (opcode >= 19 && opcode <= 39) || opcode == OpConstant || opcode == OpSpecConstant ||
               opcode == OpVariable;
      }))
    end = *type;
  return end;
}

void SpirvBinary::decorateWorkgroupSize(uint32_t id) {
  insert(endOfAnnotations(), {firstWord(OpDecorate, 4), id, BuiltIn, builtInWorkgroupSize});
}

void SpirvBinary::readClocks(uint32_t scope) {
  constexpr uint32_t uConvert = 113, readClock = 5056;
  find([&](uint32_t opcode, size_t at) {
    if (opcode == OpSpecConstant && words[at + 2] == scope)
      words[at] = firstWord(OpConstant, lengthOf(words[at]));
    if (opcode == uConvert && words[at + 3] == scope)
      words[at] = firstWord(readClock, lengthOf(words[at]));
    return false; // all conversions have been replaced
  });
}

bool SpirvBinary::specializeArrayLength(uint32_t id, uint32_t specId) {
  auto definition = [&](uint32_t opcode, uint32_t result, size_t resultWord) {
    return find(
        [&](uint32_t op, size_t at) { return op == opcode && words[at + resultWord] == result; });
  };
  std::optional<size_t> variable = definition(OpVariable, id, 2);
  if (!variable)
    return false;
  std::optional<size_t> pointer = definition(OpTypePointer, words[*variable + 1], 1);
  std::optional<size_t> array =
      pointer ? definition(OpTypeArray, words[*pointer + 3], 1) : std::nullopt;
  std::optional<size_t> length =
      array ? definition(OpConstant, words[*array + 3], 2) : std::nullopt;
  if (!length)
    return false;
  // The variable gets its own new types, because other variables may share the old ones.
  uint32_t constant = words[boundWord]++, newArray = words[boundWord]++;
  uint32_t newPointer = words[boundWord]++;
  std::vector<uint32_t> definitions = {firstWord(OpSpecConstant, 4),
                                       words[*length + 1],
                                       constant,
                                       words[*length + 3],
                                       firstWord(OpTypeArray, 4),
                                       newArray,
                                       words[*array + 2],
                                       constant,
                                       firstWord(OpTypePointer, 4),
                                       newPointer,
                                       words[*pointer + 2],
                                       newArray};
  words[*variable + 1] = newPointer;
  insert(*variable, std::move(definitions));
  insert(endOfAnnotations(), {firstWord(OpDecorate, 4), constant, SpecId, specId});
  return true;
}
