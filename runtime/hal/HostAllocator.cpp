//===- HostAllocator.cpp - the system's memory, or the program's ------------===//
#include "runtime/hal/HostAllocator.h"

#include <cstdlib>
#ifdef _WIN32
#include <malloc.h>
#endif

#include <mutex>

namespace pumice::hal {
namespace {

void *allocateFromSystem(void *, size_t bytes, size_t alignment) {
#ifdef _WIN32
  return _aligned_malloc(bytes, alignment);
#else
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
#endif
}

void releaseToSystem(void *, void *memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

/// The object is never destroyed, because threads free their memory while the process exits. The
/// first allocation makes the choice of the allocator final, so later calls can read it without the
/// mutex.
struct Choice {
  std::mutex mutex;
  bool final = false;
  HostAllocator allocator = {allocateFromSystem, releaseToSystem, nullptr};

  const HostAllocator &fixed() {
    static const HostAllocator &kept = [this]() -> const HostAllocator & {
      std::lock_guard lock(mutex);
      final = true;
      return allocator;
    }();
    return kept;
  }
};
Choice &choice() {
  static auto *one = new Choice;
  return *one;
}

} // namespace

Status setHostAllocator(const HostAllocator &allocator) {
  std::lock_guard lock(choice().mutex);
  if (choice().final)
    return Status(StatusCode::InvalidArgument,
                  "expected the allocator of host memory before the first allocation, but memory "
                  "was allocated already; set it before the first device is opened");
  choice().allocator = allocator;
  return Status::ok();
}

void *allocateHostMemory(size_t bytes, size_t alignment) {
  const HostAllocator &allocator = choice().fixed();
  return allocator.allocate(allocator.user, bytes, alignment);
}

void freeHostMemory(void *memory) {
  if (!memory)
    return;
  const HostAllocator &allocator = choice().fixed();
  allocator.release(allocator.user, memory);
}

} // namespace pumice::hal
