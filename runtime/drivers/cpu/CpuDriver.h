//===- CpuDriver.h - native code on this machine's processors ----------------===//
#pragma once

#include "runtime/hal/Driver.h"

namespace pumice::cpu_driver {

/// One device, cpu:0, always there. Without the compiler library it runs native code alone.
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
