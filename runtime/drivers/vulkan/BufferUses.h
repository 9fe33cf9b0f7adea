//===- BufferUses.h - which buffers pending work uses -----------------------===//
// The buffers of a device have numbers. Each stream has a table that maps the number of a buffer to
// the last of the stream's batches that uses the buffer. A launch notes a use with a plain store.
// Reference counting would need an atomic operation, which takes a tenth of the time for recording
// a launch. A finished batch is noted once for its stream's table, instead of once for each buffer.
// When the last reference to a buffer is released, the tables show which stream still uses the
// buffer. That stream then keeps the buffer until its work is done.
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

  /// Notes that batch `sequence`, which must not have been retired, uses the buffer. Only one
  /// thread calls this at a time, and it holds a reference to the buffer.
  void note(uint32_t number, uint64_t sequence) {
    if (number >= size) [[unlikely]]
      grow(number);
    last[number].store(sequence, std::memory_order_relaxed);
  }
  /// Notes that batches up to `sequence` are done. From then on, the host may access their buffers.
  void retire(uint64_t sequence);
  /// Releases the buffers that were kept for retired batches. The caller must not hold a lock that
  /// the destructor of a buffer takes.
  void releaseRetired();

private:
  friend class BufferUses;
  void grow(uint32_t number);
  bool uses(uint32_t number) const {
    return number < size && last[number].load(std::memory_order_relaxed) > retired;
  }

  BufferUses &all;
  // Only `grow` replaces these arrays, under the mutex of `all`. The thread that calls `note` reads
  // them without the mutex.
  std::unique_ptr<std::atomic<uint64_t>[]> last;
  uint32_t size = 0;
  // The mutex of `all` guards these.
  uint64_t retired = 0;
  std::vector<const VulkanBuffer *> kept; // each holds a reference
};

/// The tables of all streams of a device. The mutex is held only briefly, and while it is held, no
/// other mutex is taken.
class BufferUses {
public:
  uint32_t takeNumber();
  /// Frees the number of a buffer that no work uses any more.
  void giveBack(uint32_t number);

  bool isInUse(uint32_t number);
  /// Hands a buffer without references to a stream that still uses it. Returns false if no stream
  /// uses the buffer.
  bool keepWhileUsed(const VulkanBuffer &buffer);

private:
  friend class StreamUses;
  std::mutex mutex;
  std::vector<StreamUses *> streams;
  std::vector<uint32_t> freeNumbers;
  uint32_t numbers = 0;
};

} // namespace pumice::vulkan
