//===- Device.h - the device of the driver template -------------------------===//
// In a real driver, each of these classes has its own file.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::null {

/// Owns the device object of the API, and everything that the device's objects share, such as
/// allocators and caches.
class NullDevice final : public hal::Device {
public:
  explicit NullDevice(hal::DeviceInfo info) : Device(std::move(info)) {}

private:
  Result<Ref<hal::Buffer>> allocateImpl(uint64_t bytes, hal::MemoryKind kind) override;
  Result<Ref<hal::Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<hal::Kernel>> createKernelImpl(const hal::KernelSource &source) override;
  Result<Ref<hal::Queue>> createQueueImpl(const hal::QueueOptions &options) override;
  Result<Ref<hal::Timeline>> createTimelineImpl(uint64_t initial) override;
};

/// A counter that reports when work is done. Its value only grows.
class NullTimeline final : public hal::Timeline {
public:
  explicit NullTimeline(Ref<hal::Device> device) : Timeline(std::move(device)) {}

private:
  Result<uint64_t> valueImpl() override;
  Status waitImpl(uint64_t value, hal::Timeout timeout) override;
  Status signalImpl(uint64_t value) override;
};

/// Accepts work and returns at once.
class NullQueue final : public hal::Queue {
public:
  explicit NullQueue(Ref<hal::Device> device) : Queue(std::move(device)) {}

private:
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
};

} // namespace pumice::null
