//===- Timeline.h - points that streams reach -------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Scheduler.h"
#include "runtime/hal/Timeline.h"

namespace pumice::cpu_driver {

class CpuDevice;

class CpuTimeline final : public hal::Timeline {
public:
  CpuTimeline(CpuDevice &device, uint64_t initial);

  // Callers of the following functions hold the scheduler's mutex.
  enum class Standing : uint8_t { Reached, Failed, Pending };
  /// Returns whether the timeline has reached the point. Signals of `waiter` itself are ignored,
  /// because they come after the work that waits.
  Standing standing(uint64_t value, const Stream *waiter = nullptr) const;
  /// Returns the reason why a point failed.
  Status failureAt(uint64_t value) const;
  /// Notes that a stream has recorded a signal.
  void promise(Stream &stream, uint64_t value) { promises.push_back({&stream, value}); }
  /// Returns whether a stream other than `waiter` will signal the point.
  bool isPromised(uint64_t value, const Stream *waiter = nullptr) const;
  /// Finds all streams that may signal the point. The first signal reaches it.
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
  };
  Scheduler &scheduler;
  uint64_t value;
  Status failure;           // of the first work that failed to signal
  uint64_t failedValue = 0; // the highest point that failed work was to reach
  std::vector<Promise> promises;
  std::vector<Stream *> waiters; // streams that wait for this timeline
};

} // namespace pumice::cpu_driver
