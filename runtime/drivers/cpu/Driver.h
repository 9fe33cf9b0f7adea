//===- Driver.h - native code on this machine's processors ------------------===//
#pragma once

#include "runtime/hal/Driver.h"

namespace pumice::cpu_driver {

/// Lists one device, cpu:0, which always exists. Without the compiler library, the device runs only
/// native code.
class CpuDriver final : public hal::Driver {
public:
  static Result<Ref<hal::Driver>> create();

private:
  CpuDriver() : Driver("cpu") {}
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
  std::vector<Status> leftOutImpl() const override;
};

} // namespace pumice::cpu_driver
