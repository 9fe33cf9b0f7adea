//===- BufferPool.cpp - small buffers that launches reuse -------------------===//
#include "runtime/hal/BufferPool.h"

namespace pumice::hal {

Result<Ref<Buffer>> BufferPool::take(Device &device) {
  std::lock_guard lock(mutex);
  if (!buffers.empty()) {
    if (next >= buffers.size())
      next = 0;
    // Copying the Ref under the lock reserves the buffer, since other threads no longer see it as
    // unique.
    if (buffers[next]->isUnique() && !buffers[next]->isInUse())
      return buffers[next++];
  }
  PUMICE_TRY(Ref<Buffer> made, device.allocate(bytes, MemoryKind::Host));
  if (!made->hostPointer())
    return Status(StatusCode::Internal, device.info().id + " gave host memory without a pointer");
  if (buffers.size() < mostKept) {
    // Inserts the buffer in front of the busy one, which remains the oldest.
    buffers.insert(buffers.begin() + static_cast<ptrdiff_t>(next), made);
    ++next;
  }
  return made;
}

size_t BufferPool::size() const {
  std::lock_guard lock(mutex);
  return buffers.size();
}

} // namespace pumice::hal
