//===- SpirvWriter.cpp - SPIR-V words, section by section -------------------===//
#include "tests/random/SpirvWriter.h"

#include <cstring>

namespace pumice::random_programs {

void SpirvWriter::append(std::vector<uint32_t> &to, spv::Op op,
                         std::span<const uint32_t> operands) {
  to.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
  to.insert(to.end(), operands.begin(), operands.end());
}

void SpirvWriter::text(Operands &operands, std::string_view text) {
  size_t first = operands.size();
  operands.resize(first + text.size() / 4 + 1);
  std::memcpy(&operands[first], text.data(), text.size());
}

void SpirvWriter::entryPoint(Id function, const std::array<uint32_t, 3> &workgroupSize) {
  entry = function;
  localSize = workgroupSize;
}

void SpirvWriter::decorate(Id target, spv::Decoration decoration, Operands operands) {
  operands.insert(operands.begin(), {target, decoration});
  append(annotations, spv::OpDecorate, operands);
}

void SpirvWriter::decorateMember(Id target, uint32_t member, spv::Decoration decoration,
                                 Operands operands) {
  operands.insert(operands.begin(), {target, member, decoration});
  append(annotations, spv::OpMemberDecorate, operands);
}

SpirvWriter::Id SpirvWriter::glsl() {
  if (!imported)
    imported = fresh();
  return imported;
}

SpirvWriter::Id SpirvWriter::declare(spv::Op op, Id type, Operands operands, bool distinct) {
  Operands key = operands;
  key.insert(key.begin(), {op, type});
  if (auto found = declared.find(key); !distinct && found != declared.end())
    return found->second;
  Id id = fresh();
  operands.insert(operands.begin(), id);
  if (type)
    operands.insert(operands.begin(), type);
  append(globals, op, operands);
  if (!distinct)
    declared.emplace(std::move(key), id);
  return id;
}

SpirvWriter::Id SpirvWriter::emit(spv::Op op, Id type, const Operands &operands) {
  Id id = fresh();
  define(id, op, type, operands);
  return id;
}

void SpirvWriter::define(Id id, spv::Op op, Id type, const Operands &operands) {
  Operands all{type, id};
  all.insert(all.end(), operands.begin(), operands.end());
  append(code, op, all);
}

SpirvWriter::Id SpirvWriter::functionVariable(Id pointerType) {
  Id id = fresh();
  append(variables, spv::OpVariable, Operands{pointerType, id, spv::StorageClassFunction});
  return id;
}

void SpirvWriter::endFunction() {
  code.insert(code.begin() + static_cast<ptrdiff_t>(bodyStart), variables.begin(), variables.end());
  variables.clear();
  append(code, spv::OpFunctionEnd, Operands{});
}

std::vector<uint32_t> SpirvWriter::finish(uint32_t minorVersion) {
  std::vector<uint32_t> words{spv::MagicNumber, 0x10000 | minorVersion << 8, 0, nextId, 0};
  for (spv::Capability capability : capabilities)
    append(words, spv::OpCapability, Operands{static_cast<uint32_t>(capability)});
  auto extension = [&](std::string_view name) {
    Operands operands;
    text(operands, name);
    append(words, spv::OpExtension, operands);
  };
  if (has(spv::CapabilityStorageBuffer8BitAccess) && minorVersion < 5)
    extension("SPV_KHR_8bit_storage");
  if (imported) {
    Operands import{imported};
    text(import, "GLSL.std.450");
    append(words, spv::OpExtInstImport, import);
  }
  append(words, spv::OpMemoryModel, Operands{spv::AddressingModelLogical, spv::MemoryModelGLSL450});
  Operands point{spv::ExecutionModelGLCompute, entry};
  text(point, "main");
  point.insert(point.end(), interfaces.begin(), interfaces.end());
  append(words, spv::OpEntryPoint, point);
  append(words, spv::OpExecutionMode,
         Operands{entry, spv::ExecutionModeLocalSize, localSize[0], localSize[1], localSize[2]});
  for (const std::vector<uint32_t> *section : {&annotations, &globals, &code})
    words.insert(words.end(), section->begin(), section->end());
  return words;
}

} // namespace pumice::random_programs
