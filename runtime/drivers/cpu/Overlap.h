//===- Overlap.h - which launches may run at the same time ------------------===//
// Consecutive launches form a group as long as no launch writes what another one reads or writes.
// Memory is compared by address, because two buffers may share host memory. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <array>

namespace pumice::cpu_driver {

class Overlap {
public:
  /// Returns whether a launch that uses these buffers joins the current group. Otherwise, it begins
  /// the next group.
  bool joins(std::span<const hal::BufferUse> uses);
  /// Closes the group, so that later commands do not join it.
  void close() { open = false; }

private:
  struct Range {
    uintptr_t begin = 0, end = 0;
    bool writes = false;
  };
  static Range rangeOf(const hal::BufferUse &use);
  bool conflicts(const Range &range) const;

  static constexpr size_t mostRanges = 24; // each launch is compared with all ranges
  std::array<Range, mostRanges> ranges;
  size_t count = 0;
  bool open = false;
};

} // namespace pumice::cpu_driver
