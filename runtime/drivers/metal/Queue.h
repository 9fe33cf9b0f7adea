//===- Queue.h - records work of a Metal device -----------------------------===//
#pragma once

#include "runtime/drivers/metal/Stream.h"

namespace pumice::metal_driver {

class MetalQueue final : public hal::Queue {
public:
  static Result<Ref<hal::Queue>> create(MetalDevice &device, const hal::QueueOptions &options);

private:
  MetalQueue(MetalDevice &device, Ref<Stream> stream, bool profiling);
  ~MetalQueue() override;

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
  Status record(Command command, Clock::time_point begin, hal::ProfileRecord::Kind kind,
                const std::string &label = {});

  MetalDevice &device;
  Ref<Stream> stream;
  const bool profiling;
};

} // namespace pumice::metal_driver
