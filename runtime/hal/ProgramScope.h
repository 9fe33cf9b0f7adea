//===- ProgramScope.h - what kernels of one loaded module share --------------===//
// OpenCL's variables of program scope are one for all kernels of a module that was loaded once, and
// live as long as any of them. A driver that has such variables keeps them here. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/ForkSafety.h"
#include "support/Ref.h"

#include <mutex>

namespace pumice::hal {

class ProgramScope final : public RefCounted {
public:
  /// The driver's own: made by the first who asks. Kernels of one scope are one device's.
  template <typename T> Ref<T> state() {
    std::lock_guard lock(mutex);
    if (!kept)
      kept = Ref<RefCounted>(Ref<T>::adopt(new T).get());
    return Ref<T>(static_cast<T *>(kept.get()));
  }

private:
  ForkSafeMutex mutex;
  Ref<RefCounted> kept;
};

} // namespace pumice::hal
