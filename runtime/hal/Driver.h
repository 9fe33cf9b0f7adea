//===- Driver.h - opens the devices of one API ------------------------------===//
// There is one driver for each API that runs kernels: Vulkan, the CPU, OpenCL. It lists its devices
// as plain data, and opens them. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "support/Ref.h"
#include "support/Status.h"

#include <string_view>
#include <vector>

namespace pumice::hal {

class Device;

class Driver : public RefCounted {
public:
  /// Returns the prefix of the driver's device ids, for example "vulkan".
  std::string_view name() const { return driverName; }

  /// Returns all devices in the driver's order, with ids from "name:0" on. Returns none if the API
  /// is missing. Fails only if the API is present but fails.
  Result<std::vector<DeviceInfo>> devices();

  /// Returns the reasons why some existing devices cannot be used, as of the last call of
  /// `devices`.
  std::vector<Status> leftOut() const { return leftOutImpl(); }

  /// Returns the reason why the API is missing or not used, or ok. A missing API is not a failure,
  /// but a request that names the driver needs the reason.
  Status absence() const { return absenceImpl(); }

  /// Opens the device with this index in that list. Errors: NotFound, Unsupported,
  /// ResourceExhausted.
  Result<Ref<Device>> open(size_t index);

protected:
  explicit Driver(std::string name) : driverName(std::move(name)) {}

private:
  virtual Result<std::vector<DeviceInfo>> devicesImpl() = 0;
  virtual Result<Ref<Device>> openImpl(size_t index) = 0; // the index is valid

  virtual std::vector<Status> leftOutImpl() const { return {}; }
  virtual Status absenceImpl() const { return Status::ok(); }

  std::string driverName;
};

} // namespace pumice::hal
