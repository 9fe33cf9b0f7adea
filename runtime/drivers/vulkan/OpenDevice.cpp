//===- OpenDevice.cpp - opens a Vulkan device for the runtime ---------------===//
#include "runtime/drivers/vulkan/VulkanDevice.h"

namespace pumice::vulkan {

Result<Ref<hal::Device>> openDevice(Ref<Instance>, DeviceFacts facts, hal::DeviceInfo info) {
  return Status(StatusCode::Unsupported, info.id + " (" + facts.properties.deviceName +
                                             "): this build cannot open Vulkan devices");
}

} // namespace pumice::vulkan
