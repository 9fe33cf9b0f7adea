//===- Overlap.cpp - which launches may run at the same time ----------------===//
#include "runtime/drivers/cpu/Overlap.h"

#include <algorithm>

namespace pumice::cpu_driver {

Overlap::Range Overlap::rangeOf(const hal::BufferUse &use) {
  if (use.access == executable::Access::None)
    return {};
  auto begin = reinterpret_cast<uintptr_t>(use.buffer->hostPointer());
  bool writes = executable::writes(use.access);
  return {begin, begin + use.buffer->bytes(), writes};
}

bool Overlap::conflicts(const Range &range) const {
  return std::any_of(
      ranges.begin(), ranges.begin() + static_cast<ptrdiff_t>(count), [&](const Range &other) {
        return (range.writes || other.writes) && range.begin < other.end && other.begin < range.end;
      });
}

bool Overlap::joins(std::span<const hal::BufferUse> uses) {
  bool together = open && count + uses.size() <= mostRanges &&
                  std::ranges::none_of(
                      uses, [&](const hal::BufferUse &use) { return conflicts(rangeOf(use)); });
  if (!together)
    count = 0;
  open = uses.size() <= mostRanges;
  if (open)
    for (const hal::BufferUse &use : uses)
      ranges[count++] = rangeOf(use);
  return together;
}

} // namespace pumice::cpu_driver
