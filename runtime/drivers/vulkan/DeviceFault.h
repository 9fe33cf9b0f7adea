//===- DeviceFault.h - why a device was lost --------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Unfinished.h"
#include "runtime/drivers/vulkan/Vulkan.h"

#include <string>

namespace pumice::vulkan {

/// Returns the driver's description of the fault that lost `device`. It consists of the driver's
/// message and the addresses, each with the nearest argument of the kernel. Returns an empty text
/// if the driver reports nothing. Requires the feature deviceFault.
std::string describeFault(const VolkDeviceTable &vk, VkDevice device, const LossContext &context);

/// Returns the same text for given data of the driver, with `addresses` addresses and `vendors`
/// vendor records.
std::string faultText(const VkDeviceFaultInfoEXT &info, uint32_t addresses, uint32_t vendors,
                      const LossContext &context);

/// Lists the kernels that were not done, and says whether one of them seems to have run for too
/// long. `fault` is the driver's description. Returns an empty text if all kernels were done.
std::string unfinishedText(const std::string &fault, const LossContext &context);

} // namespace pumice::vulkan
