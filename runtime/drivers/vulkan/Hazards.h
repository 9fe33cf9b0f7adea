//===- Hazards.h - which work must wait for which ---------------------------===//
// Remembers what was read and written since the last barrier of a queue, and says when the next
// piece of work needs another one: reads after reads, and work on other memory, need none. One
// barrier orders everything before it against everything after it (a barrier for one buffer alone
// makes the same stages wait), so it empties the memory. A flat table: nothing is allocated for
// a piece of work once the table has grown. Knows no Vulkan. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pumice::vulkan {

enum Stages : uint8_t { NoStage = 0, ComputeStage = 1, TransferStage = 2 };

/// Bytes of one buffer that a piece of work reads, or writes (and may read). Empty: only names it.
struct Touch {
  const void *buffer = nullptr;
  uint64_t begin = 0, end = 0;
  bool writes = false;
  bool firstInBatch = false; // set by `Hazards::add`: nobody named the buffer in this batch yet
  uint32_t place = 0;        // of its entry while `Hazards::add` runs
};

/// What stands before a barrier that is needed: the stages that ran, and those that wrote.
struct BarrierNeed {
  uint8_t stages = NoStage, writingStages = NoStage;
};

class Hazards {
public:
  /// Notes one piece of work; each buffer stands in `touches` once. `unnamed`: it may read and
  /// write any memory. The answer is the barrier that must come before it, if it needs one.
  std::optional<BarrierNeed> add(std::span<Touch> touches, uint8_t stage, bool unnamed = false);

  /// A barrier over everything was recorded for another reason.
  void forget();
  /// From here on `firstInBatch` is set anew.
  void newBatch() { ++batch; }

private:
  struct alignas(64) Entry { // one line of the cache
    const void *buffer = nullptr;
    uint64_t epoch = 0, batch = 0;         // it says nothing about other ones
    uint64_t readBegin = 0, readEnd = 0;   // hulls of what was read and written
    uint64_t writeBegin = 0, writeEnd = 0; // since the last barrier
  };
  Entry &find(const void *buffer);
  void makeRoom(size_t more) {
    if ((taken + more) * 2 > entries.size()) [[unlikely]]
      grow(more);
  }
  void grow(size_t more);
  bool conflicts(const Entry &entry, const Touch &touch) const;
  void note(Entry &entry, const Touch &touch);

  std::vector<Entry> entries; // open addressing; its size is a power of two
  size_t taken = 0;
  uint64_t epoch = 1, batch = 1;
  uint8_t stages = NoStage, writingStages = NoStage;
  bool unnamedRan = false;
};

} // namespace pumice::vulkan
