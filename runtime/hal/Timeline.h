//===- Timeline.h - a counter for the progress of work ----------------------===//
// A timeline is a counter that only grows. Queues and the host advance it, and both can wait for
// it. Thread-safe.
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
  /// Returns the value that the timeline has reached. Errors: DeviceLost.
  Result<uint64_t> value();
  /// Waits until `value` is reached. Submits work that queues still hold back. Polls before
  /// sleeping. Errors: DeadlineExceeded, DeviceLost.
  Status wait(uint64_t value, Timeout timeout = forever);
  /// Advances the timeline from the host. Errors: InvalidArgument unless `value` exceeds the value
  /// that has been reached.
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
