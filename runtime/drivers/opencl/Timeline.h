//===- Timeline.h - points that streams reach -------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Event.h"
#include "runtime/hal/HostTimeline.h"

namespace pumice::opencl_driver {

class OpenClDevice;

/// A timeline of the host that also knows the events at which the device reaches its points.
class OpenClTimeline final : public hal::HostTimeline {
public:
  OpenClTimeline(OpenClDevice &device, uint64_t initial);

  // Callers of the following functions hold the scheduler's mutex.
  /// Notes that the device has the signal, and the event at which it is reached.
  void given(const hal::HostStream &stream, uint64_t value, Event event);
  /// Returns whether the device already has an earlier signal of the stream that reaches the point.
  bool isGivenBy(const hal::HostStream &stream, uint64_t value) const;
  /// Returns the event at which another stream reaches the point, or an empty one if the device has
  /// no such signal.
  Event eventFor(uint64_t value, const hal::HostStream &waiter) const;
  /// Forgets the event of a signal, and settles its promise.
  void retire(const hal::HostStream &stream, uint64_t value, const Status &status);

private:
  bool isOnDevice(uint64_t value, const hal::HostStream &waiter) const override {
    return static_cast<bool>(eventFor(value, waiter));
  }

  struct Given {
    const hal::HostStream *stream;
    uint64_t value;
    Event event;
  };
  std::vector<Given> signals; // those that the device has, in the order of each stream
};

} // namespace pumice::opencl_driver
