//===- DeviceFunctions.h - what a device must let us call -------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <string_view>

namespace pumice::vulkan {

/// The first function that work on a device with that plan would call, and that its driver does not
/// give; null where all are there. A driver may describe devices that run nothing.
const char *missingFunction(const VolkDeviceTable &vk, const DevicePlan &plan);

/// The names of all that `missingFunction` looks at.
std::vector<std::string_view> deviceFunctions();

} // namespace pumice::vulkan
