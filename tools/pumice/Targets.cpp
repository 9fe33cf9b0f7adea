//===- Targets.cpp - targets that --target accepts, with devices ------------===//
#include "tools/pumice/Targets.h"

#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/dialect/vk/SelectTarget.h"
#include "runtime/hal/Choose.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/Registry.h"

#include <cstdlib>

using namespace pumice;
using namespace pumice::tools;
using namespace pumice::target;

DeviceList tools::listDevices() {
  hal::Registry &registry = hal::Registry::global();
  DeviceList list;
  list.devices = registry.devices();
  list.problems = registry.failures();
  return list;
}

Result<TargetEnv> tools::targetOfDevice(std::string_view request) {
  const char *preferred = std::getenv("PUMICE_DEVICE");
  if (request.empty() && preferred)
    request = preferred;
  DeviceList list = listDevices();
  Result<size_t> index = hal::findDevice(list.devices, request);
  if (!index.isOk()) {
    std::string message = index.status().message();
    for (const auto &[driver, problem] : list.problems)
      message += "\n  " + driver + ": " + problem.message();
    return Status(index.status().code(), message);
  }
  const hal::DeviceInfo &device = list.devices[*index];
  Result<TargetEnv> env = vk::readTargetJson(hal::targetEnvironmentJson(device));
  // An open device reports where it keeps the elements of matrices. A device that cannot be opened
  // is described without this.
  if (!device.cooperativeMatrices.empty())
    if (Result<Ref<hal::Device>> open = hal::Registry::global().open(device.id); open.isOk())
      env = vk::readTargetJson((*open)->targetEnvironment());
  if (!env.isOk())
    return Status(env.status()).at(device.id);
  return env;
}

Result<TargetEnv> tools::resolveTarget(mlir::MLIRContext *context, const std::string &text) {
  constexpr std::string_view prefix = "device:";
  if (text == "device")
    return targetOfDevice({});
  if (text.starts_with(prefix))
    return targetOfDevice(std::string_view(text).substr(prefix.size()));
  return vk::resolveTarget(context, text);
}
