//===- Source.h - a SPIR-V binary, indexed ----------------------------------===//
// Source knows the definitions, names and decorations of ids. It does not know types.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/spirv/Instructions.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace pumice::spirv_import {

struct Instruction {
  uint32_t at = 0; // the position in the module, in words
  uint32_t opcode = 0;
  llvm::ArrayRef<uint32_t> operands;

  /// Returns 0 for missing operands. No id is 0.
  uint32_t operator[](size_t index) const { return index < operands.size() ? operands[index] : 0; }
  explicit operator bool() const { return at != 0; }
  uint32_t type() const { return (*this)[0]; }
};

struct Decoration {
  uint32_t kind = 0;
  llvm::ArrayRef<uint32_t> literals;
  bool ids = false; // the literals are ids of constants
};
using Decorations = std::vector<Decoration>;

class Source {
public:
  /// Accepts words in either byte order, checks their form, and indexes them.
  static mlir::FailureOr<Source> index(std::span<const uint32_t> words, std::string &error);

  uint32_t version() const { return words[1]; }
  uint32_t end() const { return static_cast<uint32_t>(words.size()); }
  static constexpr uint32_t begin = 5;
  Instruction instruction(uint32_t at) const;
  Instruction next(const Instruction &after) const {
    return instruction(after.at + 1 + static_cast<uint32_t>(after.operands.size()));
  }
  /// Returns the instruction that defines `id`, or an empty instruction.
  Instruction definition(uint32_t id) const;
  llvm::StringRef name(uint32_t id) const;
  const Decorations &decorations(uint32_t id) const;
  const Decorations &memberDecorations(uint32_t type, uint32_t member) const;
  const Decoration *decoration(uint32_t id, uint32_t kind) const;
  /// Returns the string that begins at an operand. Sets `next` to the operand behind it. A string
  /// without a terminator ends with the instruction.
  llvm::StringRef text(const Instruction &in, size_t operand, size_t *next = nullptr) const;

  std::vector<uint32_t> functions;   // positions of OpFunction
  std::vector<uint32_t> entryPoints; // positions of OpEntryPoint
  std::vector<uint32_t> variables;   // positions of OpVariable outside of functions
  std::vector<uint32_t> modes;       // positions of OpExecutionMode and OpExecutionModeId
  std::vector<uint32_t> decorated;   // ids with a BuiltIn decoration
  std::vector<uint32_t> capabilities;
  std::unordered_map<uint32_t, uint32_t> forwardPointers; // id, position
  uint32_t addressing = 0, memoryModel = 1;

private:
  mlir::LogicalResult add(const Instruction &in, std::string &error);
  mlir::LogicalResult addDecoration(const Instruction &in, std::string &error);
  mlir::LogicalResult addGroup(const Instruction &in, std::string &error);

  std::vector<uint32_t> words;
  size_t decorationCount = 0;
  std::unordered_map<uint32_t, uint32_t> definitions;
  std::unordered_map<uint32_t, uint32_t> names; // ids, and positions of OpName
  std::unordered_map<uint32_t, Decorations> decorationsOf;
  std::unordered_map<uint64_t, Decorations> memberDecorationsOf;
};

/// Returns a text such as "word 12: OpFoo: what".
std::string describe(const Instruction &in, const llvm::Twine &what);

} // namespace pumice::spirv_import
