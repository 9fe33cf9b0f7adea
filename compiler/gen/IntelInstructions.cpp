//===- IntelInstructions.cpp - instructions that MLIR cannot serialize ------===//
#include "compiler/gen/IntelInstructions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>
#include <set>
#include <string>

namespace {

// Numbers of SPIR-V's specification.
enum Opcode : uint32_t {
  opName = 5,
  opExtension = 10,
  opCapability = 17,
  opConstant = 43,
  opFunction = 54,
  opFunctionEnd = 56,
  opFunctionCall = 57,
  opDecorate = 71,
};
constexpr uint32_t decorationLinkage = 41, linkageImport = 1, capabilityLinkage = 5;
constexpr size_t headerWords = 5;

/// An instruction of an extension.
struct Instruction {
  llvm::StringRef name; ///< of the function that represents it, without what mangling adds
  uint32_t opcode;
  uint32_t capability;
  const char *extension;
};

constexpr const char *matrices = "SPV_INTEL_subgroup_matrix_multiply_accumulate";
constexpr const char *blocks = "SPV_INTEL_2d_block_io";
constexpr uint32_t capability2DBlocks = 6228, opMatrixMultiply = 6237;
const Instruction instructions[] = {
    {"SubgroupMatrixMultiplyAccumulateINTEL", opMatrixMultiply, 6236, matrices},
    {"Subgroup2DBlockLoadINTEL", 6231, capability2DBlocks, blocks},
    {"Subgroup2DBlockLoadTransformINTEL", 6232, 6229, blocks},
    {"Subgroup2DBlockLoadTransposeINTEL", 6233, 6230, blocks},
    {"Subgroup2DBlockPrefetchINTEL", 6234, capability2DBlocks, blocks},
    {"Subgroup2DBlockStoreINTEL", 6235, capability2DBlocks, blocks},
};

/// Returns the instruction that a mangled name stands for.
const Instruction *find(llvm::StringRef name) {
  if (!name.consume_front("_Z"))
    return nullptr;
  size_t length = 0;
  if (name.consumeInteger(10, length) || length > name.size())
    return nullptr;
  name = name.take_front(length);
  if (!name.consume_front("__spirv_"))
    return nullptr;
  for (const Instruction &each : instructions)
    if (each.name == name)
      return &each;
  return nullptr;
}

class Rewriter {
public:
  explicit Rewriter(std::vector<uint32_t> words) : words(std::move(words)) {}

  std::vector<uint32_t> run() {
    findFunctions();
    if (functions.empty())
      return std::move(words);
    findUses();
    out.assign(words.begin(), words.begin() + headerWords);
    forEach([&](size_t at, uint32_t opcode, size_t count) { rewrite(at, opcode, count); });
    return std::move(out);
  }

private:
  template <typename Function> void forEach(Function function) {
    for (size_t at = headerWords; at < words.size(); at += words[at] >> 16)
      function(at, words[at] & 0xffff, words[at] >> 16);
  }

  /// Finds imported functions that represent instructions, and constants.
  void findFunctions() {
    forEach([&](size_t at, uint32_t opcode, size_t count) {
      if (opcode == opConstant && count == 4)
        constants[words[at + 2]] = words[at + 3];
      if (opcode != opDecorate || words[at + 2] != decorationLinkage)
        return;
      const Instruction *found = nullptr;
      if (words[at + count - 1] == linkageImport)
        found = find(reinterpret_cast<const char *>(&words[at + 3]));
      if (found)
        functions[words[at + 1]] = found;
      else
        hasLinkage = true;
    });
  }

  void findUses() {
    forEach([&](size_t at, uint32_t opcode, size_t) {
      if (opcode != opFunctionCall)
        return;
      if (const Instruction *called = functions.lookup(words[at + 3])) {
        capabilities.insert(called->capability);
        if (called->extension == blocks)
          capabilities.insert(capability2DBlocks);
        extensions.insert(called->extension);
      }
    });
  }

  void rewrite(size_t at, uint32_t opcode, size_t count) {
    if (opcode == opFunction && functions.contains(words[at + 2]))
      inRemoved = true;
    bool isRemoved = inRemoved || ((opcode == opName || opcode == opDecorate) &&
                                   functions.contains(words[at + 1]));
    isRemoved |= opcode == opCapability && words[at + 1] == capabilityLinkage && !hasLinkage;
    if (opcode == opFunctionEnd)
      inRemoved = false;
    if (opcode != opCapability && !hasDeclared)
      declare();
    if (isRemoved)
      return;
    const Instruction *called =
        opcode == opFunctionCall ? functions.lookup(words[at + 3]) : nullptr;
    if (called)
      writeInstruction(*called, at, count);
    else
      out.insert(out.end(), words.begin() + at, words.begin() + at + count);
  }

  /// Writes capabilities and extensions, after the module's own capabilities.
  void declare() {
    hasDeclared = true;
    for (uint32_t capability : capabilities)
      write(opCapability, {capability});
    for (const std::string &name : extensions) {
      std::vector<uint32_t> text(name.size() / 4 + 1, 0);
      std::memcpy(text.data(), name.data(), name.size());
      write(opExtension, text);
    }
  }

  void writeInstruction(const Instruction &instruction, size_t at, size_t count) {
    std::vector<uint32_t> operands(words.begin() + at + 4, words.begin() + at + count);
    if (instruction.opcode == opMatrixMultiply) {
      operands.back() = constants.lookup(operands.back()); // a literal in the instruction
      operands.insert(operands.begin(), {words[at + 1], words[at + 2]});
    }
    write(instruction.opcode, operands);
  }

  void write(uint32_t opcode, const std::vector<uint32_t> &operands) {
    out.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    out.insert(out.end(), operands.begin(), operands.end());
  }

  std::vector<uint32_t> words, out;
  llvm::DenseMap<uint32_t, const Instruction *> functions;
  llvm::DenseMap<uint32_t, uint32_t> constants;
  std::set<uint32_t> capabilities;
  std::set<std::string> extensions;
  bool hasLinkage = false, hasDeclared = false, inRemoved = false;
};

} // namespace

llvm::StringRef pumice::gen::extensionOf(llvm::StringRef function) {
  const Instruction *found = find(function);
  return found ? found->extension : "";
}

std::vector<uint32_t> pumice::gen::writeIntelInstructions(std::vector<uint32_t> words) {
  return Rewriter(std::move(words)).run();
}
