//===- Driver.cpp - OpenCL's devices for the runtime ------------------------===//
#include "runtime/drivers/opencl/Driver.h"

#include "runtime/drivers/opencl/Call.h"
#include "runtime/drivers/opencl/Device.h"
#include "runtime/drivers/opencl/Loader.h"
#include "support/CompilerLibrary.h"

#include <cstdlib>

namespace pumice::opencl_driver {

static std::string_view environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Result<Ref<hal::Driver>> OpenClDriver::create() {
  std::string_view wanted = environment("PUMICE_OPENCL");
  auto without = [](std::string reason) {
    Status status(StatusCode::NotFound, std::move(reason));
    return Ref<hal::Driver>(Ref<OpenClDriver>::adopt(new OpenClDriver(std::move(status))));
  };
  if (wanted == "off")
    return without("PUMICE_OPENCL is off");
  if (!wanted.empty() && wanted != "on")
    return Status(StatusCode::InvalidArgument,
                  "PUMICE_OPENCL is '" + std::string(wanted) + "'; expected on or off");
  if (environment("PUMICE_OPENCL_LIBRARY").empty() && !hasLoader())
    return without(loaderHint());
  PUMICE_TRY(Functions functions, loadFunctions());
  return createWith(functions);
}

Ref<hal::Driver> OpenClDriver::createWith(const Functions &cl) {
  return Ref<hal::Driver>(Ref<OpenClDriver>::adopt(new OpenClDriver(cl)));
}

std::vector<Status> OpenClDriver::leftOutImpl() const {
  std::lock_guard lock(mutex);
  return unusable;
}

Status OpenClDriver::absenceImpl() const {
  std::lock_guard lock(mutex);
  return absent;
}

Result<OpenClDriver::Listed> OpenClDriver::look(cl_platform_id platform,
                                                cl_device_id device) const {
  PUMICE_TRY(DeviceFacts facts, readFacts(cl, platform, device));
  PUMICE_RETURN_IF_ERROR(isUsable(facts));
  facts.hasUsmFunctions = findUsm(cl, platform).has_value();
  PUMICE_TRY(Addressing addressing, chooseAddressing(facts, environment("PUMICE_OPENCL_MEMORY")));
  hal::DeviceInfo info = describe(facts, addressing, !compilerLibraryStamp().empty());
  return Listed{std::move(facts), addressing, std::move(info)};
}

void OpenClDriver::listPlatform(cl_platform_id platform, std::vector<Listed> &listed,
                                std::vector<Status> &problems) const {
  cl_uint count = 0;
  cl_int result = PUMICE_CL(cl, clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> devices(result == CL_SUCCESS ? count : 0);
  if (!devices.empty())
    result =
        PUMICE_CL(cl, clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  if (result != CL_SUCCESS) {
    if (result != CL_DEVICE_NOT_FOUND)
      problems.push_back(toStatus(result, "clGetDeviceIDs"));
    return;
  }
  for (cl_device_id device : devices) {
    Result<Listed> found = look(platform, device);
    if (!found.isOk()) {
      problems.push_back(found.status());
      continue;
    }
    found->info.id = "opencl:" + std::to_string(listed.size());
    listed.push_back(std::move(*found));
  }
}

/// Lists the devices of all platforms. A device that fails does not hide the others. Its failure is
/// reported only if no other device is found.
Result<std::vector<OpenClDriver::Listed>> OpenClDriver::list() {
  if (!isPresent)
    return std::vector<Listed>();
  cl_uint count = 0;
  cl_int result = PUMICE_CL(cl, clGetPlatformIDs, 0, nullptr, &count);
  std::vector<cl_platform_id> platforms(result == CL_SUCCESS ? count : 0);
  if (!platforms.empty())
    result = PUMICE_CL(cl, clGetPlatformIDs, count, platforms.data(), nullptr);
  if (result != CL_SUCCESS && result != CL_PLATFORM_NOT_FOUND_KHR)
    return toStatus(result, "clGetPlatformIDs");
  std::vector<Listed> listed;
  std::vector<Status> problems;
  for (cl_platform_id platform : platforms)
    listPlatform(platform, listed, problems);
  Status failure;
  for (const Status &problem : problems)
    if (failure.isOk() && problem.code() != StatusCode::Unsupported)
      failure = problem;
  {
    std::lock_guard lock(mutex);
    unusable = std::move(problems);
    absent = platforms.empty()
                 ? Status(StatusCode::NotFound,
                          "the OpenCL loader finds no driver; install one, or name its ICD file "
                          "in OCL_ICD_VENDORS")
                 : Status::ok();
    known = listed;
  }
  if (listed.empty() && !failure.isOk())
    return failure;
  return listed;
}

Result<std::vector<hal::DeviceInfo>> OpenClDriver::devicesImpl() {
  PUMICE_TRY(std::vector<Listed> listed, list());
  std::vector<hal::DeviceInfo> infos;
  for (Listed &entry : listed)
    infos.push_back(std::move(entry.info));
  return infos;
}

Result<Ref<hal::Device>> OpenClDriver::openImpl(size_t index) {
  std::optional<Listed> entry;
  {
    std::lock_guard lock(mutex); // `open` has just made a list
    if (index < known.size())
      entry = known[index];
  }
  if (!entry)
    return Status(StatusCode::NotFound, "opencl:" + std::to_string(index) + " has disappeared");
  PUMICE_TRY(std::optional<DiskCache> cache, DiskCache::openIfAny());
  return OpenClDevice::open(cl, entry->facts, entry->addressing, std::move(entry->info),
                            std::move(cache));
}

} // namespace pumice::opencl_driver
