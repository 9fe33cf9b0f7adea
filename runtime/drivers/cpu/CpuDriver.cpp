//===- CpuDriver.cpp - native code on this machine's processors --------------===//
#include "runtime/drivers/cpu/CpuDriver.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"
#include "runtime/support/PlatformThreads.h"

#include <cstdlib>

namespace pumice::cpu {

Result<Ref<hal::Driver>> CpuDriver::create() {
  return Ref<hal::Driver>(Ref<CpuDriver>::adopt(new CpuDriver));
}

Result<std::vector<hal::DeviceInfo>> CpuDriver::devicesImpl() {
  return std::vector{describe(hostCpu(), mainMemoryBytes())};
}

Result<Ref<hal::Device>> CpuDriver::openImpl(size_t) {
  PUMICE_TRY(Options options, readOptions([](const char *name) { return std::getenv(name); }));
  if (Result<DiskCache> disk = DiskCache::open(); disk.isOk())
    options.cache = *disk;
  return Ref<hal::Device>(CpuDevice::create(describe(hostCpu(), mainMemoryBytes()), options));
}

} // namespace pumice::cpu
