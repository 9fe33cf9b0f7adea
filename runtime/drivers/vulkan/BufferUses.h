//===- BufferUses.h - which buffers pending work uses ---------------------===//
// Buffers of a device have numbers. Each stream has a table that maps a buffer's number to the last
// of its batches that uses the buffer. A launch notes a use with a plain store. Counting references
// would take an atomic operation, which costs a tenth of recording a launch. A finished batch
// updates its stream's table once, not once for each buffer. When the last reference to a buffer is
// released, the tables tell which stream still uses it. That stream then keeps the buffer until its
// work is done.
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
  /// Releases all buffers that the stream still keeps. The stream's work must be done.
  ~StreamUses();
  StreamUses(const StreamUses &) = delete;
  StreamUses &operator=(const StreamUses &) = delete;

  /// Notes that batch `sequence`, which must not be retired yet, uses the buffer. Called on one
  /// thread at a time, while the caller holds a reference.
  void note(uint32_t number, uint64_t sequence) {
    if (number >= size) [[unlikely]]
      grow(number);
    last[number].store(sequence, std::memory_order_relaxed);
  }
  /// Notes that batches up to `sequence` are done. The host may access their buffers from here on.
  void retire(uint64_t sequence);
  /// Releases the buffers that were kept for retired batches. The caller holds no lock that a
  /// buffer's destructor takes.
  void releaseRetired();

private:
  friend class BufferUses;
  void grow(uint32_t number);
  bool uses(uint32_t number) const {
    return number < size && last[number].load(std::memory_order_relaxed) > retired;
  }

  BufferUses &all;
  // Only `grow` replaces these, under the mutex of `all`. The thread that calls `note` reads them
  // without the mutex.
  std::unique_ptr<std::atomic<uint64_t>[]> last;
  uint32_t size = 0;
  // Guarded by the mutex of `all`.
  uint64_t retired = 0;
  std::vector<const VulkanBuffer *> kept; // each holds a reference
};

/// The tables of all streams of a device. The mutex is held briefly, and no other mutex is taken
/// under it.
class BufferUses {
public:
  uint32_t takeNumber();
  /// Frees the number of a buffer that nothing uses.
  void giveBack(uint32_t number);

  bool isInUse(uint32_t number);
  /// Hands a buffer whose last reference is gone to a stream that still uses it. Returns false if
  /// no stream uses the buffer.
  bool keepWhileUsed(const VulkanBuffer &buffer);

private:
  friend class StreamUses;
  std::mutex mutex;
  std::vector<StreamUses *> streams;
  std::vector<uint32_t> freeNumbers;
  uint32_t numbers = 0;
};

} // namespace pumice::vulkan
