//===- Registry.cpp - the drivers and devices of a process ------------------===//
#include "runtime/hal/Registry.h"

#include "executable/FieldPath.h"
#include "runtime/hal/Choose.h"
#include "runtime/hal/Log.h"

#include <algorithm>
#include <cstdlib>

using pumice::executable::concat;

namespace pumice::hal {

/// Returns the caller's request, or else the request in the environment.
static std::string requestOf(std::string_view request) {
  if (!request.empty())
    return std::string(request);
  const char *fromEnvironment = std::getenv("PUMICE_DEVICE");
  return fromEnvironment ? fromEnvironment : "";
}

/// If the caller did not give the name, adds where it came from.
static Status explained(Status status, std::string_view request) {
  bool fromEnvironment = request.empty() && !requestOf(request).empty();
  return fromEnvironment ? std::move(status).at("PUMICE_DEVICE") : status;
}

Status Registry::add(std::string name, MakeDriver make) {
  std::lock_guard lock(mutex);
  if (name.empty())
    return Status(StatusCode::InvalidArgument, "a driver needs a name");
  for (const Entry &entry : entries)
    if (entry.name == name)
      return Status(StatusCode::InvalidArgument,
                    concat("a driver called '", name, "' is registered already"));
  entries.push_back({std::move(name), std::move(make), nullptr, Status::ok()});
  return Status::ok();
}

Registry::Listing Registry::list() {
  Listing listing;
  for (size_t d = 0; d < entries.size(); ++d) {
    Entry &entry = entries[d];
    if (!entry.driver) {
      Result<Ref<Driver>> made = entry.make();
      bool isNew = !made.isOk() && entry.failure.message() != made.status().message();
      entry.failure = made.isOk() ? Status::ok() : made.status();
      if (isNew)
        log(LogLevel::Warning, concat("driver ", entry.name, ": ", entry.failure.message()));
      if (!made.isOk())
        continue;
      entry.driver = std::move(made).value();
    }
    Result<std::vector<DeviceInfo>> devices = entry.driver->devices();
    entry.failure = devices.isOk() ? Status::ok() : devices.status();
    if (!devices.isOk())
      continue;
    for (size_t i = 0; i < devices->size(); ++i) {
      listing.devices.push_back(std::move((*devices)[i]));
      listing.places.emplace_back(d, i);
    }
  }
  return listing;
}

std::vector<DeviceInfo> Registry::devices() {
  std::lock_guard lock(mutex);
  return list().devices;
}

std::vector<std::pair<std::string, Status>> Registry::failures() {
  std::lock_guard lock(mutex);
  std::vector<std::pair<std::string, Status>> result;
  for (const Entry &entry : entries) {
    if (!entry.failure.isOk())
      result.emplace_back(entry.name, entry.failure);
    else if (entry.driver)
      for (Status &reason : entry.driver->leftOut())
        result.emplace_back(entry.name, std::move(reason));
  }
  return result;
}

Status Registry::withFailures(Status status, std::string_view request) const {
  std::string text = status.message();
  auto add = [&](const Entry &entry, const Status &reason) {
    text += concat("\ndriver ", entry.name, ": ", reason.message());
  };
  for (const Entry &entry : entries) {
    if (!entry.failure.isOk())
      add(entry, entry.failure);
    if (!entry.driver || request.substr(0, request.find(':')) != entry.name)
      continue;
    for (const Status &reason : entry.driver->leftOut())
      add(entry, reason);
    if (Status absence = entry.driver->absence(); !absence.isOk())
      add(entry, absence);
  }
  return Status(status.code(), text);
}

Result<Ref<Device>> Registry::openListed(const Listing &listing, size_t index) {
  const DeviceInfo &info = listing.devices[index];
  if (auto found = opened.find(info.id); found != opened.end()) {
    if (found->second->health().isOk())
      return found->second;
    opened.erase(found); // lost; other holders keep the old object
  }
  auto [driver, place] = listing.places[index];
  Result<Ref<Device>> device = entries[driver].driver->open(place);
  if (!device.isOk())
    return Status(device.status()).at(concat(info.id, " (", info.name, ")"));
  opened.emplace(info.id, *device);
  return device;
}

Result<Ref<Device>> Registry::openNamed(std::string_view request) {
  Listing listing = list();
  Result<size_t> found = findDevice(listing.devices, request);
  if (!found.isOk())
    return withFailures(found.status(), request);
  return openListed(listing, *found);
}

Result<Ref<Device>> Registry::open(std::string_view request) {
  std::lock_guard lock(mutex);
  Result<Ref<Device>> device = openNamed(requestOf(request));
  return device.isOk() ? std::move(device) : explained(device.status(), request);
}

Result<Ref<Device>> Registry::openFor(const executable::Executable &contents,
                                      std::string_view request) {
  if (!requestOf(request).empty())
    return open(request);
  std::lock_guard lock(mutex);
  Listing listing = list();
  Result<size_t> found = chooseDevice(listing.devices, contents);
  if (!found.isOk())
    return withFailures(found.status());
  return openListed(listing, *found);
}

void Registry::closeUnused() {
  std::vector<Ref<Device>> unused; // destroyed after unlocking
  std::lock_guard lock(mutex);
  for (auto at = opened.begin(); at != opened.end();) {
    if (at->second->isUnique()) {
      unused.push_back(std::move(at->second));
      at = opened.erase(at);
    } else {
      ++at;
    }
  }
}

} // namespace pumice::hal
