//===- DeviceFault.h - why a device was lost --------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"

#include <string>

namespace pumice::vulkan {

/// What the driver knows of the fault that lost `device`: its words, and the addresses. Empty where
/// it says nothing. Only for devices with the feature deviceFault.
std::string describeFault(const VolkDeviceTable &vk, VkDevice device);

/// The same, of what a driver answered: so many addresses, and so many of the vendor's own notes.
std::string faultText(const VkDeviceFaultInfoEXT &info, uint32_t addresses, uint32_t vendors);

} // namespace pumice::vulkan
