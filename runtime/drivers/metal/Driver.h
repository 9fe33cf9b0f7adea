//===- Driver.h - Metal's devices for the runtime ---------------------------===//
#pragma once

#include "runtime/drivers/metal/Api.h"
#include "runtime/hal/Driver.h"

#include <mutex>
#include <vector>

namespace pumice::metal_driver {

class MetalDriver final : public hal::Driver {
public:
  /// Creates the driver. On systems without Metal, and with PUMICE_METAL=off, it has no devices.
  /// Errors: NotFound for a library that lacks a function; InvalidArgument, which names the
  /// variable.
  static Result<Ref<hal::Driver>> create();

private:
  explicit MetalDriver(const Functions *api) : hal::Driver("metal"), api(api) {}
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
  std::vector<Status> leftOutImpl() const override;

  const Functions *const api; // null: no devices
  mutable std::mutex mutex;
  std::vector<Status> unusable;
  std::vector<Integer> known; // the registry ids of the devices of the last listing
};

/// Returns a device in the HAL's terms. Errors: Unsupported for a device without Metal 3.
Result<hal::DeviceInfo> describe(const Functions &api, Object device);

} // namespace pumice::metal_driver
