//===- Hazards.cpp - which work must wait for which -------------------------===//
#include "runtime/drivers/vulkan/Hazards.h"

#include <algorithm>
#include <bit>

namespace pumice::vulkan {
namespace {

constexpr size_t smallestTable = 64;

bool overlaps(uint64_t begin, uint64_t end, const Touch &touch) {
  return begin < touch.end && touch.begin < end;
}

void widen(uint64_t &begin, uint64_t &end, const Touch &touch) {
  begin = begin == end ? touch.begin : std::min(begin, touch.begin);
  end = std::max(end, touch.end);
}

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
  // Most entries are of buffers used long ago: keep those that still say something.
  std::vector<Entry> kept;
  for (const Entry &entry : entries)
    if (entry.epoch == epoch || entry.batch == batch)
      kept.push_back(entry);
  size_t slots = std::max(smallestTable, std::bit_ceil((kept.size() + more) * 4));
  index.assign(slots, 0);
  entries.clear();
  entries.reserve(slots / 2);
  for (const Entry &entry : kept)
    entries[lookUp(entry.buffer)] = entry;
}

bool Hazards::conflicts(const Entry &entry, const Touch &touch) const {
  if (entry.epoch != epoch || touch.begin == touch.end)
    return false;
  return overlaps(entry.writeBegin, entry.writeEnd, touch) ||
         (touch.writes && overlaps(entry.readBegin, entry.readEnd, touch));
}

void Hazards::note(Entry &entry, const Touch &touch) {
  if (entry.epoch != epoch) {
    entry.epoch = epoch;
    entry.readBegin = entry.readEnd = entry.writeBegin = entry.writeEnd = 0;
  }
  if (touch.begin == touch.end)
    return;
  // Whatever conflicts with a read conflicts with a write: one of the two says it all.
  if (touch.writes)
    widen(entry.writeBegin, entry.writeEnd, touch);
  else
    widen(entry.readBegin, entry.readEnd, touch);
}

std::optional<BarrierNeed> Hazards::add(std::span<Touch> touches, uint8_t stage, bool unnamed) {
  makeRoom(touches.size());
  bool needed = unnamedRan || (unnamed && stages != NoStage), wrote = false;
  for (Touch &touch : touches) {
    touch.place = static_cast<uint32_t>(find(touch.buffer));
    Entry &entry = entries[touch.place];
    needed = needed || conflicts(entry, touch);
    touch.firstInBatch = entry.batch != batch;
    entry.batch = batch;
    wrote |= touch.writes;
    if (!needed)
      note(entry, touch); // forgotten again where a later one conflicts
  }
  std::optional<BarrierNeed> barrier;
  if (needed) {
    barrier = BarrierNeed{stages, writingStages};
    forget();
    for (const Touch &touch : touches)
      note(entries[touch.place], touch);
  }
  stages |= stage;
  if (wrote)
    writingStages |= stage;
  if (unnamed) {
    writingStages |= stage;
    unnamedRan = true;
  }
  return barrier;
}

void Hazards::forget() {
  ++epoch;
  stages = writingStages = NoStage;
  unnamedRan = false;
}

} // namespace pumice::vulkan
