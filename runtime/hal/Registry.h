//===- Registry.h - the drivers of this process -----------------------------===//
// Drivers register a function that makes them; nothing is loaded before someone asks. A driver that
// fails to start is left out, and says why to who asks for it by name.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "runtime/hal/Driver.h"

#include <functional>
#include <mutex>

namespace pumice::hal {

class Registry {
public:
  using MakeDriver = std::function<Result<Ref<Driver>>()>;

  /// The process's own, with the drivers that this build has.
  static Registry &global();

  /// InvalidArgument where the name is taken.
  Status add(std::string name, MakeDriver make);

  /// Every device of every driver, in the order of registration.
  std::vector<DeviceInfo> devices();

  /// Drivers that could not list their devices, with the reason.
  std::vector<std::pair<std::string, Status>> failures();

  /// The device that `request` names (see `findDevice`); empty: what PUMICE_DEVICE names, else the
  /// best. Opening one twice gives the same object, which stays open until `closeUnused`; a lost
  /// device is opened anew.
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
    Status failure;
    bool started = false;
  };
  Result<Ref<Device>> openListed(const DeviceInfo &info);

  std::mutex mutex;
  std::vector<Entry> entries;
  std::map<std::string, Ref<Device>, std::less<>> opened; // by id
};

} // namespace pumice::hal
