//===- SpecConstants.cpp - the specialization constants of a SPIR-V module --===//
// SPIR-V specification, section 2.3: five words of header, then instructions, each with its length
// in words in the upper half of its first word. Decorations come before types, those before
// constants: one pass sees everything in order.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/SpecConstants.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace pumice::hal {
namespace {
constexpr size_t headerWords = 5;
constexpr uint32_t opTypeInt = 21, opTypeFloat = 22, opDecorate = 71;
constexpr uint32_t opSpecConstantTrue = 48, opSpecConstantFalse = 49, opSpecConstant = 50;
constexpr uint32_t decorationSpecId = 1;
} // namespace

std::vector<SpecConstant> specConstants(std::span<const uint8_t> spirv) {
  auto word = [&](size_t index) {
    uint32_t value;
    std::memcpy(&value, spirv.data() + index * 4, sizeof value);
    return value;
  };
  std::unordered_map<uint32_t, uint32_t> specIds, bitsOfType; // by SPIR-V id
  std::vector<SpecConstant> found;
  size_t end = spirv.size() / 4;
  for (size_t at = headerWords; at < end;) {
    uint32_t opcode = word(at) & 0xffff, words = word(at) >> 16;
    if (words == 0 || words > end - at)
      break;
    if (opcode == opDecorate && words >= 4 && word(at + 2) == decorationSpecId)
      specIds[word(at + 1)] = word(at + 3);
    if ((opcode == opTypeInt || opcode == opTypeFloat) && words >= 3)
      bitsOfType[word(at + 1)] = word(at + 2);
    bool isBoolean = opcode == opSpecConstantTrue || opcode == opSpecConstantFalse;
    if ((isBoolean || opcode == opSpecConstant) && words >= 3)
      if (auto id = specIds.find(word(at + 2)); id != specIds.end()) {
        auto bits = bitsOfType.find(word(at + 1));
        bool sized = !isBoolean && bits != bitsOfType.end();
        found.push_back({id->second, sized ? std::max(bits->second / 8, 1u) : 4});
      }
    at += words;
  }
  std::ranges::sort(found);
  return found;
}

} // namespace pumice::hal
