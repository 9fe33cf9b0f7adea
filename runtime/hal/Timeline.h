//===- Timeline.h - a counter that says how far work has come ---------------===//
// It only grows. Queues and the host advance it, queues and the host wait for it. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Ref.h"
#include "support/Status.h"

#include <chrono>
#include <cstdint>

namespace pumice::hal {

class Device;

using Timeout = std::chrono::nanoseconds;
inline constexpr Timeout forever = Timeout::max();

class Timeline : public RefCounted {
public:
  /// The value reached. Errors: DeviceLost.
  Result<uint64_t> value();
  /// Returns when `value` is reached; submits what queues still hold back. Polls before it sleeps.
  /// Errors: DeadlineExceeded, DeviceLost.
  Status wait(uint64_t value, Timeout timeout = forever);
  /// From the host. Errors: InvalidArgument unless it is more than the value reached.
  Status signal(uint64_t value);
  Device &device() const { return *owner; }

protected:
  explicit Timeline(Ref<Device> owner);
  ~Timeline() override;

private:
  virtual Result<uint64_t> valueImpl() = 0;
  virtual Status waitImpl(uint64_t value, Timeout timeout) = 0;
  virtual Status signalImpl(uint64_t value) = 0;

  Ref<Device> owner;
};

/// A point on a timeline.
struct TimePoint {
  Timeline *timeline = nullptr;
  uint64_t value = 0;
};

} // namespace pumice::hal
