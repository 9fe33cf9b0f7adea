//===- Matrices.cpp - cooperative matrices in Metal's language --------------===//
//   before: %m = OpCompositeConstruct %matrix %value
//   after:  %v = OpVariable %pointer Function           (at the function's begin)
//           %_ = OpFunctionCall %void %pumice_filled7 %v %value
//           %m = OpLoad %matrix %v
// The function is empty in SPIR-V. In MSL, it fills the matrix.
//===-------------------------------------------------------------------------===//
#include "compiler/metal/Matrices.h"

#include <array>
#include <initializer_list>
#include <map>
#include <string_view>

namespace pumice::metal {
namespace {

// Opcodes and one capability of SPIR-V.
enum : uint32_t {
  opName = 5,
  opExtInst = 12,
  opCapability = 17,
  opTypeVoid = 19,
  opTypePointer = 32,
  opTypeFunction = 33,
  opConstantTrue = 41,
  opConstantNull = 46,
  opFunction = 54,
  opFunctionParameter = 55,
  opFunctionEnd = 56,
  opFunctionCall = 57,
  opVariable = 59,
  opLoad = 61,
  opVectorExtract = 77,
  opCompositeConstruct = 80,
  opCopyObject = 83,
  opConvertFirst = 109,
  opArithmeticLast = 155,
  opLabel = 248,
  opReturn = 253,
  opTypeCooperativeMatrix = 4456,
  capabilityCooperativeMatrix = 6022,
};
constexpr size_t headerWords = 5, idBound = 3;
constexpr std::string_view prefix = "pumice_filled";

uint32_t opcodeOf(uint32_t word) { return word & 0xffff; }

/// Calls `visit(opcode, words)` for each instruction.
template <class F> void forEach(std::span<const uint32_t> spirv, F visit) {
  for (size_t at = headerWords; at < spirv.size();) {
    size_t count = spirv[at] >> 16;
    if (count == 0 || at + count > spirv.size())
      return;
    visit(opcodeOf(spirv[at]), spirv.subspan(at, count));
    at += count;
  }
}

/// Returns whether the operation computes a matrix in a way that Metal does not have.
bool isMissing(uint32_t opcode) {
  bool constant = opcode >= opConstantTrue && opcode <= opConstantNull;
  bool composite =
      opcode >= opVectorExtract && opcode < opCopyObject && opcode != opCompositeConstruct;
  return constant || composite || opcode == opExtInst ||
         (opcode >= opConvertFirst && opcode <= opArithmeticLast);
}

void append(std::vector<uint32_t> &out, uint32_t opcode, std::initializer_list<uint32_t> operands) {
  out.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  out.insert(out.end(), operands);
}

void appendName(std::vector<uint32_t> &out, uint32_t id, std::string_view name) {
  size_t words = name.size() / 4 + 1;
  out.push_back(static_cast<uint32_t>(words + 2) << 16 | opName);
  out.push_back(id);
  size_t begin = out.size();
  out.resize(begin + words);
  for (size_t i = 0; i < name.size(); ++i)
    out[begin + i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(name[i])) << i % 4 * 8;
}

constexpr uint32_t storageFunction = 7;

/// A function that fills matrices of one type.
struct Filling {
  uint32_t component = 0; // the type of its elements
  uint32_t function = 0, functionType = 0, pointerType = 0, matrix = 0, value = 0;
};

/// A module while it is changed.
struct Change {
  std::map<uint32_t, Filling> types;                               // by the id of the matrix's type
  std::map<uint32_t, uint32_t> variables;                          // by the id of the composition
  std::map<uint32_t, std::vector<std::array<uint32_t, 2>>> locals; // by function: variables, types
  uint32_t voidType = 0, bound = 0;
  uint32_t missing = 0; // an operation that Metal lacks
};

/// Finds the compositions, and numbers what is added for them.
Change findCompositions(std::span<const uint32_t> spirv) {
  Change change;
  change.bound = spirv[idBound];
  uint32_t function = 0;
  forEach(spirv, [&](uint32_t opcode, std::span<const uint32_t> words) {
    if (opcode == opTypeVoid)
      change.voidType = words[1];
    if (opcode == opFunction)
      function = words[2];
    if (opcode == opTypeCooperativeMatrix)
      change.types[words[1]] = {words[2]};
    auto type = words.size() > 3 ? change.types.find(words[1]) : change.types.end();
    if (type == change.types.end())
      return;
    if (isMissing(opcode))
      change.missing = opcode;
    if (opcode != opCompositeConstruct)
      return;
    Filling &filling = type->second;
    if (filling.function == 0)
      for (uint32_t *id : {&filling.function, &filling.functionType, &filling.pointerType,
                           &filling.matrix, &filling.value})
        *id = change.bound++;
    change.variables[words[2]] = change.bound;
    change.locals[function].push_back({change.bound++, filling.pointerType});
  });
  return change;
}

void appendNames(std::vector<uint32_t> &out, const Change &change) {
  for (const auto &[type, filling] : change.types)
    if (filling.function)
      appendName(out, filling.function, std::string(prefix) + std::to_string(type));
}

/// Appends the types and the empty functions.
void appendFunctions(std::vector<uint32_t> &out, Change &change) {
  for (const auto &[type, filling] : change.types)
    if (filling.function) {
      append(out, opTypePointer, {filling.pointerType, storageFunction, type});
      append(out, opTypeFunction,
             {filling.functionType, change.voidType, filling.pointerType, filling.component});
    }
  for (const auto &[type, filling] : change.types)
    if (filling.function) {
      append(out, opFunction, {change.voidType, filling.function, 0, filling.functionType});
      append(out, opFunctionParameter, {filling.pointerType, filling.matrix});
      append(out, opFunctionParameter, {filling.component, filling.value});
      append(out, opLabel, {change.bound++});
      append(out, opReturn, {});
      append(out, opFunctionEnd, {});
    }
}

} // namespace

bool translatesMatrices() {
#ifdef PUMICE_SPIRV_CROSS_MATRICES
  return true;
#else
  return false;
#endif
}

bool usesMatrices(std::span<const uint32_t> spirv) {
  bool found = false;
  forEach(spirv, [&](uint32_t opcode, std::span<const uint32_t> words) {
    found |= opcode == opCapability && words[1] == capabilityCooperativeMatrix;
  });
  return found;
}

Result<std::vector<uint32_t>> callFilledMatrices(std::span<const uint32_t> spirv) {
  Change change = findCompositions(spirv);
  if (change.missing)
    return Status(StatusCode::Unsupported, "Metal's matrices lack the operation " +
                                               std::to_string(change.missing) + " of SPIR-V");
  std::vector<uint32_t> out(spirv.begin(), spirv.begin() + headerWords);
  bool namesDone = false, typesDone = false;
  uint32_t opened = 0; // the function whose first label comes
  forEach(spirv, [&](uint32_t opcode, std::span<const uint32_t> words) {
    if (!namesDone && opcode >= opTypeVoid) {
      namesDone = true;
      appendNames(out, change);
    }
    if (!typesDone && opcode == opFunction) {
      typesDone = true;
      appendFunctions(out, change);
    }
    if (opcode == opFunction)
      opened = words[2];
    if (opcode == opCompositeConstruct && change.types.contains(words[1])) {
      uint32_t variable = change.variables[words[2]];
      append(
          out, opFunctionCall,
          {change.voidType, change.bound++, change.types[words[1]].function, variable, words[3]});
      append(out, opLoad, {words[1], words[2], variable});
      return;
    }
    out.insert(out.end(), words.begin(), words.end());
    if (opcode == opLabel && opened) {
      for (auto [variable, type] : change.locals[opened])
        append(out, opVariable, {type, variable, storageFunction});
      opened = 0;
    }
  });
  out[idBound] = change.bound;
  return out;
}

void defineFilledMatrices(std::string &source) {
  constexpr std::string_view kind = "simdgroup_", size = "8x8";
  const std::string head = "void " + std::string(prefix);
  for (size_t at = source.find(head); at != source.npos; at = source.find(head, at + 1)) {
    size_t open = source.find('(', at), end = source.find(')', at), close = source.find('}', at);
    size_t type = source.find(kind, at), rest = source.find(size, at);
    if (close == source.npos || source.find(';', at) < source.find('{', at)) // a declaration
      close = end;
    if (end == source.npos || rest == source.npos || type > end || rest > end)
      return;
    const std::string component = source.substr(type + kind.size(), rest - type - kind.size());
    std::string text = "(thread simdgroup_" + component + "8x8& filled, " + component + " value)";
    if (close != end)
      text += "\n{\n    filled = make_filled_simdgroup_matrix<" + component + ", 8, 8>(value);\n}";
    source.replace(open, close + 1 - open, text);
  }
}

} // namespace pumice::metal
