//===- Driver.cpp - native code on this machine's processors ----------------===//
#include "runtime/drivers/cpu/Driver.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"
#include "support/CompilerLibrary.h"
#include "support/PlatformThreads.h"

#include <cstdlib>

namespace pumice::cpu_driver {

Result<Ref<hal::Driver>> CpuDriver::create() {
  return Ref<hal::Driver>(Ref<CpuDriver>::adopt(new CpuDriver));
}

static bool hasCompiler() { return !compilerLibraryStamp().empty(); }

static const char *environment(const char *name) { return std::getenv(name); }

static hal::DeviceInfo thisMachine(const HostCpu &cpu) {
  return describe(cpu, mainMemoryBytes(), hasCompiler());
}

/// If the requested level is invalid, the device is still listed, but opening it fails. If it were
/// not listed, a Vulkan driver on the CPU would be chosen instead.
Result<std::vector<hal::DeviceInfo>> CpuDriver::devicesImpl() {
  Result<HostCpu> cpu = chooseCpu(environment, hostCpu());
  return std::vector{thisMachine(cpu.isOk() ? *cpu : hostCpu())};
}

std::vector<Status> CpuDriver::leftOutImpl() const {
  std::vector<Status> reasons;
  if (Status level = chooseCpu(environment, hostCpu()).status(); !level.isOk())
    reasons.push_back(std::move(level).at("cpu:0"));
  if (!hasCompiler())
    reasons.push_back(
        Status(StatusCode::Unsupported,
               "cpu:0 runs only native code, because the compiler library, which SPIR-V needs, is "
               "missing: install it, or name its file in PUMICE_COMPILER_LIBRARY"));
  return reasons;
}

Result<Ref<hal::Device>> CpuDriver::openImpl(size_t) {
  PUMICE_TRY(Options options, readOptions(environment));
  PUMICE_TRY(options.cache, DiskCache::openIfAny());
  return Ref<hal::Device>(CpuDevice::create(thisMachine(options.cpu), options));
}

} // namespace pumice::cpu_driver
