//===- RangeAllocator.cpp - parts of one range of bytes ---------------------===//
#include "runtime/drivers/vulkan/RangeAllocator.h"

#include <cassert>

namespace pumice::vulkan {

RangeAllocator::RangeAllocator(uint64_t size) : total(size) { addFree(0, size); }

void RangeAllocator::addFree(uint64_t offset, uint64_t bytes) {
  freeByOffset.emplace(offset, bytes);
  bySize.emplace(bytes, offset);
}

void RangeAllocator::removeFree(uint64_t offset, uint64_t bytes) {
  freeByOffset.erase(offset);
  bySize.erase({bytes, offset});
}

std::optional<uint64_t> RangeAllocator::allocate(uint64_t bytes, uint64_t alignment) {
  assert(bytes > 0 && (alignment & (alignment - 1)) == 0 && alignment > 0);
  // Takes the smallest part in which the range fits. Because of the alignment, it may not fit in a
  // part that is large enough.
  for (auto found = bySize.lower_bound({bytes, 0}); found != bySize.end(); ++found) {
    auto [length, begin] = *found;
    uint64_t start = (begin + alignment - 1) & ~(alignment - 1);
    if (start - begin > length - bytes)
      continue;
    removeFree(begin, length);
    if (start > begin)
      addFree(begin, start - begin);
    if (start + bytes < begin + length)
      addFree(start + bytes, begin + length - start - bytes);
    live.emplace(start, bytes);
    used += bytes;
    return start;
  }
  return std::nullopt;
}

void RangeAllocator::free(uint64_t offset) {
  auto found = live.find(offset);
  assert(found != live.end() && "only what was allocated can be freed");
  uint64_t begin = offset, end = offset + found->second;
  used -= found->second;
  live.erase(found);
  auto next = freeByOffset.lower_bound(begin);
  if (next != freeByOffset.end() && next->first == end) {
    end += next->second;
    removeFree(next->first, next->second);
  }
  auto before = freeByOffset.lower_bound(begin);
  if (before != freeByOffset.begin() && (--before, before->first + before->second == begin)) {
    begin = before->first;
    removeFree(before->first, before->second);
  }
  addFree(begin, end - begin);
}

} // namespace pumice::vulkan
