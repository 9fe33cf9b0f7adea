//===- Memory.h - memory that kernels reach by address ----------------------===//
// Allocates in the way that the device has (Addressing), and finds the allocation around an
// address. Thread-safe.
//
// With buffer objects, there are no addresses. Each buffer gets a range of numbers that no other
// buffer ever gets, and arguments in this range become the buffer and an offset. Pointers that
// kernels read from memory have no meaning then.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Context.h"
#include "runtime/hal/Buffer.h"
#include "support/ForkSafety.h"

#include <map>

namespace pumice::opencl_driver {

struct Allocation {
  uint64_t address = 0, bytes = 0;
  cl_mem object = nullptr;           // for Addressing::Buffers
  std::byte *host = nullptr;         // where the host sees the bytes, or null
  bool isLent = false;               // the host has the bytes, and kernels only between two calls
  std::unique_ptr<std::byte[]> copy; // for Addressing::Buffers: the bytes that the host sees
};

class Memory {
public:
  explicit Memory(const Context &context) : context(context) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Errors: ResourceExhausted.
  Result<const Allocation *> allocate(uint64_t bytes, hal::MemoryKind kind);
  void free(const Allocation *allocation);

  /// Returns the allocation that contains the address, or null.
  const Allocation *around(uint64_t address) const;
  /// Returns the beginnings of all allocations.
  std::vector<void *> addresses() const;
  /// Returns all allocations whose bytes the host has.
  std::vector<const Allocation *> lent() const;
  /// Returns a number that changes when memory is freed. Then an address may be used again.
  uint64_t generation() const { return freed.load(std::memory_order_acquire); }

  /// Takes the bytes from the host before work on `queue` uses them, and gives them back behind it.
  Status take(cl_command_queue queue, const Allocation &allocation);
  Status giveBack(cl_command_queue queue, const Allocation &allocation);

private:
  Status allocateInto(Allocation &allocation, hal::MemoryKind kind);
  Status allocateUsm(Allocation &allocation, hal::MemoryKind kind);
  Status allocateSvm(Allocation &allocation, hal::MemoryKind kind);
  Status allocateObject(Allocation &allocation, hal::MemoryKind kind);
  void release(const Allocation &allocation);

  const Context &context;
  mutable ForkSafeMutex mutex;
  std::map<uint64_t, Allocation> allocations; // by address
  uint64_t nextNumber = uint64_t{1} << 44;    // for Addressing::Buffers
  std::atomic<uint64_t> freed = 0;
};

} // namespace pumice::opencl_driver
