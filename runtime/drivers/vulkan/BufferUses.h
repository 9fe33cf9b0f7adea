//===- BufferUses.h - which buffers work in recording or in flight uses -----===//
// Buffers of a device have numbers. Each stream has a table that maps a buffer's number to the last
// of its batches that uses the buffer. So a launch notes a use by a plain store. Counting uses
// would take an atomic exchange, a tenth of the cost of recording a launch. A batch that is done
// says so once, not for each buffer. Whoever releases the last reference to a buffer asks the
// tables. A stream that still uses the buffer keeps it until then.
//===-------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace pumice::vulkan {

class VulkanBuffer;
class BufferUses;

/// The table of one stream.
class StreamUses {
public:
  explicit StreamUses(BufferUses &all);
  /// Its work is over: what it still keeps goes.
  ~StreamUses();
  StreamUses(const StreamUses &) = delete;
  StreamUses &operator=(const StreamUses &) = delete;

  /// Batch `sequence`, which no retired one may be, uses the buffer. One thread at a time; the
  /// caller holds a reference meanwhile.
  void note(uint32_t number, uint64_t sequence) {
    if (number >= size) [[unlikely]]
      grow(number);
    last[number].store(sequence, std::memory_order_relaxed);
  }
  /// Batches up to `sequence` use nothing any more: the host may touch their buffers.
  void retire(uint64_t sequence);
  /// Lets go of the buffers that were kept for retired batches. No lock is held that a buffer's
  /// destruction takes.
  void releaseRetired();

private:
  friend class BufferUses;
  void grow(uint32_t number);
  bool uses(uint32_t number) const {
    return number < size && last[number].load(std::memory_order_relaxed) > retired;
  }

  BufferUses &all;
  // Replaced by `grow` alone, under the mutex of `all`: who calls `note` reads them without it.
  std::unique_ptr<std::atomic<uint64_t>[]> last;
  uint32_t size = 0;
  // Guarded by the mutex of `all`.
  uint64_t retired = 0;
  std::vector<const VulkanBuffer *> kept; // references
};

/// The tables of all streams of a device. Its mutex is held for moments, and no other one under it.
class BufferUses {
public:
  uint32_t takeNumber();
  /// Frees the number of a buffer that nothing uses.
  void giveBack(uint32_t number);

  bool isInUse(uint32_t number);
  /// For a buffer without references: a stream that uses it has one from here on. False: none does.
  bool keepWhileUsed(const VulkanBuffer &buffer);

private:
  friend class StreamUses;
  std::mutex mutex;
  std::vector<StreamUses *> streams;
  std::vector<uint32_t> freeNumbers;
  uint32_t numbers = 0;
};

} // namespace pumice::vulkan
