//===- Device.h - an open OpenCL device -------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Memory.h"
#include "runtime/drivers/opencl/Scheduler.h"
#include "runtime/hal/Device.h"
#include "support/DiskCache.h"
#include "support/ForkSafety.h"

namespace pumice::opencl_driver {

class OpenClDevice final : public hal::Device, private ForkAware {
public:
  /// Opens the device. Errors: those of clCreateContext.
  static Result<Ref<hal::Device>> open(const Functions &cl, const DeviceFacts &facts,
                                       Addressing addressing, hal::DeviceInfo info,
                                       std::optional<DiskCache> cache);

  /// Marks the device as lost if the status says so. Returns the status, or the loss.
  Status noted(Status status);

  // All objects of the device share these.
  const std::shared_ptr<Context> context;
  Memory memory;
  Scheduler scheduler;
  const std::optional<DiskCache> cache;

private:
  OpenClDevice(std::shared_ptr<Context> context, hal::DeviceInfo info,
               std::optional<DiskCache> cache);
  ~OpenClDevice() override;

  Result<Ref<hal::Buffer>> allocateImpl(uint64_t bytes, hal::MemoryKind kind) override;
  Result<Ref<hal::Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<hal::Kernel>> createKernelImpl(const hal::KernelSource &source) override;
  Result<Ref<hal::Queue>> createQueueImpl(const hal::QueueOptions &options) override;
  Result<Ref<hal::Timeline>> createTimelineImpl(uint64_t initial) override;

  void beforeFork() override { scheduler.mutex.lock(); }
  void afterForkInParent() override { scheduler.mutex.unlock(); }
  void afterForkInChild() override;
};

} // namespace pumice::opencl_driver
