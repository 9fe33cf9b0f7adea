//===- CpuDriver.cpp - native code on this machine's processors --------------===//
#include "runtime/drivers/cpu/CpuDriver.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"
#include "runtime/support/CompilerLibrary.h"
#include "runtime/support/PlatformThreads.h"

#include <cstdlib>

namespace pumice::cpu_driver {

Result<Ref<hal::Driver>> CpuDriver::create() {
  return Ref<hal::Driver>(Ref<CpuDriver>::adopt(new CpuDriver));
}

static bool hasCompiler() { return !compilerLibraryStamp().empty(); }

static hal::DeviceInfo thisMachine() {
  return describe(hostCpu(), mainMemoryBytes(), hasCompiler());
}

Result<std::vector<hal::DeviceInfo>> CpuDriver::devicesImpl() { return std::vector{thisMachine()}; }

std::vector<Status> CpuDriver::leftOutImpl() const {
  if (hasCompiler())
    return {};
  return {Status(StatusCode::Unsupported,
                 "SPIR-V on cpu:0: the compiler library is not there (install it, or name its file "
                 "in PUMICE_COMPILER_LIBRARY); native code runs")};
}

Result<Ref<hal::Device>> CpuDriver::openImpl(size_t) {
  PUMICE_TRY(Options options, readOptions([](const char *name) { return std::getenv(name); }));
  PUMICE_TRY(options.cache, DiskCache::openIfAny());
  return Ref<hal::Device>(CpuDevice::create(thisMachine(), options));
}

} // namespace pumice::cpu_driver
