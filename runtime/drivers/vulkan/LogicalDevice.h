//===- LogicalDevice.h - an open VkDevice, its queues and functions ---------===//
#pragma once

#include "runtime/drivers/vulkan/DeviceFunctions.h"

#include <functional>

namespace pumice::vulkan {

class LogicalDevice {
public:
  /// Opens the device as planned. Errors: those of vkCreateDevice.
  static Result<LogicalDevice> create(Ref<Instance> instance, const DeviceFacts &facts,
                                      const DevicePlan &plan);
  /// Uses a device and a queue that the application created. They are never destroyed here.
  static LogicalDevice adopt(Ref<Instance> instance, VkPhysicalDevice physical, VkDevice device,
                             uint32_t queueFamily, uint32_t queueIndex);
  /// Sets a function that is called after the last use of an application's device.
  void whenReleased(std::function<void()> then) { released = std::move(then); }
  ~LogicalDevice();
  LogicalDevice(LogicalDevice &&other) noexcept;
  LogicalDevice &operator=(LogicalDevice &&) = delete;

  /// Abandons a device that does not finish its work. From then on, no one calls its functions, and
  /// neither the device nor its instance is destroyed. Thread-safe.
  void abandon();

  Ref<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice handle = VK_NULL_HANDLE;
  std::vector<VkQueue> queues; // the planned number of queues of the planned family
  /// The functions of this device. Functions that became core have their core names, even if only
  /// an extension provides them on this device.
  FunctionTable vk;
  bool isOwned() const { return owned; }

private:
  LogicalDevice() = default;

  bool owned = true;
  std::function<void()> released;
};

} // namespace pumice::vulkan
