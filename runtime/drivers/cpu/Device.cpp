//===- Device.cpp - this machine's processors as one device -----------------===//
#include "runtime/drivers/cpu/Device.h"

#include "runtime/drivers/cpu/Buffer.h"
#include "runtime/drivers/cpu/HostCpu.h"
#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/drivers/cpu/Queue.h"
#include "support/CompilerLibrary.h"
#include "support/Version.h"

namespace pumice::cpu_driver {

Ref<CpuDevice> CpuDevice::create(hal::DeviceInfo info, const Options &options,
                                 NativeCache::Compile compile) {
  return Ref<CpuDevice>::adopt(new CpuDevice(std::move(info), options, std::move(compile)));
}

/// Returns a function that uses the compiler library to compile for the processor of the device.
static NativeCache::Compile compilerFor(const HostCpu &cpu) {
  return
      [level = cpu.level](const hal::KernelSource &source) { return compileNative(source, level); };
}

CpuDevice::CpuDevice(hal::DeviceInfo info, const Options &options, NativeCache::Compile compile)
    : Device(std::move(info)), scheduler(options.spin),
      pool(options.threads, options.pin, options.spin), watchdog(options.timeout),
      cache(options.cache,
            PUMICE_VERSION_TEXT " " + compilerLibraryStamp() + " " + options.cpu.fingerprint,
            compile ? std::move(compile) : compilerFor(options.cpu)),
      guards(options.guards) {}

Result<Ref<hal::Buffer>> CpuDevice::allocateImpl(uint64_t bytes, hal::MemoryKind kind) {
  return CpuBuffer::allocate(*this, bytes, kind);
}

Result<Ref<hal::Buffer>> CpuDevice::importHostImpl(void *memory, uint64_t bytes) {
  return CpuBuffer::import(*this, memory, bytes);
}

Result<Ref<hal::Kernel>> CpuDevice::createKernelImpl(const hal::KernelSource &source) {
  PUMICE_TRY(Ref<CpuKernel> kernel, CpuKernel::create(*this, source));
  return Ref<hal::Kernel>(std::move(kernel));
}

Result<Ref<hal::Queue>> CpuDevice::createQueueImpl(const hal::QueueOptions &options) {
  return Ref<hal::Queue>(makeRef<CpuQueue>(*this, options));
}

Result<Ref<hal::Timeline>> CpuDevice::createTimelineImpl(uint64_t initial) {
  return Ref<hal::Timeline>(makeRef<hal::HostTimeline>(Ref<hal::Device>(this), scheduler, initial));
}

Status CpuDevice::setOptionImpl(std::string_view name, int64_t value) {
  auto outside = [&](int64_t least, int64_t most) {
    return Status(StatusCode::InvalidArgument,
                  std::string(name) + " cannot be " + std::to_string(value) + "; expected " +
                      std::to_string(least) + " to " + std::to_string(most));
  };
  if (name == "threads") {
    if (value < 1 || value > mostThreads)
      return outside(1, mostThreads);
    pool.setThreads(static_cast<unsigned>(value));
    return Status::ok();
  }
  if (name == "timeout_ms") {
    if (value < 0 || value > UINT32_MAX)
      return outside(0, UINT32_MAX);
    watchdog.setLimit(std::chrono::milliseconds(value));
    return Status::ok();
  }
  return Status(StatusCode::NotFound, info().id + " has no option '" + std::string(name) +
                                          "'; it has threads and timeout_ms");
}

} // namespace pumice::cpu_driver
