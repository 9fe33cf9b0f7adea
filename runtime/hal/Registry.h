//===- Registry.h - the drivers of this process -----------------------------===//
// Drivers register a function that makes them; nothing is loaded before someone asks. A driver that
// fails to start is left out, and says why to who asks for it by name.
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

  /// The process's own, with the drivers that this build has (runtime/drivers/Drivers.cpp). It is
  /// never destroyed: what it holds open at exit is left to the operating system.
  static Registry &global();

  /// InvalidArgument where the name is taken.
  Status add(std::string name, MakeDriver make);

  /// Every device of every driver, in the order of registration. The first call that needs them
  /// starts the drivers; one that fails is left out (`failures`) and tried again by the next call.
  std::vector<DeviceInfo> devices();

  /// Drivers that could not list their devices, with the reason; and drivers' devices that cannot
  /// be used (`Driver::leftOut`). As of the last listing.
  std::vector<std::pair<std::string, Status>> failures();

  /// Opens the device that `request` names (see `findDevice`). Empty: the device that PUMICE_DEVICE
  /// names, else the best. Opening a device twice returns the same object, which stays open until
  /// `closeUnused`. A lost device is opened again.
  Result<Ref<Device>> open(std::string_view request = {});

  /// The device that `contents` should run on: as `open` where one is named, by `request` or
  /// PUMICE_DEVICE, else `chooseDevice`.
  Result<Ref<Device>> openFor(const executable::Executable &contents,
                              std::string_view request = {});

  /// Closes devices that nobody but the registry holds.
  void closeUnused();

private:
  struct Entry {
    std::string name;
    MakeDriver make;
    Ref<Driver> driver;
    Status failure; // of the last attempt
  };
  /// A device as listed, and who opens it.
  struct Listing {
    std::vector<DeviceInfo> devices;
    std::vector<std::pair<size_t, size_t>> places; // beside them: driver, index there
  };
  Listing list();
  Result<Ref<Device>> openListed(const Listing &listing, size_t index);
  Result<Ref<Device>> openNamed(std::string_view request);
  /// `status`, and what kept drivers from listing their devices.
  Status withFailures(Status status) const;

  // Held while drivers list and open: two threads that open one device get the same object. A
  // driver must not call the registry.
  std::mutex mutex;
  std::vector<Entry> entries;
  std::map<std::string, Ref<Device>, std::less<>> opened; // by id
};

} // namespace pumice::hal
