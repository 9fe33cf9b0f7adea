//===- Registry.h - the drivers of this process -----------------------------===//
// Drivers register a function that creates them. Nothing is loaded before it is needed. A driver
// that fails to start is left out. Its error is reported when someone asks for it by name.
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
  /// (runtime/drivers/Drivers.cpp). It is never destroyed. The operating system frees its objects
  /// at exit.
  static Registry &global();

  /// Adds a driver. Errors: InvalidArgument if the name is taken.
  Status add(std::string name, MakeDriver make);

  /// Returns every device of every driver, in the order of registration. The first call that needs
  /// the drivers starts them. One that fails is left out (`failures`), and the next call tries it
  /// again.
  std::vector<DeviceInfo> devices();

  /// Returns drivers that could not list their devices, and devices that cannot be used
  /// (`Driver::leftOut`). Each has its reason, as of the last listing.
  std::vector<std::pair<std::string, Status>> failures();

  /// Opens the device that `request` names (see `findDevice`). Empty: the device that PUMICE_DEVICE
  /// names, else the best. Opening a device twice returns the same object, which stays open until
  /// `closeUnused`. A lost device is opened again.
  Result<Ref<Device>> open(std::string_view request = {});

  /// Opens the device that `contents` should run on. That is the one named by `request` or
  /// PUMICE_DEVICE, as in `open`, or else the choice of `chooseDevice`.
  Result<Ref<Device>> openFor(const executable::Executable &contents,
                              std::string_view request = {});

  /// Closes devices that only the registry holds.
  void closeUnused();

private:
  struct Entry {
    std::string name;
    MakeDriver make;
    Ref<Driver> driver;
    Status failure; // of the last attempt
  };
  /// The devices as listed, and their drivers.
  struct Listing {
    std::vector<DeviceInfo> devices;
    std::vector<std::pair<size_t, size_t>> places; // for each device: driver, and index there
  };
  Listing list();
  Result<Ref<Device>> openListed(const Listing &listing, size_t index);
  Result<Ref<Device>> openNamed(std::string_view request);
  /// Returns `status`, with the errors that kept drivers from listing their devices.
  Status withFailures(Status status) const;

  // Held while drivers list and open, so that two threads that open one device get the same object.
  // A driver must not call the registry.
  std::mutex mutex;
  std::vector<Entry> entries;
  std::map<std::string, Ref<Device>, std::less<>> opened; // by id
};

} // namespace pumice::hal
