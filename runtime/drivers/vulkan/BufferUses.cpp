//===- BufferUses.cpp - which buffers pending work uses ---------------------===//
#include "runtime/drivers/vulkan/BufferUses.h"

#include "runtime/drivers/vulkan/Buffer.h"

#include <algorithm>
#include <utility>

namespace pumice::vulkan {

StreamUses::StreamUses(BufferUses &all) : all(all) {
  std::lock_guard lock(all.mutex);
  all.streams.push_back(this);
}

StreamUses::~StreamUses() {
  {
    std::lock_guard lock(all.mutex);
    std::erase(all.streams, this);
    retired = UINT64_MAX;
  }
  releaseRetired();
}

void StreamUses::grow(uint32_t number) {
  constexpr uint32_t smallest = 256;
  uint32_t grown = std::max({smallest, size * 2, number + 1});
  auto bigger = std::make_unique<std::atomic<uint64_t>[]>(grown); // zero: no batch uses the buffer
  for (uint32_t i = 0; i < size; ++i)
    bigger[i].store(last[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  std::lock_guard lock(all.mutex);
  last.swap(bigger);
  size = grown;
}

void StreamUses::retire(uint64_t sequence) {
  std::lock_guard lock(all.mutex);
  retired = std::max(retired, sequence);
}

void StreamUses::releaseRetired() {
  std::vector<const VulkanBuffer *> released;
  {
    std::lock_guard lock(all.mutex);
    auto stillUsed = std::ranges::partition(
        kept, [&](const VulkanBuffer *buffer) { return uses(buffer->number()); });
    released.assign(stillUsed.begin(), stillUsed.end());
    kept.erase(stillUsed.begin(), stillUsed.end());
  }
  for (const VulkanBuffer *buffer : released)
    buffer->release(); // may hand the buffer to another stream that uses it
}

uint32_t BufferUses::takeNumber() {
  std::lock_guard lock(mutex);
  if (freeNumbers.empty())
    return numbers++;
  uint32_t number = freeNumbers.back();
  freeNumbers.pop_back();
  return number;
}

void BufferUses::giveBack(uint32_t number) {
  std::lock_guard lock(mutex);
  freeNumbers.push_back(number);
}

bool BufferUses::isInUse(uint32_t number) {
  std::lock_guard lock(mutex);
  return std::ranges::any_of(streams,
                             [&](const StreamUses *stream) { return stream->uses(number); });
}

bool BufferUses::keepWhileUsed(const VulkanBuffer &buffer) {
  std::lock_guard lock(mutex);
  for (StreamUses *stream : streams)
    if (stream->uses(buffer.number())) {
      buffer.retain();
      stream->kept.push_back(&buffer);
      return true;
    }
  return false;
}

} // namespace pumice::vulkan
