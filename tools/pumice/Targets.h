//===- Targets.h - what --target takes, devices included --------------------===//
// The compiler sees plain data and asks no device; commands do, here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "runtime/hal/DeviceInfo.h"

namespace mlir {
class MLIRContext;
}

namespace pumice::tools {

/// The devices of every driver that this build has, and why others are missing.
struct DeviceList {
  std::vector<hal::DeviceInfo> devices;
  std::vector<std::pair<std::string, Status>> problems; // by driver
};
DeviceList listDevices();

/// The target environment of the device that `request` names, as `hal::findDevice` has it; empty:
/// PUMICE_DEVICE's, else the best.
Result<target::TargetEnv> targetOfDevice(std::string_view request);

/// Resolves the argument of every `--target`: "device", "device:REQUEST", or anything that
/// vk::resolveTarget accepts.
Result<target::TargetEnv> resolveTarget(mlir::MLIRContext *context, const std::string &text);

} // namespace pumice::tools
