//===- Driver.h - OpenCL's devices for the runtime --------------------------===//
#pragma once

#include "runtime/drivers/opencl/Facts.h"
#include "runtime/hal/Driver.h"

#include <mutex>

namespace pumice::opencl_driver {

class OpenClDriver final : public hal::Driver {
public:
  /// Creates the driver. Without a loader, and with PUMICE_OPENCL=off, it has no devices. Errors:
  /// NotFound if the loader that PUMICE_OPENCL_LIBRARY names is missing, or a loader is too old;
  /// InvalidArgument, which names the variable.
  static Result<Ref<hal::Driver>> create();
  /// Creates the driver with these functions in place of the loader's.
  static Ref<hal::Driver> createWith(const Functions &cl);

private:
  explicit OpenClDriver(const Functions &cl) : hal::Driver("opencl"), isPresent(true), cl(cl) {}
  /// Creates a driver without devices.
  explicit OpenClDriver(Status absence)
      : hal::Driver("opencl"), isPresent(false), cl(), absent(std::move(absence)) {}

  struct Listed {
    DeviceFacts facts;
    Addressing addressing;
    hal::DeviceInfo info;
  };
  Result<std::vector<Listed>> list();
  void listPlatform(cl_platform_id platform, std::vector<Listed> &listed,
                    std::vector<Status> &problems) const;
  Result<Listed> look(cl_platform_id platform, cl_device_id device) const;
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
  std::vector<Status> leftOutImpl() const override;
  Status absenceImpl() const override;

  const bool isPresent;
  const Functions cl;
  mutable std::mutex mutex;
  std::vector<Status> unusable;
  Status absent;             // why there are no devices
  std::vector<Listed> known; // the devices of the last listing
};

} // namespace pumice::opencl_driver
