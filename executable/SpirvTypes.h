//===- SpirvTypes.h - names, decorations, types of a SPIR-V module ----------===//
// The part of reflection that no entry point matters to. Everything is found by id; nothing here
// recurses over types, whose nesting may be as deep as a hostile file is long.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvConstants.h"
#include "executable/SpirvWords.h"

#include <map>
#include <unordered_map>

namespace pumice::executable {

/// The layout of a type in a block. A matrix has a stride only as a member of a struct. `matrix` is
/// the matrix inside arrays, and `bytes` is then the distance to the last one. Outside of blocks no
/// layout is defined, and `packedBytes` is the size of the numbers alone.
struct SpirvLayout {
  uint64_t bytes = 0, runtimeStride = 0;
  uint32_t matrix = 0;
  uint64_t packedBytes = 0;
  bool isOpen = false; // specialization constants give it its size
};

/// Names that are copied are bounded: nesting would multiply the length of hostile ones.
inline void shortenName(std::string &name) {
  constexpr size_t mostBytes = 1024;
  if (name.size() > mostBytes)
    name.resize(mostBytes);
}

class SpirvTypes {
public:
  SpirvTypes(SpirvWords words, std::span<const SpirvConstantValue> specialized)
      : words(words), specialized(specialized) {}
  /// Reads the module. Errors: DataCorrupt.
  Status read(const FieldPath &path);

  /// The instruction that defines `id`; none for ids that nothing of interest defines.
  std::optional<SpirvInstruction> definition(uint32_t id) const;
  /// Returns a decoration's first operand (0 if it has none). The decoration is on `member` of a
  /// struct, or on the id itself.
  std::optional<uint32_t> decoration(uint32_t id, spirv::Decoration which,
                                     uint32_t member = wholeId) const;
  std::string_view name(uint32_t id) const;
  std::string_view memberName(uint32_t id, uint32_t member) const;
  /// The value of a scalar constant. None for what is not computed.
  std::optional<SpirvConstant> constant(uint32_t id) const;
  /// The first array that has no element.
  const std::optional<SpirvEmptyArray> &emptyArray() const { return empty; }
  /// Returns the kind of number of type `id`, and writes its width in bytes to `bytes`.
  SpirvScalar scalar(uint32_t id, uint32_t &bytes) const;
  SpirvLayout layout(uint32_t id) const;
  /// The length of an array type, at least 1; 0 for a runtime array.
  uint64_t arrayCount(SpirvInstruction type) const;
  /// The block that struct `id` describes. `budget` members are left to be listed, in all.
  SpirvBlock block(uint32_t id, size_t &budget) const;

  /// Returns the value in a constant's own instruction, without specialization.
  SpirvConstant literal(SpirvInstruction constant) const;

  static constexpr uint32_t wholeId = UINT32_MAX;
  /// Sizes end here: far above any device's memory, and low enough that two have a sum.
  static constexpr uint64_t mostSize = uint64_t{1} << 56;

private:
  struct Key {
    uint32_t id, member, decoration;
    auto operator<=>(const Key &) const = default;
  };
  struct Leaf;
  Status readOne(SpirvInstruction instruction, const FieldPath &path);
  void readConstant(SpirvInstruction instruction);
  std::optional<SpirvConstant> computed(SpirvInstruction operation, SpirvConstant type) const;
  std::optional<SpirvConstant> extracted(SpirvInstruction operation) const;
  void noteLength(SpirvInstruction array);
  SpirvLayout layoutOf(SpirvInstruction type) const;
  SpirvLayout structLayout(SpirvInstruction type) const;
  uint64_t arrayStride(SpirvInstruction type) const;
  uint64_t matrixBytes(uint32_t matrix, uint32_t parent, uint32_t member) const;
  void addMembers(uint32_t structId, Leaf leaf, std::vector<SpirvMember> &members, size_t &budget,
                  unsigned depth) const;
  void addMember(uint32_t structId, uint32_t member, Leaf leaf, std::vector<SpirvMember> &members,
                 size_t &budget, unsigned depth) const;

  SpirvWords words;
  std::span<const SpirvConstantValue> specialized;
  std::unordered_map<uint32_t, size_t> definitions; // id → word
  std::unordered_map<uint32_t, SpirvConstant> constants;
  std::optional<SpirvEmptyArray> empty;
  std::unordered_map<uint32_t, SpirvLayout> layouts;
  std::unordered_map<uint32_t, std::string_view> names;
  std::map<std::pair<uint32_t, uint32_t>, std::string_view> memberNames;
  std::map<Key, uint32_t> decorations;
  std::multimap<std::pair<uint32_t, uint32_t>, uint32_t> groups; // (id, member) → groups
};

} // namespace pumice::executable
