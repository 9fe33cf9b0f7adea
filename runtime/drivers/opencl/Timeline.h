//===- Timeline.h - points that streams reach -------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Event.h"
#include "runtime/drivers/opencl/Scheduler.h"
#include "runtime/hal/Timeline.h"

namespace pumice::opencl {

class OpenClDevice;
class Stream;

class OpenClTimeline final : public hal::Timeline {
public:
  OpenClTimeline(OpenClDevice &device, uint64_t initial);

  // Callers of the following functions hold the scheduler's mutex.
  enum class Standing : uint8_t { Reached, Failed, Pending };
  /// Returns whether the timeline has reached the point. Signals of `waiter` itself are ignored,
  /// because they come after the work that waits.
  Standing standing(uint64_t value, const Stream *waiter = nullptr) const;
  /// Returns the reason why a point failed.
  Status failureAt(uint64_t value) const;
  bool hasFailed(uint64_t value) const { return value <= failedValue; }
  /// Notes that a stream has recorded a signal.
  void promise(Stream &stream, uint64_t value) { promises.push_back({&stream, value, {}}); }
  /// Notes that the device has the signal, and the event at which it is reached.
  void given(Stream &stream, uint64_t value, Event event);
  /// Returns whether the device already has an earlier signal of the stream that reaches the point.
  bool isGivenBy(const Stream &stream, uint64_t value) const;
  /// Returns the event at which another stream reaches the point, or an empty one if the device has
  /// no such signal.
  Event eventFor(uint64_t value, const Stream &waiter) const;
  bool isPromised(uint64_t value, const Stream *waiter = nullptr) const;
  void findSignalers(uint64_t value, std::vector<Stream *> &found) const;
  /// Removes the promise. If `status` is a failure, the point fails, and otherwise it is reached.
  void settle(Stream &stream, uint64_t value, const Status &status);
  void addWaiter(Stream *stream) { waiters.push_back(stream); }
  void removeWaiter(Stream *stream) { std::erase(waiters, stream); }

private:
  Result<uint64_t> valueImpl() override;
  Status waitImpl(uint64_t value, hal::Timeout timeout) override;
  Status signalImpl(uint64_t value) override;
  void wakeWaiters();

  struct Promise {
    Stream *stream;
    uint64_t value;
    Event event; // empty: the device does not have the signal yet
  };
  Scheduler &scheduler;
  uint64_t value;
  Status failure;           // of the first work that failed to signal
  uint64_t failedValue = 0; // the highest point that failed work was to reach
  std::vector<Promise> promises;
  std::vector<Stream *> waiters;
};

} // namespace pumice::opencl
