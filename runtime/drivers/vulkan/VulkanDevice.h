//===- VulkanDevice.h - opens a Vulkan device for the runtime ---------------===//
#pragma once

#include "runtime/drivers/vulkan/PhysicalDevice.h"
#include "runtime/hal/Device.h"

namespace pumice::vulkan {

/// The device that `facts` were read from, as `info` describes it.
Result<Ref<hal::Device>> openDevice(Ref<Instance> instance, DeviceFacts facts,
                                    hal::DeviceInfo info);

} // namespace pumice::vulkan
