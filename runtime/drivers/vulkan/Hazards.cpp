//===- Hazards.cpp - which work must wait for earlier work ------------------===//
#include "runtime/drivers/vulkan/Hazards.h"

#include <algorithm>
#include <bit>

namespace pumice::vulkan {
namespace {

constexpr size_t smallestTable = 64;

} // namespace

size_t Hazards::lookUp(const void *buffer) {
  size_t mask = index.size() - 1;
  uint64_t hash = reinterpret_cast<uintptr_t>(buffer) * 0x9E3779B97F4A7C15u;
  size_t slot = static_cast<size_t>(hash >> 32) & mask;
  while (index[slot] && entries[index[slot] - 1].buffer != buffer)
    slot = (slot + 1) & mask;
  if (!index[slot]) {
    entries.push_back({buffer});
    index[slot] = static_cast<uint32_t>(entries.size());
  }
  return index[slot] - 1;
}

void Hazards::grow(size_t more) {
  // Most entries belong to buffers that were used long ago. Only those of the current epoch or
  // batch are kept.
  std::vector<Entry> kept;
  for (const Entry &entry : entries)
    if (entry.epoch == epoch || entry.batch == batch)
      kept.push_back(entry);
  size_t slots = std::max(smallestTable, std::bit_ceil((kept.size() + more) * 4));
  index.assign(slots, 0);
  entries.clear();
  room = slots / 2;
  entries.reserve(room);
  for (const Entry &entry : kept)
    entries[lookUp(entry.buffer)] = entry;
}

} // namespace pumice::vulkan
