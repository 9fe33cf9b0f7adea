//===- HostTimeline.h - a timeline that the host keeps ----------------------===//
// A timeline of which the device knows nothing. A stream promises a point when it records the
// signal, and settles it when its earlier work is done or has failed. Streams that wait for a point
// are unblocked then.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/HostScheduler.h"
#include "runtime/hal/HostStream.h"

namespace pumice::hal {

class HostTimeline : public Timeline {
public:
  HostTimeline(Ref<Device> device, HostScheduler &scheduler, uint64_t initial);

  // Callers of the following functions hold the scheduler's mutex.
  enum class Standing : uint8_t { Reached, Failed, Pending };
  /// Returns whether the timeline has reached the point. Signals of `waiter` itself are ignored,
  /// because they come after the work that waits.
  Standing standing(uint64_t value, const HostStream *waiter = nullptr) const;
  /// Returns the reason why a point failed.
  Status failureAt(uint64_t value) const;
  bool hasFailed(uint64_t value) const { return value <= failedValue; }
  /// Notes that a stream has recorded a signal.
  void promise(HostStream &stream, uint64_t value) { promises.push_back({&stream, value}); }
  /// Finds all streams that may signal the point. The first signal reaches it.
  void findSignalers(uint64_t value, std::vector<HostStream *> &found) const;
  /// Removes the promise. If `status` is a failure, the point fails, and otherwise it is reached.
  void settle(const HostStream &stream, uint64_t value, const Status &status);
  void addWaiter(HostStream *stream) { waiters.push_back(stream); }
  void removeWaiter(HostStream *stream) { std::erase(waiters, stream); }

protected:
  ~HostTimeline() override;
  /// Unblocks the streams that need not wait on the host any more.
  void wakeWaiters();

private:
  /// Returns whether a pending point need not keep the stream from giving work to the device.
  virtual bool isOnDevice(uint64_t, const HostStream &) const { return false; }
  Result<uint64_t> valueImpl() override;
  Status waitImpl(uint64_t value, Timeout timeout) override;
  Status signalImpl(uint64_t value) override;
  /// Returns whether a stream other than `waiter` will signal the point.
  bool isPromised(uint64_t value, const HostStream *waiter = nullptr) const;

  struct Promise {
    HostStream *stream;
    uint64_t value;
  };
  HostScheduler &scheduler;
  uint64_t value;
  Status failure;           // of the first work that failed to signal
  uint64_t failedValue = 0; // the highest point that failed work was to reach
  std::vector<Promise> promises;
  std::vector<HostStream *> waiters; // streams that wait for this timeline
};

} // namespace pumice::hal
