//===- BufferUses.h - which buffers pending work uses ---------------------===//
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
  /// Releases everything that it still keeps, since its work is over.
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
  /// Notes that batches up to `sequence` use nothing any more. The host may access their buffers.
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
  // Replaced only by `grow`, under the mutex of `all`. The thread that calls `note` reads them
  // without it.
  std::unique_ptr<std::atomic<uint64_t>[]> last;
  uint32_t size = 0;
  // Guarded by the mutex of `all`.
  uint64_t retired = 0;
  std::vector<const VulkanBuffer *> kept; // references
};

/// The tables of all streams of a device. Its mutex is held briefly, and no other one is taken
/// under it.
class BufferUses {
public:
  uint32_t takeNumber();
  /// Frees the number of a buffer that nothing uses.
  void giveBack(uint32_t number);

  bool isInUse(uint32_t number);
  /// Lets a stream that uses a buffer without references keep it. Returns false if no stream uses
  /// it.
  bool keepWhileUsed(const VulkanBuffer &buffer);

private:
  friend class StreamUses;
  std::mutex mutex;
  std::vector<StreamUses *> streams;
  std::vector<uint32_t> freeNumbers;
  uint32_t numbers = 0;
};

} // namespace pumice::vulkan
