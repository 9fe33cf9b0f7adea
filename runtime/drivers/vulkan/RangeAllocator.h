//===- RangeAllocator.h - parts of one range of bytes -----------------------===//
// Allocates aligned parts of [0, size) by best fit, and joins free neighbours. It does not use
// Vulkan, so it can be tested alone. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pumice::vulkan {

class RangeAllocator {
public:
  explicit RangeAllocator(uint64_t size);

  /// Returns the start of a free part of `bytes` bytes. It is a multiple of `alignment`, a power of
  /// two. Returns nothing if no free part is large enough.
  std::optional<uint64_t> allocate(uint64_t bytes, uint64_t alignment);
  /// Frees a part. `offset` is a result of `allocate`.
  void free(uint64_t offset);

  uint64_t size() const { return total; }
  uint64_t usedBytes() const { return used; }
  bool isEmpty() const { return live.empty(); }
  uint64_t largestFree() const { return bySize.empty() ? 0 : bySize.rbegin()->first; }

private:
  void addFree(uint64_t offset, uint64_t bytes);
  void removeFree(uint64_t offset, uint64_t bytes);

  uint64_t total, used = 0;
  std::map<uint64_t, uint64_t> freeByOffset, live; // maps offsets to bytes
  std::set<std::pair<uint64_t, uint64_t>> bySize;  // (bytes, offset) of free parts
};

} // namespace pumice::vulkan
