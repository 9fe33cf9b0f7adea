//===- Devices.cpp - the devices that the suite runs on ---------------------===//
#include "runtime/hal/conformance/Devices.h"

#include "runtime/drivers/Drivers.h"

namespace pumice::hal::conformance {

static std::vector<DeviceUnderTest> chosen;

/// The registry is created once, and is never destroyed. NVIDIA's driver (580) no longer starts in
/// a process that has unloaded it about thirty times. Applications also keep one registry as long
/// as they run.
static Registry &kept() {
  static Registry &registry = *new Registry;
  return registry;
}

/// Opens a device with a new registry, because a registry returns the same object for the same
/// device.
static Result<Ref<Device>> openAnew(const std::string &id) {
  Registry registry;
  PUMICE_RETURN_IF_ERROR(registerDrivers(registry));
  return registry.open(id);
}

Status chooseDevices(std::string_view request) {
  Registry &registry = kept();
  PUMICE_RETURN_IF_ERROR(registerDrivers(registry));
  chosen.clear();
  std::string listed;
  for (const DeviceInfo &info : registry.devices()) {
    listed += (listed.empty() ? "" : ", ") + info.id + " (" + info.name + ")";
    if (request.empty() || request == info.id || request == info.driver)
      chosen.push_back({info, [id = info.id] { return openAnew(id); }});
  }
  if (!chosen.empty())
    return Status::ok();
  std::string message =
      "no device '" + std::string(request) + "'; there is " + (listed.empty() ? "none" : listed);
  for (const auto &[driver, failure] : registry.failures())
    message += "; " + driver + ": " + failure.toString();
  return Status(StatusCode::NotFound, message);
}

const std::vector<DeviceUnderTest> &devicesUnderTest() { return chosen; }

} // namespace pumice::hal::conformance
