//===- Hazards.h - which work must wait for earlier work --------------------===//
// Remembers what was read and written since the last barrier of a queue, and determines whether the
// next work needs another barrier. Reads after reads, and accesses to different memory, need no
// barrier. A barrier orders everything before it against everything after it, so it clears the
// record. (A barrier for a single buffer would make the same stages wait.) Entries are in the order
// in which buffers were first used. Programs repeat this order, so a lookup tries the next entry
// before it searches. Once the table is large enough, noting work allocates nothing. The class does
// not use Vulkan. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pumice::vulkan {

enum Stages : uint8_t { NoStage = 0, ComputeStage = 1, TransferStage = 2 };

/// The bytes of one buffer that a piece of work reads, or writes (and may also read). An empty
/// range only names the buffer.
struct Touch {
  const void *buffer = nullptr;
  uint64_t begin = 0, end = 0;
  bool writes = false;
  bool firstInBatch = false; // set by `Hazards::add`: the batch's first use of the buffer
  uint32_t place = 0;        // the index of its entry; used in `Hazards::add`
};

/// The stages for which a barrier must wait: those that ran, and those that wrote.
struct BarrierNeed {
  uint8_t stages = NoStage, writingStages = NoStage;
};

class Hazards {
public:
  /// Notes a piece of work. `touches` has each buffer only once. `unnamed` means that the work may
  /// also access any other memory. Returns the barrier that must come before the work, if it needs
  /// one.
  std::optional<BarrierNeed> add(std::span<Touch> touches, uint8_t stage, bool unnamed = false);

  /// Guesses which buffer will be used a few uses after this one, which was just noted. The guess
  /// assumes that buffers are used in the same order as before. The buffer may no longer exist.
  /// Returns null if nothing is known.
  const void *guessAfter(const Touch &touch) const {
    // A launch with one buffer takes 400 ns, and a memory access takes 100 ns.
    constexpr size_t ahead = 4;
    size_t guess = touch.place + ahead;
    if (guess + ahead < entries.size())
      // Prefetches the entry for the guess that is made `ahead` uses later.
      __builtin_prefetch(&entries[guess + ahead]);
    return guess < entries.size() ? entries[guess].buffer : nullptr;
  }

  /// Clears the record, because a barrier over everything was recorded for another reason.
  void forget();
  /// Starts a new batch. Then `firstInBatch` is set again for each buffer.
  void newBatch() { ++batch; }

private:
  struct alignas(64) Entry { // one cache line
    const void *buffer = nullptr;
    uint64_t epoch = 0, batch = 0;         // only entries of the current ones count
    uint64_t readBegin = 0, readEnd = 0;   // the smallest ranges that contain all reads and writes
    uint64_t writeBegin = 0, writeEnd = 0; // since the last barrier
  };
  /// Returns the index in `entries` of the buffer's entry.
  size_t find(const void *buffer) {
    for (size_t guess : {last + 1, last})
      if (guess < entries.size() && entries[guess].buffer == buffer)
        return last = guess;
    return last = lookUp(buffer);
  }
  size_t lookUp(const void *buffer);
  void makeRoom(size_t more) {
    if (entries.size() + more > room) [[unlikely]]
      grow(more);
  }
  void grow(size_t more);
  bool conflicts(const Entry &entry, const Touch &touch) const;
  void note(Entry &entry, const Touch &touch);

  std::vector<Entry> entries;  // its capacity is `room`
  std::vector<uint32_t> index; // open addressing: indices + 1; power-of-two size
  size_t room = 0;             // the number of entries that fit: half the index
  size_t last = 0;             // the index of the entry found last
  uint64_t epoch = 1, batch = 1;
  uint8_t stages = NoStage, writingStages = NoStage;
  bool unnamedRan = false;
};

//===- What each launch runs ------------------------------------------------===//

inline bool overlaps(uint64_t begin, uint64_t end, const Touch &touch) {
  return begin < touch.end && touch.begin < end;
}

inline void widen(uint64_t &begin, uint64_t &end, const Touch &touch) {
  begin = begin == end ? touch.begin : std::min(begin, touch.begin);
  end = std::max(end, touch.end);
}

inline bool Hazards::conflicts(const Entry &entry, const Touch &touch) const {
  if (entry.epoch != epoch || touch.begin == touch.end)
    return false;
  return overlaps(entry.writeBegin, entry.writeEnd, touch) ||
         (touch.writes && overlaps(entry.readBegin, entry.readEnd, touch));
}

inline void Hazards::note(Entry &entry, const Touch &touch) {
  if (entry.epoch != epoch) {
    entry.epoch = epoch;
    entry.readBegin = entry.readEnd = entry.writeBegin = entry.writeEnd = 0;
  }
  if (touch.begin == touch.end)
    return;
  // A touch that writes may also read. Work that conflicts with the read also conflicts with the
  // write, so it suffices to note the write.
  if (touch.writes)
    widen(entry.writeBegin, entry.writeEnd, touch);
  else
    widen(entry.readBegin, entry.readEnd, touch);
}

[[gnu::always_inline]] inline std::optional<BarrierNeed> Hazards::add(std::span<Touch> touches,
                                                                      uint8_t stage, bool unnamed) {
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
      note(entry, touch); // removed again if a later touch conflicts
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

inline void Hazards::forget() {
  ++epoch;
  stages = writingStages = NoStage;
  unnamedRan = false;
}

} // namespace pumice::vulkan
