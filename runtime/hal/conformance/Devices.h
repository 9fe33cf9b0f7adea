//===- Devices.h - the devices that the suite runs on -----------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <functional>

namespace pumice::hal::conformance {

struct DeviceUnderTest {
  DeviceInfo info;
  std::function<Result<Ref<Device>>()> open; // returns a new object for each call
};

/// Chooses devices of the registered drivers (runtime/drivers/Drivers.cpp). `request` is an id,
/// "vulkan" for all devices of a driver, or empty for all devices. Errors: NotFound, which lists
/// the devices.
Status chooseDevices(std::string_view request);

/// Returns the chosen devices.
const std::vector<DeviceUnderTest> &devicesUnderTest();

} // namespace pumice::hal::conformance
