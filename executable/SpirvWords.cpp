//===- SpirvWords.cpp - the instructions of a SPIR-V module -----------------===//
#include "executable/SpirvWords.h"

#include "executable/Validate.h"

#include <cstring>

namespace pumice::executable {

// Reads a word byte by byte, because modules are little-endian.
uint32_t SpirvInstruction::word(size_t index) const {
  const uint8_t *bytes = code.data() + (at + index) * 4;
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

bool SpirvInstruction::text(size_t index, std::string_view &found) const {
  if (index >= operands())
    return false;
  auto *first = reinterpret_cast<const char *>(code.data() + (at + 1 + index) * 4);
  size_t room = (operands() - index) * size_t{4}, length = strnlen(first, room);
  found = {first, length};
  return length < room;
}

Result<SpirvWords> SpirvWords::of(std::span<const uint8_t> code, const FieldPath &path) {
  constexpr uint32_t magic = 0x07230203, swappedMagic = 0x03022307;
  if (code.size() % 4 || code.size() < headerWords * 4)
    return corrupt(path, "SPIR-V size must be a multiple of 4 bytes and at least ", headerWords * 4,
                   ", got ", code.size());
  SpirvWords words(code);
  if (words.headerWord(0) == swappedMagic)
    return corrupt(path,
                   "the SPIR-V module is big-endian; only little-endian modules are supported");
  if (words.headerWord(0) != magic)
    return corrupt(path, "does not begin with SPIR-V's magic number");
  size_t end = code.size() / 4;
  for (size_t at = headerWords; at < end;) {
    uint32_t length = words.headerWord(at) >> 16;
    if (length == 0 || length > end - at)
      return corrupt(path, "the SPIR-V instruction at word ", at, " has ", length,
                     " words, but only ", end - at, " are left");
    at += length;
  }
  return words;
}

Result<std::vector<std::string_view>> spirvEntryPoints(std::span<const uint8_t> code,
                                                       const FieldPath &path) {
  PUMICE_TRY(SpirvWords words, SpirvWords::of(code, path));
  std::vector<std::string_view> names;
  for (SpirvInstruction instruction : words) {
    // Operands: {model, id, name...}
    uint32_t model = instruction.operand(0);
    if (instruction.opcode() != spirv::OpEntryPoint || instruction.operands() < 3 ||
        (model != spirv::modelGLCompute && model != spirv::modelKernel))
      continue;
    std::string_view name;
    if (!instruction.text(2, name))
      return corrupt(path, "the entry point's name at word ", instruction.position() + 3,
                     " has no terminating zero");
    names.push_back(name);
  }
  return names;
}

} // namespace pumice::executable
