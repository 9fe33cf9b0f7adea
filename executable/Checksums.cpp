//===- Checksums.cpp - the checksums that detect damage ---------------------===//
#include "executable/Checksums.h"

#include "executable/Executable_generated.h"
#include "executable/Structure.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace pumice::executable {
namespace {
/// Mixes one word into the state. Each step is a bijection of the state and of the word. So if a
/// single word changes, the checksum always changes. The shift moves high bits down, because two
/// changes in high bits could otherwise cancel each other.
uint64_t mix(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15u;
  return state ^ (state >> 32);
}
} // namespace

uint64_t checksum(std::span<const uint8_t> bytes, uint64_t state) {
  state = mix(state, bytes.size());
  const uint8_t *at = bytes.data();
  size_t words = bytes.size() / sizeof(uint64_t), rest = bytes.size() % sizeof(uint64_t);
  for (size_t i = 0; i < words; ++i, at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    state = mix(state, flatbuffers::EndianScalar(word));
  }
  uint64_t last = 0;
  for (size_t i = 0; i < rest; ++i)
    last |= uint64_t{at[i]} << (8 * i);
  return rest ? mix(state, last) : state;
}

uint64_t checksumAround(std::span<const uint8_t> file, size_t hole) {
  static constexpr uint8_t zeros[sizeof(uint64_t)] = {};
  uint64_t state = checksum(file.first(hole));
  return checksum(file.subspan(hole + sizeof(zeros)), checksum(zeros, state));
}

bool seal(std::span<uint8_t> bytes) {
  using flatbuffers::uoffset_t;
  if (bytes.size() < sizeof(uoffset_t) || bytes.size() > UINT32_MAX)
    return false;
  flatbuffers::WriteScalar(bytes.data(), static_cast<uoffset_t>(bytes.size() - sizeof(uoffset_t)));
  if (!checkStructure(bytes).isOk())
    return false;

  // Finds all fields, and computes all checksums of code, before the first write. The fields of a
  // hostile file may overlap, so writing a checksum could change the structure that was checked.
  const file::Executable *root = file::GetSizePrefixedExecutable(bytes.data());
  auto placeOf = [&](const void *table, flatbuffers::voffset_t field) -> std::optional<size_t> {
    const uint8_t *at = static_cast<const flatbuffers::Table *>(table)->GetAddressOf(field);
    return at ? std::optional<size_t>(at - bytes.data()) : std::nullopt;
  };
  std::optional<size_t> whole = placeOf(root, file::Executable::VT_CHECKSUM);
  if (!whole)
    return false;
  std::vector<std::pair<size_t, uint64_t>> sums;
  if (root->variants())
    for (const file::Variant *variant : *root->variants())
      if (std::optional<size_t> place = placeOf(variant, file::Variant::VT_CODECHECKSUM)) {
        auto *code = variant->code();
        sums.emplace_back(
            *place, checksum(code ? std::span(code->data(), code->size()) : std::span<uint8_t>()));
      }
  for (auto [place, sum] : sums)
    flatbuffers::WriteScalar(bytes.data() + place, sum);
  flatbuffers::WriteScalar(bytes.data() + *whole, checksumAround(bytes, *whole));
  return true;
}

} // namespace pumice::executable
