//===- BufferPool.h - small buffers that launches share in turn -------------===//
// A buffer is free if only the pool holds a reference. The queue releases its reference when the
// work that uses the buffer is done. Work ends roughly in the order in which it started, so the
// pool checks the buffer that was handed out first. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <mutex>
#include <vector>

namespace pumice::hal {

class BufferPool {
public:
  /// The most buffers that are kept. If more are in flight, they are freed after use.
  static constexpr size_t mostKept = 4096;

  explicit BufferPool(uint64_t bytes) : bytes(bytes) {}

  /// Returns a free, host-visible buffer of the pool's size.
  Result<Ref<Buffer>> take(Device &device);

  size_t size() const;

private:
  const uint64_t bytes;
  mutable std::mutex mutex;
  std::vector<Ref<Buffer>> buffers;
  size_t next = 0;
};

} // namespace pumice::hal
