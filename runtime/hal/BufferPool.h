//===- BufferPool.h - small buffers that launches take turns with -----------===//
// A buffer is free when nobody but the pool holds it: the queue lets go of it when the work that
// uses it is done. Work ends about in the order of its start, so the buffer handed out longest ago
// is the one to look at. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <mutex>
#include <vector>

namespace pumice::hal {

class BufferPool {
public:
  /// Buffers beyond this number in flight are freed after use, not kept.
  static constexpr size_t mostKept = 4096;

  explicit BufferPool(uint64_t bytes) : bytes(bytes) {}

  /// A buffer of the pool's size that the host sees and nothing uses.
  Result<Ref<Buffer>> take(Device &device);

  size_t size() const;

private:
  const uint64_t bytes;
  mutable std::mutex mutex;
  std::vector<Ref<Buffer>> buffers;
  size_t next = 0;
};

} // namespace pumice::hal
