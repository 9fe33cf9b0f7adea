//===- DeviceFunctions.h - what a device must let us call -------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <string_view>

namespace pumice::vulkan {

/// The first function that work on a device with that plan would call, and that its driver does not
/// give; null where all are there. A driver may describe devices that run nothing.
const char *missingFunction(const VolkDeviceTable &vk, const DevicePlan &plan);

/// In the child of a fork: what work and waits call answers that the device is lost, and nothing is
/// destroyed, since the driver's side of it is the parent's.
void cutOff(VolkDeviceTable &vk);

/// The names of all that `missingFunction` looks at.
std::vector<std::string_view> deviceFunctions();

} // namespace pumice::vulkan
