//===- SubgroupSize.cpp - lets a kernel's code require a subgroup size ------===//
#include "runtime/drivers/opencl/SubgroupSize.h"

#include <cstring>

namespace pumice::opencl_driver {
namespace {

constexpr size_t headerWords = 5;
constexpr uint32_t opEntryPoint = 15, opExecutionMode = 16, opCapability = 17, modelKernel = 6,
                   modeSubgroupSize = 35, capabilitySubgroupDispatch = 58;

uint32_t instruction(uint32_t opcode, uint32_t words) { return words << 16 | opcode; }

/// Reads the text that begins at a word.
std::string_view textAt(std::span<const uint32_t> words) {
  const char *begin = reinterpret_cast<const char *>(words.data());
  return {begin, strnlen(begin, words.size_bytes())};
}

} // namespace

std::vector<uint8_t> withSubgroupSize(std::span<const uint8_t> code, std::string_view entryPoint,
                                      uint32_t size) {
  std::vector<uint32_t> words(code.size() / 4), out;
  std::memcpy(words.data(), code.data(), words.size() * 4);
  uint32_t kernel = 0; // the id of the entry point
  bool hasCapability = false, wrote = false;
  out.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(headerWords));
  for (size_t at = headerWords; at < words.size();) {
    uint32_t opcode = words[at] & 0xffff, count = words[at] >> 16;
    if (count == 0 || at + count > words.size())
      return {code.begin(), code.end()};
    std::span<const uint32_t> whole = std::span(words).subspan(at, count);
    at += count;
    hasCapability |= opcode == opCapability && whole[1] == capabilitySubgroupDispatch;
    if (opcode != opCapability && !hasCapability) { // capabilities come first
      out.insert(out.end(), {instruction(opCapability, 2), capabilitySubgroupDispatch});
      hasCapability = true;
    }
    if (opcode == opEntryPoint && count > 3 && whole[1] == modelKernel &&
        textAt(whole.subspan(3)) == entryPoint)
      kernel = whole[2];
    bool isMode = opcode == opExecutionMode && count > 2;
    if (isMode && whole[1] == kernel && whole[2] == modeSubgroupSize)
      continue;
    bool isBefore = opcode == opCapability || opcode == opEntryPoint ||
                    opcode == 10 ||               // OpExtension
                    opcode == 11 || opcode == 14; // OpExtInstImport, OpMemoryModel
    if (kernel && !isBefore && !wrote) {
      out.insert(out.end(), {instruction(opExecutionMode, 4), kernel, modeSubgroupSize, size});
      wrote = true;
    }
    out.insert(out.end(), whole.begin(), whole.end());
  }
  if (!wrote)
    return {code.begin(), code.end()};
  const auto *bytes = reinterpret_cast<const uint8_t *>(out.data());
  return {bytes, bytes + out.size() * 4};
}

} // namespace pumice::opencl_driver
