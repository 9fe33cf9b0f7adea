//===- SpirvWriter.h - SPIR-V words, section by section ---------------------===//
// Knows the sections of a module and that equal types and constants are declared once; what is
// valid is up to its user.
//===-------------------------------------------------------------------------===//
#pragma once

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace pumice::random_programs {

class SpirvWriter {
public:
  using Id = uint32_t;
  using Operands = std::vector<uint32_t>;

  Id fresh() { return nextId++; }

  void capability(spv::Capability needed) { capabilities.insert(needed); }
  bool has(spv::Capability needed) const { return capabilities.contains(needed); }
  void entryPoint(Id function, const std::array<uint32_t, 3> &workgroupSize);
  void interface(Id variable) { interfaces.push_back(variable); }
  void decorate(Id target, spv::Decoration decoration, Operands operands = {});
  void decorateMember(Id target, uint32_t member, spv::Decoration decoration,
                      Operands operands = {});
  Id glsl(); // the import of GLSL.std.450

  /// Declares a type, a constant, or a variable of the module. Returns the id of an equal one if it
  /// exists, unless it is `distinct`. `type` is 0 for types.
  Id declare(spv::Op op, Id type, Operands operands, bool distinct = false);

  /// Puts the variables of a function at its beginning, whenever they are requested.
  void beginBody() { bodyStart = code.size(); }
  Id functionVariable(Id pointerType);
  void endFunction();

  /// Emits into the current function. `type` and the result are 0 if there is none.
  Id emit(spv::Op op, Id type, const Operands &operands);
  void emit(spv::Op op, const Operands &operands) { append(code, op, operands); }
  /// The same for an id that was named before.
  void define(Id id, spv::Op op, Id type, const Operands &operands);
  void label(Id block) {
    append(code, spv::OpLabel, {block});
    current = block;
  }
  /// The block that instructions go to: what a phi names.
  Id block() const { return current; }

  std::vector<uint32_t> finish(uint32_t minorVersion);

private:
  static void append(std::vector<uint32_t> &to, spv::Op op, std::span<const uint32_t> operands);
  static void append(std::vector<uint32_t> &to, spv::Op op, const Operands &operands) {
    append(to, op, std::span(operands));
  }
  static void text(Operands &operands, std::string_view text);

  uint32_t nextId = 1;
  Id current = 0, entry = 0, imported = 0;
  std::array<uint32_t, 3> localSize{1, 1, 1};
  std::set<spv::Capability> capabilities;
  std::vector<Id> interfaces;
  std::map<Operands, Id> declared;
  std::vector<uint32_t> annotations, globals, code, variables;
  size_t bodyStart = 0;
};

} // namespace pumice::random_programs
