//===- SpirvDebugWords.cpp - debug information that any validator knows -----===//
// The NonSemantic sets of debug information have ids of constants in place of literals. The
// validator does not check those constants, so modules with these sets need no change.
//===-------------------------------------------------------------------------===//
#include "executable/SpirvDebugWords.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace pumice::executable {
namespace {

constexpr uint32_t opSource = 3, opExtInstImport = 11, opExtInst = 12;
constexpr uint32_t mostLanguage = 6, allFlags = 0x1ffff;

/// An operand of a debug instruction: an enumerant up to `most`, or a mask of flags.
struct DebugWord {
  uint32_t instruction, operand, most;
  bool isMask = false;
};

constexpr DebugWord debugWords[] = {
    {1, 3, mostLanguage},    // DebugCompilationUnit
    {2, 2, 7},               // DebugTypeBasic: encoding
    {3, 2, allFlags, true},  // DebugTypePointer
    {4, 1, 3},               // DebugTypeQualifier
    {8, 0, allFlags, true},  // DebugTypeFunction
    {9, 7, allFlags, true},  // DebugTypeEnum
    {10, 1, 2},              // DebugTypeComposite: tag
    {10, 8, allFlags, true}, // and flags
    {11, 8, allFlags, true}, // DebugTypeMember
    {12, 4, allFlags, true}, // DebugTypeInheritance
    {18, 8, allFlags, true}, // DebugGlobalVariable
    {19, 7, allFlags, true}, // DebugFunctionDeclaration
    {20, 7, allFlags, true}, // DebugFunction
    {26, 6, allFlags, true}, // DebugLocalVariable
    {30, 0, 9},              // DebugOperation
    {34, 1, 1},              // DebugImportedEntity
};

void replaceUnknown(std::span<uint32_t> operands, uint32_t instruction) {
  for (const DebugWord &word : debugWords) {
    if (word.instruction != instruction || word.operand >= operands.size())
      continue;
    uint32_t &value = operands[word.operand];
    if (value > word.most)
      value = word.isMask ? value & word.most : 0;
  }
}

bool hasLiterals(std::span<const uint32_t> name) {
  const char *first = reinterpret_cast<const char *>(name.data());
  std::string_view text(first, strnlen(first, name.size_bytes()));
  return text == "OpenCL.DebugInfo.100" || text == "DebugInfo";
}

} // namespace

std::vector<uint32_t> withKnownDebugWords(std::span<const uint32_t> words) {
  constexpr size_t header = 5;
  std::vector<uint32_t> copy(words.begin(), words.end()), sets;
  size_t length = 0;
  for (size_t at = header; at < copy.size(); at += length) {
    length = copy[at] >> 16;
    if (length == 0 || length > copy.size() - at)
      break;
    std::span<uint32_t> in = std::span(copy).subspan(at, length);
    uint32_t opcode = in[0] & 0xffff;
    if (opcode == opSource && length > 1 && in[1] > mostLanguage)
      in[1] = 0;
    if (opcode == opExtInstImport && length > 2 && hasLiterals(in.subspan(2)))
      sets.push_back(in[1]);
    if (opcode == opExtInst && length > 5 && std::ranges::find(sets, in[3]) != sets.end())
      replaceUnknown(in.subspan(5), in[4]);
  }
  return copy;
}

} // namespace pumice::executable
