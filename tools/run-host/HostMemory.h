//===- HostMemory.h - the buffers behind a host program's pointers ----------===//
// Host code passes plain pointers, and this class finds the buffer that each belongs to. Memory of
// gpu.alloc is the device's, at the address where the host sees it. If the host does not see the
// device's memory, the address is reserved and nothing is mapped there. Host memory is used in
// place if the device can import it (with whole pages around it). Otherwise it has a mirror: a
// buffer that is filled before launches and read back when the host waits. Memory that gpu.dealloc
// and memref.dealloc freed is kept for a while, but nobody can access it. So a later use is
// reported and does no harm. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <deque>
#include <map>
#include <set>
#include <vector>

namespace pumice::run {

struct Region {
  enum class Kind : uint8_t {
    Device,     // allocated by gpu.alloc
    Host,       // allocated by memref.alloc
    Registered, // registered by gpu.host_register, or used directly by a launch
  };
  Kind kind = Kind::Device;
  std::byte *begin = nullptr;
  uint64_t bytes = 0;
  bool reserved = false;           // device memory that the host does not see
  bool temporary = false;          // removed when the device is idle
  bool mirrored = false;           // `buffer` is a copy of host memory
  bool constant = false;           // memory of the program that the host cannot write
  bool deviceNewer = false;        // for a mirror: the device has written newer contents
  const char *writtenAt = nullptr; // the place of the last launch that wrote it
  uint32_t streams = 0;            // for a mirror: bits of the streams whose work uses it
  size_t stream = 0;               // the last of these streams, which runs after the others
  Ref<hal::Buffer> buffer;         // null: host memory that the device has not used yet
  uint64_t offset = 0;             // the offset of `begin` in the buffer
  // The places in the program that allocated and freed it. Null: unknown, or not freed.
  const char *allocatedAt = nullptr, *freedAt = nullptr;
  bool ownPages = false; // shared with nothing else
  bool closed = false;   // freed, and its pages cannot be read or written

  std::byte *end() const { return begin + bytes; }
  /// Returns the name of the operation that frees it.
  const char *freedBy() const { return kind == Kind::Host ? "memref.dealloc" : "gpu.dealloc"; }
  /// Checks that it was not freed. Errors: InvalidArgument, with the place of the operation that
  /// freed it.
  Status checkAlive() const;
  /// Returns the bytes from `pointer` on, which is in the region.
  hal::BufferRange rangeFrom(const std::byte *pointer, uint64_t bytes) const {
    return {buffer.get(), offset + static_cast<uint64_t>(pointer - begin), bytes};
  }
};

/// A number of operations, and their bytes.
struct Tally {
  uint64_t times = 0, bytes = 0;
  void add(uint64_t more) { ++times, bytes += more; }
};

struct MemoryTally {
  Tally imports, mirrors;       // host memory that the device uses
  Tally toMirrors, fromMirrors; // copies that the program did not ask for
};

class HostMemory {
public:
  /// `separate`: works as if the host and the device did not see each other's memory.
  HostMemory(Ref<hal::Device> device, bool separate);
  ~HostMemory();
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;

  // Implement gpu.alloc and gpu.dealloc. The text at `place` must stay valid.
  Result<std::byte *> allocate(uint64_t bytes, bool hostShared, const char *place);
  Status deallocate(std::byte *pointer, const char *place);
  /// Closes freed memory, so that a host access to it stops the program with a message
  /// (FaultMessages). Call it only while no work is in flight, since threads of a CPU device belong
  /// to this process.
  void closeFreed();

  // Implement memref.alloc and memref.dealloc. The text at `place` must stay valid. Returns null if
  // memory is exhausted.
  std::byte *allocateHost(uint64_t bytes, uint64_t alignment, const char *place);
  /// No work in flight may use the memory.
  Status freeHost(std::byte *pointer, const char *place);

  // Implement gpu.host_register and gpu.host_unregister.
  Status registerHost(std::byte *begin, uint64_t bytes);
  Status unregisterHost(std::byte *begin);

  /// Returns the region that holds `pointer`, or null for unknown memory.
  Region *find(const std::byte *pointer);
  /// Returns whether a temporary or registered region overlaps the bytes without holding all of
  /// them. Then the device must be idle, and temporaries must be dropped, before anyone uses the
  /// bytes.
  bool collides(const std::byte *begin, uint64_t bytes);
  /// Returns the region of these bytes, with a buffer. Unknown memory becomes a temporary region.
  Result<Region *> use(std::byte *begin, uint64_t bytes);

  void dropTemporaries();
  std::vector<Region *> newerOnDevice();

  MemoryTally tally;

private:
  Result<Region *> insert(Region region);
  Status attach(Region &region);
  void release(Region &region);
  Result<Region> allocateRegion(uint64_t bytes, hal::MemoryKind kind);
  void close(Region &region);
  void keepFreed(Region &region, const char *place);
  void dropFreed(uint64_t keepBytes, size_t keepCount);

  Ref<hal::Device> device;
  bool separate;
  std::map<const std::byte *, Region> regions; // by their start; they do not overlap
  // Contains all temporary regions, and some that no longer exist.
  std::set<const std::byte *> temporaries;
  std::set<const std::byte *> mirrors; // contains all mirrors, and some that no longer exist
  std::deque<std::byte *> freed;       // freed regions, oldest first
  uint64_t freedBytes = 0;
  uint64_t smallAllocations = 0; // the number of small host allocations so far
};

} // namespace pumice::run
