//===- SpirvTypes.h - names, decorations, types of a SPIR-V module ----------===//
// The part of reflection that does not depend on entry points. All lookups are by id. No code here
// recurses over types, because a hostile file can nest them very deeply.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvConstants.h"
#include "executable/SpirvWords.h"

#include <map>
#include <unordered_map>

namespace pumice::executable {

/// The layout of a type in a block. A matrix has a stride only as a member of a struct. So for
/// arrays of matrices, `matrix` is the matrix, and `bytes` only counts the bytes before the last
/// matrix. Outside of blocks, no layout is defined, and `packedBytes` is the size of the numbers
/// alone.
struct SpirvLayout {
  uint64_t bytes = 0, runtimeStride = 0;
  uint32_t matrix = 0;
  uint64_t packedBytes = 0;
  bool isOpen = false; // whether the size depends on specialization constants
};

/// Limits the length of copied names, because hostile files could multiply it by nesting.
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

  /// Returns the instruction that defines `id`, or nothing if reflection does not need it.
  std::optional<SpirvInstruction> definition(uint32_t id) const;
  /// Returns the first operand of a decoration, or 0 if it has no operands. The decoration applies
  /// to `member` of a struct, or to the id itself.
  std::optional<uint32_t> decoration(uint32_t id, spirv::Decoration which,
                                     uint32_t member = wholeId) const;
  std::string_view name(uint32_t id) const;
  std::string_view memberName(uint32_t id, uint32_t member) const;
  /// Returns the value of a scalar constant, or nothing if it cannot be computed.
  std::optional<SpirvConstant> constant(uint32_t id) const;
  /// Returns the first array without elements, if there is one.
  const std::optional<SpirvEmptyArray> &emptyArray() const { return empty; }
  /// Returns the kind of number that type `id` is, and sets `bytes` to its width.
  SpirvScalar scalar(uint32_t id, uint32_t &bytes) const;
  SpirvLayout layout(uint32_t id) const;
  /// Returns the length of an array type, which is at least 1. Returns 0 for a runtime array.
  uint64_t arrayCount(SpirvInstruction type) const;
  /// Returns the block that struct `id` describes. `budget` is the number of members that may still
  /// be listed.
  SpirvBlock block(uint32_t id, size_t &budget) const;

  /// Returns the value in the instruction of the constant, before specialization.
  SpirvConstant literal(SpirvInstruction constant) const;

  static constexpr uint32_t wholeId = UINT32_MAX;
  /// The limit of all sizes. It exceeds the memory of any device, but the sum of two such sizes
  /// does not overflow.
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
  std::unordered_map<uint32_t, size_t> definitions; // maps an id to a word
  std::unordered_map<uint32_t, SpirvConstant> constants;
  std::optional<SpirvEmptyArray> empty;
  std::unordered_map<uint32_t, SpirvLayout> layouts;
  std::unordered_map<uint32_t, std::string_view> names;
  std::map<std::pair<uint32_t, uint32_t>, std::string_view> memberNames;
  std::map<Key, uint32_t> decorations;
  std::multimap<std::pair<uint32_t, uint32_t>, uint32_t> groups; // maps (id, member) to groups
};

} // namespace pumice::executable
