//===- Queue.h - records work of an OpenCL device ---------------------------===//
#pragma once

#include "runtime/drivers/opencl/Stream.h"
#include "runtime/hal/Queue.h"

namespace pumice::opencl_driver {

class OpenClQueue final : public hal::Queue {
public:
  static Result<Ref<hal::Queue>> create(OpenClDevice &device, const hal::QueueOptions &options);

private:
  OpenClQueue(OpenClDevice &device, Ref<Stream> stream, bool profiling);
  ~OpenClQueue() override;

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
  /// Adds a buffer that the command uses.
  void use(Command &command, const hal::Buffer *buffer) const;
  /// Records the command, and gives the device what it may have. The caller holds the mutex.
  void submit(Scheduler::Lock &lock, std::unique_ptr<Command> command, Clock::time_point begin,
              hal::ProfileRecord::Kind kind, const std::string &label = {});
  bool uploadNow(Scheduler::Lock &lock, const hal::BufferRange &to,
                 std::span<const std::byte> from);

  OpenClDevice &device;
  Ref<Stream> stream;
  const bool profiling;
  uint32_t sinceRetire = 0; // commands since the last look for work that is done
};

} // namespace pumice::opencl_driver
