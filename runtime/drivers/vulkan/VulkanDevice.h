//===- VulkanDevice.h - opens a Vulkan device for the runtime ---------------===//
#pragma once

#include "runtime/drivers/vulkan/PhysicalDevice.h"
#include "runtime/hal/Device.h"

namespace pumice::vulkan {

/// Opens the device that `facts` describe. `info` is its description for the runtime.
Result<Ref<hal::Device>> openDevice(Ref<Instance> instance, DeviceFacts facts,
                                    hal::DeviceInfo info);

} // namespace pumice::vulkan
