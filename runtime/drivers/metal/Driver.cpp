//===- Driver.cpp - Metal's devices for the runtime -------------------------===//
#include "runtime/drivers/metal/Driver.h"

#include "runtime/drivers/metal/Device.h"

#include <cstdlib>

namespace pumice::metal_driver {

Result<Ref<hal::Driver>> MetalDriver::create() {
  const char *given = std::getenv("PUMICE_METAL");
  std::string_view wanted = given ? given : "";
  if (!wanted.empty() && wanted != "on" && wanted != "off")
    return Status(StatusCode::InvalidArgument,
                  "PUMICE_METAL is '" + std::string(wanted) + "'; expected on or off");
  if (wanted == "off" || !hasMetal())
    return Ref<hal::Driver>(Ref<MetalDriver>::adopt(new MetalDriver(nullptr)));
  PUMICE_TRY(const Functions *functions, loadFunctions());
  return Ref<hal::Driver>(Ref<MetalDriver>::adopt(new MetalDriver(functions)));
}

std::vector<Status> MetalDriver::leftOutImpl() const {
  std::lock_guard lock(mutex);
  return unusable;
}

/// Returns the devices of this machine.
static std::vector<Owned> findDevices(const Functions &api) {
  std::vector<Owned> devices;
  Owned list(api, api.copyAllDevices ? api.copyAllDevices() : nullptr);
  Integer count = api.call<Integer>(list.get(), "count");
  for (Integer i = 0; i < count; ++i)
    if (Object device = api.call(list.get(), "objectAtIndex:", i))
      devices.emplace_back(api, api.call(device, "retain"));
  if (devices.empty())
    if (Object device = api.createDefaultDevice())
      devices.emplace_back(api, device);
  return devices;
}

Result<std::vector<hal::DeviceInfo>> MetalDriver::devicesImpl() {
  std::vector<hal::DeviceInfo> infos;
  if (!api)
    return infos;
  Pool pool(*api);
  std::vector<Status> problems;
  std::vector<Integer> ids;
  for (const Owned &device : findDevices(*api)) {
    Result<hal::DeviceInfo> info = describe(*api, device.get());
    if (!info.isOk()) {
      problems.push_back(info.status());
      continue;
    }
    info->id = "metal:" + std::to_string(infos.size());
    ids.push_back(api->call<Integer>(device.get(), "registryID"));
    infos.push_back(std::move(*info));
  }
  std::lock_guard lock(mutex);
  unusable = std::move(problems);
  known = std::move(ids);
  return infos;
}

Result<Ref<hal::Device>> MetalDriver::openImpl(size_t index) {
  PUMICE_TRY(std::vector<hal::DeviceInfo> infos, devicesImpl());
  Pool pool(*api);
  std::lock_guard lock(mutex);
  for (Owned &device : findDevices(*api))
    if (index < known.size() && index < infos.size() &&
        api->call<Integer>(device.get(), "registryID") == known[index])
      return MetalDevice::open(*api, std::move(device), std::move(infos[index]));
  return Status(StatusCode::NotFound, "metal:" + std::to_string(index) + " has disappeared");
}

} // namespace pumice::metal_driver
