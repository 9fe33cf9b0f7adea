//===- NullDriver.cpp - listing and opening ---------------------------------===//
#include "runtime/drivers/null/NullDriver.h"

#include "runtime/drivers/null/NullDevice.h"

namespace pumice::null {

Result<Ref<hal::Driver>> NullDriver::create() {
  // Open the API's library here (dlopen), never at process start. A program that uses another
  // driver must not pay for this one, nor fail because of it.
  return Ref<hal::Driver>(Ref<NullDriver>::adopt(new NullDriver));
}

Result<std::vector<hal::DeviceInfo>> NullDriver::devicesImpl() {
  // This is called often, so keep the list if asking is slow. The list holds everything that is
  // needed to choose a device and a variant, as plain data (DeviceInfo.h). The driver is not asked
  // again, and no code makes a decision by `name`.
  hal::DeviceInfo info;
  info.id = "null:0"; // the driver's name, and the number that `openImpl` takes
  info.driver = "null";
  info.name = "No device";
  info.kind = hal::DeviceKind::Other;
  // Leave out what the device lacks, and say what it has by Vulkan's names: `features`,
  // `extensions`, `limits`. An empty `kinds` means that it runs no code at all.
  info.kinds = {};
  info.limits.maxBufferBytes = 1 << 20;
  return std::vector<hal::DeviceInfo>{info};
}

Result<Ref<hal::Device>> NullDriver::openImpl(size_t) {
  // The index exists. Opening may be slow; the registry keeps the device.
  PUMICE_TRY(std::vector<hal::DeviceInfo> listed, devicesImpl());
  return Ref<hal::Device>(makeRef<NullDevice>(std::move(listed.front())));
}

} // namespace pumice::null
