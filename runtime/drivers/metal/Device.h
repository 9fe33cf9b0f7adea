//===- Device.h - an open Metal device --------------------------------------===//
// All buffers are in memory that the host sees, too. The queue of the HAL is a thread that gives
// work to one MTLCommandQueue, waits for it, and does what belongs to the host.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/metal/Api.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/HostScheduler.h"
#include "support/ForkSafety.h"

namespace pumice::metal_driver {

class MetalBuffer;
class Stream;

class Scheduler final : public hal::HostScheduler {
public:
  /// Waits until something changes: each stream has a thread that does its work.
  Status advance(Lock &lock, std::span<hal::HostStream *const> wanted,
                 const hal::Deadline &deadline) override;
  void afterForkInChild() { forgetSleepers(); }
};

class MetalDevice final : public hal::Device, private ForkAware {
public:
  /// Takes over the MTLDevice. Errors: ResourceExhausted.
  static Result<Ref<hal::Device>> open(const Functions &api, Owned device, hal::DeviceInfo info);

  /// Marks the device as lost if the status says so. Returns the status, or the loss.
  Status noted(Status status);
  bool isAbandoned() const { return isLeftBehind(); }

  /// The buffers that exist, for kernels that follow pointers in memory.
  void add(MetalBuffer *buffer);
  void remove(MetalBuffer *buffer);
  std::vector<Object> allBuffers();

  const Functions &api;
  Owned device, queue;
  Scheduler scheduler;

private:
  MetalDevice(const Functions &api, Owned device, Owned queue, hal::DeviceInfo info);
  ~MetalDevice() override;

  Result<Ref<hal::Buffer>> allocateImpl(uint64_t bytes, hal::MemoryKind kind) override;
  Result<Ref<hal::Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<hal::Kernel>> createKernelImpl(const hal::KernelSource &source) override;
  Result<Ref<hal::Queue>> createQueueImpl(const hal::QueueOptions &options) override;
  Result<Ref<hal::Timeline>> createTimelineImpl(uint64_t initial) override;

  void beforeFork() override { scheduler.mutex.lock(); }
  void afterForkInParent() override { scheduler.mutex.unlock(); }
  void afterForkInChild() override;

  std::mutex buffersMutex;
  std::vector<MetalBuffer *> buffers;
};

} // namespace pumice::metal_driver
