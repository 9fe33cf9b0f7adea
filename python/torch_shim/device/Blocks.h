//===- Blocks.h - blocks of a device's memory, used again once free ---------===//
// Freed blocks wait in lists, because making a buffer is slow. The stream that a block was
// allocated for uses it again without waiting: its queue runs in order. Other streams that used it
// must have reached the point at which it was freed. The tensors of graphs get memory of pools with
// numbers, which nothing else uses.
//===-------------------------------------------------------------------------===//
#pragma once

#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"

#include <map>
#include <mutex>
#include <set>

namespace pumice::vk {

/// A buffer that blocks are cut from.
struct Segment {
  pumice_buffer *buffer;
  uint64_t bytes;      // size of all blocks; the buffer adds slack on both sides
  std::byte *base;     // the address of the first block's first byte
  std::byte *reserved; // addresses that only name the memory; null if it has its own
  uint64_t reservedBytes;
  bool isSmall;
  uint64_t pool; // the graphs' pool that it belongs to; 0: none
};

struct Block {
  Segment *segment;
  uint64_t offset, bytes; // position and size in the segment
  c10::StreamId stream;
  Block *before = nullptr, *after = nullptr; // its neighbours in the segment
  bool isUsed = false;
  uint64_t requested = 0;
  std::set<c10::StreamId> otherStreams = {}; // the other streams that used it
  size_t pending = 0;                        // how many of these have not finished with it

  std::byte *address() const { return segment->base + offset; }
};

/// Allocates memory of one kind on one device. Thread-safe.
class BlockPool {
public:
  BlockPool(c10::DeviceIndex device, pumice_memory kind) : device(device), kind(kind) {}

  /// Returns a block of at least `bytes`, which are not 0, for work of this stream.
  Block *allocate(uint64_t bytes, c10::StreamId stream, uint64_t pool = 0);
  void free(Block *block);
  /// After the block is freed, other streams must not use it until `stream` has passed this point.
  void recordStream(Block *block, c10::StreamId stream);
  /// Like `recordStream`, but the host also waits: it reads and writes pinned memory at any time.
  void recordUse(Block *block, c10::StreamId stream);
  /// Gives the memory of unused buffers back to the device.
  void emptyCache();

  /// A graph begins to use a pool, or no longer uses it.
  void join(uint64_t pool);
  void leave(uint64_t pool);

  std::optional<Place> find(const void *address);
  /// Returns the block that holds an address, or null.
  Block *blockAt(const void *address);

  c10::CachingDeviceAllocator::DeviceStats stats();
  void resetAccumulatedStats();
  void resetPeakStats();
  uint64_t reservedBytes();

private:
  struct Smaller {
    bool operator()(const Block *a, const Block *b) const {
      return std::tuple(a->segment->pool, a->stream, a->bytes, a->address()) <
             std::tuple(b->segment->pool, b->stream, b->bytes, b->address());
    }
  };
  static constexpr uint64_t afterCapture = UINT64_MAX; // a point that a capturing stream lacks
  struct Waiting {
    uint64_t point;
    c10::StreamId stream;
    Block *block;
  };
  using Lists = std::set<Block *, Smaller>;

  Lists &listOf(const Block &block) { return block.segment->isSmall ? small : large; }
  Block *takeFree(uint64_t bytes, c10::StreamId stream, bool isSmall, uint64_t pool);
  Block *makeSegment(uint64_t bytes, c10::StreamId stream, bool isSmall, uint64_t pool);
  uint64_t pointOf(c10::StreamId stream);
  bool isLeft(uint64_t pool) const { return pool != 0 && !graphs.contains(pool); }
  pumice_status makeBuffer(uint64_t bytes, pumice_buffer **buffer);
  void split(Block *block, uint64_t bytes);
  void giveBack(Block *block);
  Block *merge(Block *block, Block *other);
  void processWaiting();
  void releaseUnused();
  template <typename Wanted> void releaseUnused(Wanted &&wanted);
  void freeSegment(Block *block);
  [[noreturn]] void outOfMemory(uint64_t bytes);
  template <typename Change> void count(bool isSmall, Change &&change);

  const c10::DeviceIndex device;
  const pumice_memory kind;
  std::mutex mutex;
  Lists small, large;                              // free blocks
  std::map<const std::byte *, Segment *> segments; // by the first byte's address
  std::map<const std::byte *, Block *> used;
  std::vector<Waiting> waiting;
  std::map<uint64_t, int> graphs; // how many graphs use each pool
  c10::CachingDeviceAllocator::DeviceStats counted;
};

} // namespace pumice::vk
