//===- Overlap.h - which launches may run beside each other ------------------===//
// Launches that follow each other are a group while none writes what another one reads or writes.
// Memory is compared by addresses: two buffers may be the same memory of the host. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <array>

namespace pumice::cpu_driver {

class Overlap {
public:
  /// Whether a launch that uses these buffers belongs to the group of those before it. Where it
  /// does not, it begins the next group.
  bool joins(std::span<const hal::BufferUse> uses);
  /// Closes the group: commands that follow do not join it.
  void close() { open = false; }

private:
  struct Range {
    uintptr_t begin = 0, end = 0;
    bool writes = false;
  };
  static Range rangeOf(const hal::BufferUse &use);
  bool conflicts(const Range &range) const;

  static constexpr size_t mostRanges = 24; // each launch is compared with all of them
  std::array<Range, mostRanges> ranges;
  size_t count = 0;
  bool open = false;
};

} // namespace pumice::cpu_driver
