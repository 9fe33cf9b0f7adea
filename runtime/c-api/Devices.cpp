//===- Devices.cpp - the C API's devices ------------------------------------===//
#include "runtime/c-api/Handles.h"
#include "runtime/hal/Log.h"
#include "runtime/hal/Registry.h"
#include "support/EnglishText.h"

#include <map>
#include <mutex>

using namespace pumice;
using namespace pumice::capi;

namespace {

pumice_device_info toC(const hal::DeviceInfo &info) {
  pumice_device_info result = PUMICE_INIT(pumice_device_info);
  result.id = info.id.c_str();
  result.driver = info.driver.c_str();
  result.name = info.name.c_str();
  result.vendor = info.vendor.c_str();
  result.driver_name = info.driverName.c_str();
  result.driver_version = info.driverVersion.c_str();
  result.kind = static_cast<pumice_device_kind>(info.kind);
  result.version_major = info.versionMajor;
  result.version_minor = info.versionMinor;
  result.version_patch = info.versionPatch;
  result.memory_bytes = info.memoryBytes;
  result.has_buffer_addresses = info.bufferAddresses;
  const hal::DeviceLimits &limits = info.limits;
  result.max_buffer_bytes = limits.maxBufferBytes;
  result.host_import_alignment = limits.hostImportAlignment;
  for (int i = 0; i < 3; ++i) {
    result.max_groups[i] = limits.maxGroups[i];
    result.max_workgroup_size[i] = limits.maxWorkgroupSize[i];
  }
  result.max_workgroup_invocations = limits.maxWorkgroupInvocations;
  result.max_workgroup_memory_bytes = limits.maxWorkgroupMemoryBytes;
  result.subgroup_size = limits.subgroupSize;
  result.min_subgroup_size = limits.minSubgroupSize;
  result.max_subgroup_size = limits.maxSubgroupSize;
  return result;
}

static_assert(PUMICE_DEVICE_OTHER == int(hal::DeviceKind::Other) &&
              PUMICE_DEVICE_INTEGRATED == int(hal::DeviceKind::Integrated) &&
              PUMICE_DEVICE_DISCRETE == int(hal::DeviceKind::Discrete) &&
              PUMICE_DEVICE_VIRTUAL == int(hal::DeviceKind::Virtual) &&
              PUMICE_DEVICE_CPU == int(hal::DeviceKind::Cpu));

/// The existing handles, by device id. The object is never destroyed, because programs may release
/// handles while they exit.
struct Handles {
  std::mutex mutex;
  std::map<std::string, pumice_device *, std::less<>> byId;
};
Handles &handles() {
  static auto *all = new Handles;
  return *all;
}

/// Adds a reference, unless the last reference was just released. Such a handle is destroyed as
/// soon as the mutex is free.
bool retainLiving(pumice_device &handle) {
  uint32_t count = handle.references.load(std::memory_order_relaxed);
  while (count != 0)
    if (handle.references.compare_exchange_weak(count, count + 1, std::memory_order_relaxed))
      return true;
  return false;
}

} // namespace

pumice_device *capi::handleOf(Ref<hal::Device> device, bool isLent) {
  std::lock_guard lock(handles().mutex);
  pumice_device *&handle = handles().byId[device->info().id];
  if (handle && retainLiving(*handle))
    handle->replace(std::move(device));
  else
    handle = new pumice_device(std::move(device), isLent);
  return handle;
}

namespace {

Status give(Result<Ref<hal::Device>> opened, pumice_device **place) {
  if (!opened.isOk())
    return opened.status();
  *place = handleOf(std::move(*opened));
  return Status::ok();
}

Status openFor(const void *executable, size_t bytes, const char *request, pumice_device **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "device"));
  if (!executable)
    return invalid("executable is NULL; the bytes of a .pumice file are needed");
  PUMICE_TRY(executable::Executable contents,
             executable::read({static_cast<const uint8_t *>(executable), bytes}));
  return give(hal::Registry::global().openFor(contents, request ? request : ""), place);
}

Status infoAt(const pumice_device_list *list, size_t index, pumice_device_info *info) {
  PUMICE_RETURN_IF_ERROR(check(list, "list"));
  if (index >= list->devices.size())
    return Status(StatusCode::NotFound, "the list has " + counted(list->devices.size(), "device") +
                                            "; none has index " + std::to_string(index));
  return writeStruct(info, toC(list->devices[index]), "info");
}

} // namespace

pumice_device::pumice_device(Ref<hal::Device> opened, bool isLent)
    : info(opened->info()), isLent(isLent), object(std::move(opened)) {}

pumice_device::~pumice_device() {
  std::lock_guard lock(handles().mutex);
  auto own = handles().byId.find(info.id);
  if (own != handles().byId.end() && own->second == this)
    handles().byId.erase(own);
}

Ref<hal::Device> pumice_device::latest() const {
  std::lock_guard lock(mutex);
  return object;
}

void pumice_device::replace(Ref<hal::Device> opened) const {
  std::map<std::string, int64_t> chosen;
  {
    std::lock_guard lock(mutex);
    if (object == opened)
      return;
    std::swap(object, opened); // the old one is destroyed after unlocking
    chosen = options;
  }
  for (const auto &[name, value] : chosen)
    // This cannot fail, because the earlier generation accepted the same option.
    (void)latest()->setOption(name, value);
}

Result<Ref<hal::Device>> pumice_device::working() const {
  Ref<hal::Device> device = latest();
  if (device->health().isOk() || device->isLeftBehind()) [[likely]]
    return device;                 // after a fork, the device itself reports an error
  std::lock_guard lock(reopening); // one thread reopens it for all
  device = latest();
  Status loss = device->health();
  if (loss.isOk())
    return device;
  if (isLent)
    return Status(StatusCode::DeviceLost,
                  loss.message() + "; the application owns its VkDevice: create a new one, and a "
                                   "pumice_device on it");
  Result<Ref<hal::Device>> opened = hal::Registry::global().open(info.id);
  if (!opened.isOk())
    return Status(StatusCode::DeviceLost,
                  loss.message() + "; opening it again fails: " + opened.status().message());
  replace(*opened);
  hal::log(hal::LogLevel::Info, info.id + " was opened again");
  return opened;
}

Status pumice_device::setOption(const std::string &name, int64_t value) {
  PUMICE_TRY(Ref<hal::Device> device, working());
  PUMICE_RETURN_IF_ERROR(device->setOption(name, value));
  std::lock_guard lock(mutex);
  options[name] = value;
  return Status::ok();
}

pumice_status pumice_list_devices(pumice_device_list **list) {
  if (Status status = clear(list, "list"); !status.isOk())
    return answer(std::move(status));
  auto made = std::make_unique<pumice_device_list>();
  made->devices = hal::Registry::global().devices();
  for (const auto &[driver, failure] : hal::Registry::global().failures())
    made->failures += driver + ": " + failure.toString() + "\n";
  *list = made.release();
  return PUMICE_OK;
}

size_t pumice_device_list_count(const pumice_device_list *list) {
  return check(list, "list").isOk() ? list->devices.size() : 0;
}

pumice_status pumice_device_list_info(const pumice_device_list *list, size_t index,
                                      pumice_device_info *info) {
  return answer(infoAt(list, index, info));
}

const char *pumice_device_list_failures(const pumice_device_list *list) {
  return check(list, "list").isOk() ? list->failures.c_str() : "";
}

pumice_status pumice_device_open(const char *request, pumice_device **device) {
  Status status = clear(device, "device");
  if (status.isOk())
    status = give(hal::Registry::global().open(request ? request : ""), device);
  return answer(std::move(status));
}

pumice_status pumice_device_open_for(const void *executable, size_t bytes, const char *request,
                                     pumice_device **device) {
  return answer(openFor(executable, bytes, request, device));
}

pumice_status pumice_device_get_info(const pumice_device *device, pumice_device_info *info) {
  Status status = check(device, "device");
  if (status.isOk())
    status = writeStruct(info, toC(device->info), "info");
  return answer(std::move(status));
}

pumice_status pumice_device_health(const pumice_device *device) {
  Status status = check(device, "device");
  return answer(status.isOk() ? device->latest()->health() : std::move(status));
}

pumice_status pumice_device_set_option(pumice_device *device, const char *name, int64_t value) {
  Status status = check(device, "device");
  if (status.isOk() && !name)
    status = invalid("name is NULL; expected the name of an option");
  return answer(status.isOk() ? device->setOption(name, value) : std::move(status));
}

pumice_status pumice_device_target(const pumice_device *device, pumice_blob **json) {
  Status status = clear(json, "json");
  if (status.isOk())
    status = check(device, "device");
  if (status.isOk()) {
    Result<Ref<hal::Device>> working = device->working();
    *json = makeBlob((working.isOk() ? *working : device->latest())->targetEnvironment());
  }
  return answer(std::move(status));
}
