//===- Registry.h - the drivers of this process -----------------------------===//
// Drivers register functions that create them. Nothing is loaded before it is needed. If a driver
// fails to start, it is omitted. Its error is reported if someone asks for the driver by name.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "runtime/hal/Driver.h"

#include <functional>
#include <map>
#include <mutex>

namespace pumice::hal {

class Registry {
public:
  using MakeDriver = std::function<Result<Ref<Driver>>()>;

  /// Returns the registry of the process, with the drivers of this build
  /// (runtime/drivers/Drivers.cpp). It is never destroyed; when the process exits, the operating
  /// system frees its objects.
  static Registry &global();

  /// Adds a driver. Errors: InvalidArgument if the name is taken.
  Status add(std::string name, MakeDriver make);

  /// Returns all devices of all drivers, in the order of registration. The first call that needs
  /// the drivers starts them. A driver that fails is omitted (see `failures`), and the next call
  /// tries it again.
  std::vector<DeviceInfo> devices();

  /// Returns the drivers that could not list their devices, and the devices that cannot be used
  /// (`Driver::leftOut`), each with the reason. The result describes the last listing.
  std::vector<std::pair<std::string, Status>> failures();

  /// Opens the device that `request` names (see `findDevice`). If `request` is empty, opens the
  /// device that PUMICE_DEVICE names, or else the best one. Opening a device twice returns the same
  /// object, which stays open until `closeUnused`. A lost device is reopened.
  Result<Ref<Device>> open(std::string_view request = {});

  /// Opens the device on which `contents` should run. This is the device that `request` or
  /// PUMICE_DEVICE names, as in `open`, or else the choice of `chooseDevice`.
  Result<Ref<Device>> openFor(const executable::Executable &contents,
                              std::string_view request = {});

  /// Closes devices to which only the registry holds a reference.
  void closeUnused();

private:
  struct Entry {
    std::string name;
    MakeDriver make;
    Ref<Driver> driver;
    Status failure; // the failure of the last attempt
  };
  /// A list of devices, and of the drivers to which they belong.
  struct Listing {
    std::vector<DeviceInfo> devices;
    std::vector<std::pair<size_t, size_t>> places; // for each device: driver, and index there
  };
  Listing list();
  Result<Ref<Device>> openListed(const Listing &listing, size_t index);
  Result<Ref<Device>> openNamed(std::string_view request);
  /// Returns `status`, and adds the errors that prevented drivers from listing their devices. If
  /// the request names a driver, also adds why its API is missing, and why it left devices out.
  Status withFailures(Status status, std::string_view request = {}) const;

  // Held while drivers list and open devices, so that threads that open the same device get the
  // same object. A driver must not call the registry.
  std::mutex mutex;
  std::vector<Entry> entries;
  std::map<std::string, Ref<Device>, std::less<>> opened; // keyed by id
};

} // namespace pumice::hal
