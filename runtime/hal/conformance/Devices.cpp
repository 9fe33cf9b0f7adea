//===- Devices.cpp - the devices that the suite runs on ---------------------===//
#include "runtime/hal/conformance/Devices.h"

#include "runtime/hal/Driver.h"

namespace pumice::hal::conformance {

namespace {

/// A driver joins with a line here, and in CMakeLists.txt with what to link and run.
struct DriverEntry {
  std::string_view name;
  Result<Ref<Driver>> (*make)();
};
const std::vector<DriverEntry> drivers = {};

std::vector<DeviceUnderTest> chosen;

bool isNamed(const DeviceInfo &info, std::string_view request) {
  return request.empty() || request == info.id || request == info.driver;
}

} // namespace

Status chooseDevices(std::string_view request) {
  chosen.clear();
  std::string listed;
  for (const DriverEntry &entry : drivers) {
    PUMICE_TRY(Ref<Driver> driver, entry.make());
    PUMICE_TRY(std::vector<DeviceInfo> devices, driver->devices());
    for (size_t i = 0; i < devices.size(); ++i) {
      listed += (listed.empty() ? "" : ", ") + devices[i].id + " (" + devices[i].name + ")";
      if (isNamed(devices[i], request))
        chosen.push_back({devices[i], [driver, i] { return driver->open(i); }});
    }
  }
  if (chosen.empty())
    return Status(StatusCode::NotFound, "no device '" + std::string(request) + "'; there is " +
                                            (listed.empty() ? "none" : listed));
  return Status::ok();
}

const std::vector<DeviceUnderTest> &devicesUnderTest() { return chosen; }

} // namespace pumice::hal::conformance
