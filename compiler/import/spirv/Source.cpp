//===- Source.cpp - an index of a SPIR-V binary -----------------------------===//
#include "compiler/import/spirv/Source.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SwapByteOrder.h"

#include <cstring>

using namespace mlir;
using namespace pumice::spirv_import;

namespace {

constexpr uint32_t magic = 0x07230203, mostIds = 0x3fffff; // the limit that SPIR-V guarantees
constexpr size_t mostWords = size_t{1} << 26, mostDecorations = 256;
constexpr uint32_t decorationBuiltIn = 11;

LogicalResult fail(std::string &error, const Twine &what) {
  error = what.str();
  return failure();
}

} // namespace

std::string pumice::spirv_import::describe(const Instruction &in, const Twine &what) {
  const Row *row = findInstruction(in.opcode);
  return ("word " + Twine(in.at) + ": " +
          (row ? "Op" + Twine(row->name) : "instruction " + Twine(in.opcode)) + ": " + what)
      .str();
}

FailureOr<Source> Source::index(std::span<const uint32_t> given, std::string &error) {
  if (given.size() < begin || (given[0] != magic && given[0] != llvm::byteswap(magic)))
    return fail(error, "does not begin with SPIR-V's header");
  if (given.size() > mostWords)
    return fail(error, Twine(given.size()) + " words are more than this build reads");
  Source source;
  source.words.assign(given.begin(), given.end());
  if (given[0] != magic)
    for (uint32_t &word : source.words)
      word = llvm::byteswap(word);
  uint32_t version = source.version();
  if ((version >> 16) != 1 || ((version >> 8) & 0xff) > 6 || (version & 0xff0000ff))
    return fail(error, "word 1: version " + Twine(version >> 16) + "." +
                           Twine((version >> 8) & 0xff) + " is not SPIR-V 1.0 to 1.6");
  if (source.words[3] > mostIds)
    return fail(error, "word 3: " + Twine(source.words[3]) + " ids are more than this build reads");
  for (uint32_t at = begin; at < source.end();) {
    uint32_t length = source.words[at] >> 16;
    if (length == 0 || length > source.end() - at)
      return fail(error, "word " + Twine(at) + ": an instruction has " + Twine(length) +
                             " words, but only " + Twine(source.end() - at) + " are left");
    if (failed(source.add(source.instruction(at), error)))
      return failure();
    at += length;
  }
  return source;
}

Instruction Source::instruction(uint32_t at) const {
  if (at >= words.size())
    return {};
  return {at, words[at] & 0xffff, ArrayRef<uint32_t>(words).slice(at + 1, (words[at] >> 16) - 1)};
}

Instruction Source::definition(uint32_t id) const {
  auto found = definitions.find(id);
  return found == definitions.end() ? Instruction{} : instruction(found->second);
}

StringRef Source::text(const Instruction &in, size_t operand, size_t *next) const {
  if (next)
    *next = in.operands.size();
  if (operand >= in.operands.size())
    return {};
  // The text is read from words in the host's byte order. That is the order of the characters,
  // because all known hosts are little-endian.
  auto *first = reinterpret_cast<const char *>(in.operands.data() + operand);
  size_t length = strnlen(first, (in.operands.size() - operand) * 4);
  if (next)
    *next = std::min(in.operands.size(), operand + length / 4 + 1);
  return {first, length};
}

StringRef Source::name(uint32_t id) const {
  auto found = names.find(id);
  return found == names.end() ? StringRef() : text(instruction(found->second), 1);
}

static const Decorations none;

const Decorations &Source::decorations(uint32_t id) const {
  auto found = decorationsOf.find(id);
  return found == decorationsOf.end() ? none : found->second;
}

const Decorations &Source::memberDecorations(uint32_t type, uint32_t member) const {
  auto found = memberDecorationsOf.find(uint64_t{type} << 32 | member);
  return found == memberDecorationsOf.end() ? none : found->second;
}

const Decoration *Source::decoration(uint32_t id, uint32_t kind) const {
  for (const Decoration &each : decorations(id))
    if (each.kind == kind)
      return &each;
  return nullptr;
}

LogicalResult Source::addDecoration(const Instruction &in, std::string &error) {
  bool member = in.opcode == OpMemberDecorate || in.opcode == OpMemberDecorateString;
  size_t first = member ? 2 : 1;
  if (in.operands.size() <= first)
    return fail(error, describe(in, "names no decoration"));
  Decoration each{in[first], in.operands.drop_front(first + 1), in.opcode == OpDecorateId};
  Decorations &list =
      member ? memberDecorationsOf[uint64_t{in[0]} << 32 | in[1]] : decorationsOf[in[0]];
  if (list.size() >= mostDecorations || ++decorationCount > words.size() * 4)
    return fail(error, describe(in, "id " + Twine(in[0]) + " has more than " +
                                        Twine(mostDecorations) + " decorations"));
  list.push_back(each);
  if (!member && each.kind == decorationBuiltIn)
    decorated.push_back(in[0]);
  return success();
}

/// The decorations of a group precede it in the module, so they can be applied here.
LogicalResult Source::addGroup(const Instruction &in, std::string &error) {
  bool members = in.opcode == OpGroupMemberDecorate;
  Decorations group = decorations(in[0]);
  for (size_t i = 1; i < in.operands.size(); i += members ? 2 : 1) {
    Decorations &list =
        members ? memberDecorationsOf[uint64_t{in[i]} << 32 | in[i + 1]] : decorationsOf[in[i]];
    decorationCount += group.size();
    if (list.size() + group.size() > mostDecorations || decorationCount > words.size() * 4)
      return fail(error, describe(in, "id " + Twine(in[i]) + " has more than " +
                                          Twine(mostDecorations) + " decorations"));
    list.insert(list.end(), group.begin(), group.end());
    for (const Decoration &each : group)
      if (!members && each.kind == decorationBuiltIn)
        decorated.push_back(in[i]);
  }
  return success();
}

LogicalResult Source::add(const Instruction &in, std::string &error) {
  const Row *row = findInstruction(in.opcode);
  bool refusedType =
      row && row->kind == RowKind::Refused && StringRef(row->name).starts_with("Type");
  if (row && (row->hasResult() || refusedType)) {
    size_t place = row->hasType() ? 1 : 0;
    uint32_t id = in[place];
    if (id == 0 || id >= words[3])
      return fail(error, describe(in, "its result is id " + Twine(id) + ", of " + Twine(words[3]) +
                                          " ids"));
    if (!definitions.try_emplace(id, in.at).second)
      return fail(error, describe(in, "id " + Twine(id) + " has a definition at word " +
                                          Twine(definitions[id])));
  }
  switch (in.opcode) {
  case OpName:
    names.try_emplace(in[0], in.at);
    break;
  case OpDecorate:
  case OpDecorateId:
  case OpDecorateString:
  case OpMemberDecorate:
  case OpMemberDecorateString:
    return addDecoration(in, error);
  case OpGroupDecorate:
  case OpGroupMemberDecorate:
    return addGroup(in, error);
  case OpFunction:
    functions.push_back(in.at);
    break;
  case OpVariable:
    if (functions.empty())
      variables.push_back(in.at);
    break;
  case OpEntryPoint:
    entryPoints.push_back(in.at);
    break;
  case OpExecutionMode:
  case OpExecutionModeId:
    modes.push_back(in.at);
    break;
  case OpCapability:
    capabilities.push_back(in[0]);
    break;
  case OpTypeForwardPointer:
    forwardPointers.try_emplace(in[0], in.at);
    break;
  case OpMemoryModel:
    addressing = in[0];
    memoryModel = in[1];
    break;
  default:
    break;
  }
  return success();
}
