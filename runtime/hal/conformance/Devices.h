//===- Devices.h - the devices that the suite runs on -----------------------===//
#pragma once

#include "runtime/hal/Device.h"

#include <functional>

namespace pumice::hal::conformance {

struct DeviceUnderTest {
  DeviceInfo info;
  std::function<Result<Ref<Device>>()> open; // each call gives a new object
};

/// Those of the registered drivers (runtime/drivers/Drivers.cpp) that `request` names: an id, or
/// "vulkan" for all of a driver; empty: every device there is.
/// Errors: NotFound, which lists what there is.
Status chooseDevices(std::string_view request);

/// Returns the chosen devices.
const std::vector<DeviceUnderTest> &devicesUnderTest();

} // namespace pumice::hal::conformance
