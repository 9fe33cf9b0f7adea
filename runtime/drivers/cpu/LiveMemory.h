//===- LiveMemory.h - lists the memory of a device's buffers ----------------===//
// Knows the memory of all buffers. Errors use this to name the buffer to which an invalid address
// probably belongs. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace pumice::cpu_driver {

class LiveMemory {
public:
  struct Range {
    uint64_t begin = 0, end = 0;
  };

  void add(uint64_t begin, uint64_t bytes) {
    std::lock_guard lock(mutex);
    ranges.emplace(begin, begin + bytes);
  }

  void remove(uint64_t begin, uint64_t bytes) {
    std::lock_guard lock(mutex);
    auto [at, last] = ranges.equal_range(begin);
    while (at != last && at->second != begin + bytes)
      ++at;
    if (at != last)
      ranges.erase(at);
  }

  /// Returns the smallest buffer that contains `address` or ends there.
  std::optional<Range> around(uint64_t address) {
    std::lock_guard lock(mutex);
    std::optional<Range> found;
    for (auto at = ranges.begin(), last = ranges.upper_bound(address); at != last; ++at)
      if (address <= at->second && (!found || at->second - at->first < found->end - found->begin))
        found = Range{at->first, at->second};
    return found;
  }

private:
  std::mutex mutex;
  std::multimap<uint64_t, uint64_t> ranges; // begin → end
};

} // namespace pumice::cpu_driver
