//===- Queue.h - records work, and runs it when someone waits ---------------===//
#pragma once

#include "runtime/drivers/cpu/Overlap.h"
#include "runtime/drivers/cpu/Stream.h"
#include "runtime/hal/Queue.h"

namespace pumice::cpu_driver {

class CpuQueue final : public hal::Queue {
public:
  CpuQueue(CpuDevice &device, const hal::QueueOptions &options);

private:
  ~CpuQueue() override;

  Status dispatchImpl(const hal::Dispatch &dispatch) override;
  Status copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) override;
  Status fillImpl(const hal::BufferRange &to, uint32_t pattern) override;
  Status uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) override;
  Status downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) override;
  Status waitImpl(const hal::TimePoint &point) override;
  Status signalImpl(const hal::TimePoint &point) override;
  Status onDoneImpl(std::function<void(const Status &)> then) override;
  Status flushImpl() override;
  Status finishImpl(hal::Timeout timeout) override;
  Result<std::vector<hal::ProfileRecord>> takeProfileImpl() override;

  using Clock = std::chrono::steady_clock;
  Clock::time_point now() const { return profiling ? Clock::now() : Clock::time_point(); }
  /// If profiling is on, records all commands since `begin` as one piece of work. The caller holds
  /// the mutex.
  void measure(Batch &batch, Command &command, hal::ProfileRecord::Kind kind,
               Clock::time_point begin, const std::string &label = {});
  Status move(hal::ProfileRecord::Kind kind, Clock::time_point begin, std::byte *to,
              const std::byte *from, uint64_t bytes, std::initializer_list<hal::Buffer *> buffers,
              void *staging = nullptr);
  bool uploadNow(const hal::BufferRange &to, std::span<const std::byte> from);
  bool joinsOthers(const hal::Dispatch &dispatch, double nanoseconds);

  CpuDevice &device;
  Ref<Stream> stream;
  Overlap overlap; // guarded by the scheduler's mutex
  const bool profiling;
};

} // namespace pumice::cpu_driver
