//===- Targets.h - resolves --target, including devices ---------------------===//
// The compiler sees plain data and queries no device. The commands query devices here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "runtime/hal/DeviceInfo.h"

namespace mlir {
class MLIRContext;
}

namespace pumice::tools {

/// The devices of every driver of this build, and the reasons why others are missing.
struct DeviceList {
  std::vector<hal::DeviceInfo> devices;
  std::vector<std::pair<std::string, Status>> problems; // by driver
};
DeviceList listDevices();

/// Returns the target environment of the device that `request` names, as in `hal::findDevice`. If
/// it is empty, PUMICE_DEVICE names the device, or else it is the best one.
Result<target::TargetEnv> targetOfDevice(std::string_view request);

/// Resolves the argument of every `--target`: "device", "device:REQUEST", or anything that
/// vk::resolveTarget accepts.
Result<target::TargetEnv> resolveTarget(mlir::MLIRContext *context, const std::string &text);

} // namespace pumice::tools
