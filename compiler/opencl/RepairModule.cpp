//===- RepairModule.cpp - mistakes of LLVM's backend in modules for OpenCL --===//
//   before: %r = OpExtInst %uint %cl printf %array_of_characters %x
//   after:  %f = OpBitcast %pointer_to_character %array_of_characters
//           %r = OpExtInst %uint %cl printf %f %x
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/RepairModule.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

#include <algorithm>
#include <map>
#include <string_view>

using namespace pumice;
using mlir::spirv::Opcode;

namespace {

constexpr size_t headerWords = 5, boundWord = 3;
constexpr uint32_t printfNumber = 184;

/// Adds the casts to a module. Instructions begin with their length and their opcode.
struct FormatCasts {
  explicit FormatCasts(const std::vector<uint32_t> &from) : from(from) {}

  const std::vector<uint32_t> &from;
  std::vector<uint32_t> made;
  uint32_t openCl = 0, character = 0, pointer = 0;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> pointers; // storage class and pointee
  std::map<uint32_t, uint32_t> variables;                     // their types

  static uint32_t first(Opcode opcode, uint32_t words) {
    return words << 16 | static_cast<uint32_t>(opcode);
  }

  void note(Opcode opcode, const uint32_t *word) {
    if (opcode == Opcode::OpExtInstImport &&
        std::string_view(reinterpret_cast<const char *>(word + 2)) == "OpenCL.std")
      openCl = word[1];
    else if (opcode == Opcode::OpTypeInt && word[2] == 8)
      character = word[1];
    else if (opcode == Opcode::OpTypePointer)
      pointers[word[1]] = {word[2], word[3]};
    else if (opcode == Opcode::OpVariable)
      variables[word[2]] = word[1];
  }

  /// Returns whether the instruction is a call of printf with a format that has to be cast.
  bool needsCast(Opcode opcode, const uint32_t *word, size_t words) {
    if (opcode != Opcode::OpExtInst || words < 6 || word[3] != openCl || word[4] != printfNumber)
      return false;
    auto variable = variables.find(word[5]);
    return variable != variables.end() && pointers[variable->second].second != character;
  }

  /// Returns the type of pointers to characters in the memory of a variable.
  uint32_t typeFor(uint32_t variable, uint32_t &bound) {
    uint32_t storage = pointers[variables[variable]].first;
    for (const auto &[id, type] : pointers)
      if (type.first == storage && type.second == character)
        return id;
    pointers[bound] = {storage, character};
    made.insert(made.end(), {first(Opcode::OpTypePointer, 4), bound, storage, character});
    return bound++;
  }

  std::vector<uint32_t> run() {
    std::vector<size_t> calls;
    size_t functions = from.size();
    for (size_t at = headerWords; at < from.size(); at += from[at] >> 16) {
      auto opcode = static_cast<Opcode>(from[at] & 0xffff);
      note(opcode, &from[at]);
      if (opcode == Opcode::OpFunction)
        functions = std::min(functions, at);
      if (needsCast(opcode, &from[at], from[at] >> 16))
        calls.push_back(at);
    }
    if (calls.empty() || character == 0)
      return from;
    uint32_t bound = from[boundWord];
    made.assign(from.begin(), from.begin() + static_cast<ptrdiff_t>(functions));
    std::map<uint32_t, uint32_t> types;
    for (size_t call : calls)
      types[from[call + 5]] = typeFor(from[call + 5], bound);
    size_t copied = functions;
    for (size_t call : calls) {
      made.insert(made.end(), from.begin() + static_cast<ptrdiff_t>(copied),
                  from.begin() + static_cast<ptrdiff_t>(call));
      uint32_t format = from[call + 5];
      made.insert(made.end(), {first(Opcode::OpBitcast, 4), types[format], bound, format});
      copied = call + (from[call] >> 16);
      made.insert(made.end(), from.begin() + static_cast<ptrdiff_t>(call),
                  from.begin() + static_cast<ptrdiff_t>(copied));
      made[made.size() - (copied - call) + 5] = bound++;
    }
    made.insert(made.end(), from.begin() + static_cast<ptrdiff_t>(copied), from.end());
    made[boundWord] = bound;
    return made;
  }
};

} // namespace

std::vector<uint32_t> opencl::castPrintfFormats(std::vector<uint32_t> words) {
  return FormatCasts(words).run();
}

std::vector<uint32_t> opencl::shortenNulls(const std::vector<uint32_t> &words) {
  constexpr uint32_t length = 3; // the first word, a type and an id
  std::vector<uint32_t> made(words.begin(), words.begin() + headerWords);
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    bool isNull = static_cast<Opcode>(words[at] & 0xffff) == Opcode::OpConstantNull;
    size_t end = at + (isNull ? length : words[at] >> 16);
    size_t start = made.size();
    made.insert(made.end(), words.begin() + static_cast<ptrdiff_t>(at),
                words.begin() + static_cast<ptrdiff_t>(end));
    if (isNull)
      made[start] = FormatCasts::first(Opcode::OpConstantNull, length);
  }
  return made;
}

std::vector<uint32_t> opencl::dropRelaxedPrintf(const std::vector<uint32_t> &words) {
  std::vector<uint32_t> made(words.begin(), words.begin() + headerWords);
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    const auto *begin = words.data() + at;
    if (static_cast<Opcode>(*begin & 0xffff) != Opcode::OpExtension ||
        std::string_view(reinterpret_cast<const char *>(begin + 1)) != relaxedPrintf)
      made.insert(made.end(), begin, begin + (*begin >> 16));
  }
  return made;
}

std::vector<std::string> opencl::importedFunctions(const std::vector<uint32_t> &words) {
  std::map<uint32_t, std::string> imports;
  std::vector<std::string> made;
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    auto opcode = static_cast<Opcode>(words[at] & 0xffff);
    size_t length = words[at] >> 16;
    bool isLinkage =
        opcode == Opcode::OpDecorate && length > 4 &&
        words[at + 2] == static_cast<uint32_t>(mlir::spirv::Decoration::LinkageAttributes);
    if (isLinkage &&
        words[at + length - 1] == static_cast<uint32_t>(mlir::spirv::LinkageType::Import))
      imports[words[at + 1]] = reinterpret_cast<const char *>(&words[at + 3]);
    auto import = imports.end();
    if (opcode == Opcode::OpFunction)
      import = imports.find(words[at + 2]);
    if (import != imports.end())
      made.push_back(import->second);
  }
  return made;
}
