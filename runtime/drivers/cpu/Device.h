//===- Device.h - this machine's processors as one device -------------------===//
#pragma once

#include "runtime/drivers/cpu/LiveMemory.h"
#include "runtime/drivers/cpu/NativeCache.h"
#include "runtime/drivers/cpu/Options.h"
#include "runtime/drivers/cpu/Scheduler.h"
#include "runtime/drivers/cpu/Watchdog.h"
#include "runtime/drivers/cpu/WorkerPool.h"
#include "runtime/hal/Device.h"

namespace pumice::cpu_driver {

class CpuDevice final : public hal::Device {
public:
  /// Creates a device that makes native code with `compile`. If that is empty, the device uses the
  /// compiler library, and compiles for `options.cpu`.
  static Ref<CpuDevice> create(hal::DeviceInfo info, const Options &options,
                               NativeCache::Compile compile = {});

  // All objects of the device share these.
  Scheduler scheduler;
  WorkerPool pool;
  Watchdog watchdog;
  NativeCache cache;
  LiveMemory memory;
  const Guards guards; // guard pages of buffers

private:
  CpuDevice(hal::DeviceInfo info, const Options &options, NativeCache::Compile compile);

  Result<Ref<hal::Buffer>> allocateImpl(uint64_t bytes, hal::MemoryKind kind) override;
  Result<Ref<hal::Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<hal::Kernel>> createKernelImpl(const hal::KernelSource &source) override;
  Result<Ref<hal::Queue>> createQueueImpl(const hal::QueueOptions &options) override;
  Result<Ref<hal::Timeline>> createTimelineImpl(uint64_t initial) override;
  Status setOptionImpl(std::string_view name, int64_t value) override;
};

} // namespace pumice::cpu_driver
