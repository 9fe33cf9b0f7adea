//===- ProgramScope.h - state that kernels of one loaded module share -------===//
// OpenCL's variables of program scope belong to all kernels of a loaded module, and live as long as
// any of these kernels. A driver that supports such variables stores them here. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/ForkSafety.h"
#include "support/Ref.h"

#include <mutex>

namespace pumice::hal {

class ProgramScope final : public RefCounted {
public:
  /// Returns the state of the driver, which the first caller creates. All kernels of a scope are on
  /// one device.
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
