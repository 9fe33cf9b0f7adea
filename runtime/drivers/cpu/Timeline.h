//===- Timeline.h - points that streams reach --------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Scheduler.h"
#include "runtime/hal/Timeline.h"

namespace pumice::cpu_driver {

class CpuDevice;

class CpuTimeline final : public hal::Timeline {
public:
  CpuTimeline(CpuDevice &device, uint64_t initial);

  // The scheduler's mutex is held for these.
  enum class Standing : uint8_t { Reached, Failed, Pending };
  /// Points that `waiter` itself signals are not counted: they come after what it waits for.
  Standing standing(uint64_t value, const Stream *waiter = nullptr) const;
  /// Why a point that has failed did.
  Status failureAt(uint64_t value) const;
  /// A stream has recorded a signal.
  void promise(Stream &stream, uint64_t value) { promises.push_back({&stream, value}); }
  /// Somebody but `waiter` is to reach the point.
  bool isPromised(uint64_t value, const Stream *waiter = nullptr) const;
  /// All who may: the first of them does.
  void findSignalers(uint64_t value, std::vector<Stream *> &found) const;
  /// The promise is kept, or broken where `status` is a failure.
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
  Status failure;           // of the first work that should have signaled and failed
  uint64_t failedValue = 0; // the highest that such work should have reached
  std::vector<Promise> promises;
  std::vector<Stream *> waiters; // blocked here
};

} // namespace pumice::cpu_driver
