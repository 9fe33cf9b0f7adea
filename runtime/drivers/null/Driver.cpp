//===- Driver.cpp - listing and opening -------------------------------------===//
#include "runtime/drivers/null/Driver.h"

#include "runtime/drivers/null/Device.h"

namespace pumice::null {

Result<Ref<hal::Driver>> NullDriver::create() {
  // Open the library of the API here (dlopen), never when the process starts. A program that uses
  // another driver must not pay for this one, nor fail because of it.
  return Ref<hal::Driver>(Ref<NullDriver>::adopt(new NullDriver));
}

Result<std::vector<hal::DeviceInfo>> NullDriver::devicesImpl() {
  // This is called often, so keep the list if querying it is slow. The list contains all data for
  // choosing a device and a variant (DeviceInfo.h). The driver is not asked again. No code makes
  // decisions by `name`.
  hal::DeviceInfo info;
  info.id = "null:0"; // the driver's name, and the index for `openImpl`
  info.driver = "null";
  info.name = "No device";
  info.kind = hal::DeviceKind::Other;
  // Omit what the device lacks. List what it has by Vulkan's names: `features`, `extensions`,
  // `limits`. An empty `kinds` means that the device runs no code at all.
  info.kinds = {};
  info.limits.maxBufferBytes = 1 << 20;
  return std::vector<hal::DeviceInfo>{info};
}

Result<Ref<hal::Device>> NullDriver::openImpl(size_t) {
  // The index is valid. Opening may be slow, because the registry keeps the device.
  PUMICE_TRY(std::vector<hal::DeviceInfo> listed, devicesImpl());
  return Ref<hal::Device>(makeRef<NullDevice>(std::move(listed.front())));
}

} // namespace pumice::null
