//===- LogicalDevice.h - an open VkDevice, its queues and functions ---------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

namespace pumice::vulkan {

class LogicalDevice {
public:
  /// Opens the device as planned. Errors: what vkCreateDevice answers.
  static Result<LogicalDevice> create(Ref<Instance> instance, const DeviceFacts &facts,
                                      const DevicePlan &plan);
  ~LogicalDevice();
  LogicalDevice(LogicalDevice &&other) noexcept;
  LogicalDevice &operator=(LogicalDevice &&) = delete;

  Ref<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice handle = VK_NULL_HANDLE;
  std::vector<VkQueue> queues; // of the plan's family; as many as planned
  /// The device's own functions. Those that became core keep their core names: what only an
  /// extension brings here stands there as well.
  VolkDeviceTable vk{};

private:
  LogicalDevice() = default;
};

} // namespace pumice::vulkan
