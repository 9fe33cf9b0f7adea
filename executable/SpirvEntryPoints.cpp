//===- SpirvEntryPoints.cpp - the shape of a SPIR-V module ------------------===//
// SPIR-V specification, section 2.3: five words of header, then instructions, each with its length
// in words in the upper half of its first word. No instruction is interpreted but OpEntryPoint.
//===-------------------------------------------------------------------------===//
#include "executable/Validate.h"

#include <cstring>

namespace pumice::executable {
namespace {
constexpr uint32_t magic = 0x07230203, swappedMagic = 0x03022307;
constexpr size_t headerWords = 5;
constexpr uint32_t opEntryPoint = 15;
constexpr uint32_t modelGLCompute = 5, modelKernel = 6;

/// Modules are written for little-endian devices; bytes are put together by hand.
uint32_t word(std::span<const uint8_t> code, size_t index) {
  const uint8_t *at = code.data() + index * 4;
  return at[0] | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24;
}
} // namespace

Result<std::vector<std::string_view>> spirvEntryPoints(std::span<const uint8_t> code,
                                                       const FieldPath &path) {
  if (code.size() % 4 || code.size() < headerWords * 4)
    return corrupt(path, code.size(), " bytes are no SPIR-V module: at least ", headerWords,
                   " whole words are needed");
  if (word(code, 0) == swappedMagic)
    return corrupt(path, "the SPIR-V module is big-endian; only little-endian ones are allowed");
  if (word(code, 0) != magic)
    return corrupt(path, "does not begin with SPIR-V's magic number");

  std::vector<std::string_view> names;
  size_t end = code.size() / 4;
  for (size_t at = headerWords; at < end;) {
    uint32_t opcode = word(code, at) & 0xffff, words = word(code, at) >> 16;
    if (words == 0 || words > end - at)
      return corrupt(path, "the SPIR-V instruction at word ", at, " has ", words, " words of ",
                     end - at, " left");
    // {op, model, id, name...}; names end with a zero byte inside the instruction.
    uint32_t model = words > 3 ? word(code, at + 1) : 0;
    if (opcode == opEntryPoint && (model == modelGLCompute || model == modelKernel)) {
      auto *name = reinterpret_cast<const char *>(code.data() + (at + 3) * 4);
      size_t room = (words - 3) * size_t{4}, length = strnlen(name, room);
      if (length == room)
        return corrupt(path, "the entry point's name at word ", at + 3, " has no end");
      names.emplace_back(name, length);
    }
    at += words;
  }
  return names;
}

} // namespace pumice::executable
