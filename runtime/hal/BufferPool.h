//===- BufferPool.h - small buffers that launches share in turn -----------===//
// A buffer is free when only the pool holds it. The queue releases it when the work that uses it is
// done. Work ends roughly in the order of its start, so the pool checks the buffer that was handed
// out first. Thread-safe.
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

  /// Returns a free buffer of the pool's size that the host sees.
  Result<Ref<Buffer>> take(Device &device);

  size_t size() const;

private:
  const uint64_t bytes;
  mutable std::mutex mutex;
  std::vector<Ref<Buffer>> buffers;
  size_t next = 0;
};

} // namespace pumice::hal
