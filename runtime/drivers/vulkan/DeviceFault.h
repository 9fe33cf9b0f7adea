//===- DeviceFault.h - why a device was lost --------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Unfinished.h"
#include "runtime/drivers/vulkan/Vulkan.h"

#include <string>

namespace pumice::vulkan {

/// What the driver knows of the fault that lost `device`: its words, and the addresses, with the
/// kernel's argument that is nearest to each. Empty where it says nothing. Only for devices with
/// the feature deviceFault.
std::string describeFault(const VolkDeviceTable &vk, VkDevice device, const LossContext &context);

/// The same, of what a driver answered: so many addresses, and so many of the vendor's own notes.
std::string faultText(const VkDeviceFaultInfoEXT &info, uint32_t addresses, uint32_t vendors,
                      const LossContext &context);

/// Which kernels were not done, and whether it looks as if one had taken too long; `fault` is what
/// the driver said. Empty where nothing was unfinished.
std::string unfinishedText(const std::string &fault, const LossContext &context);

} // namespace pumice::vulkan
