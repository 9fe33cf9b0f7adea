//===- LogicalDevice.cpp - an open VkDevice, its queues and functions -------===//
#include "runtime/drivers/vulkan/LogicalDevice.h"

#include "runtime/drivers/vulkan/Patience.h"

#include <utility>

namespace pumice::vulkan {
LogicalDevice::LogicalDevice(LogicalDevice &&other) noexcept
    : instance(std::move(other.instance)), physical(other.physical),
      handle(std::exchange(other.handle, VK_NULL_HANDLE)), queues(std::move(other.queues)),
      vk(std::move(other.vk)), owned(other.owned), released(std::move(other.released)) {}

LogicalDevice::~LogicalDevice() {
  if (!handle)
    return;
  if (!owned) {
    if (released)
      released();
    return;
  }
  std::unique_lock lock = holdLoader();
  vk->vkDestroyDevice(handle, nullptr);
}

void LogicalDevice::abandon() {
  vk.cutOff();
  // Abandoned devices are never destroyed, not even when the process exits, because drivers would
  // wait for their work.
  static std::mutex mutex;
  static auto *abandoned = new std::vector<std::pair<Ref<Instance>, VkDevice>>;
  std::lock_guard lock(mutex);
  abandoned->emplace_back(instance, handle);
}

LogicalDevice LogicalDevice::adopt(Ref<Instance> instance, VkPhysicalDevice physical,
                                   VkDevice handle, uint32_t queueFamily, uint32_t queueIndex) {
  LogicalDevice device;
  device.owned = false;
  device.physical = physical;
  device.handle = handle;
  instance->noteOpened();
  {
    std::unique_lock lock = holdLoader();
    device.vk.load(handle, instance->getDeviceProcAddr());
  }
  device.instance = std::move(instance);
  VkQueue queue = VK_NULL_HANDLE;
  if (device.vk->vkGetDeviceQueue)
    device.vk->vkGetDeviceQueue(handle, queueFamily, queueIndex, &queue);
  device.queues = {queue};
  return device;
}

Result<LogicalDevice> LogicalDevice::create(Ref<Instance> instance, const DeviceFacts &facts,
                                            const DevicePlan &plan) {
  FeatureChain features([&](const FeatureStructure &structure) {
    if (structure.property)
      return false;
    if (structure.type == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
      return true;
    for (const FeatureFlag &flag : structure.flags)
      if (plan.features.contains(flag.name))
        return true;
    return false;
  });
  features.set(plan.features);
  std::vector<float> priorities(plan.queueCount, 1.0f);
  VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = plan.queueFamily;
  queueInfo.queueCount = plan.queueCount;
  queueInfo.pQueuePriorities = priorities.data();
  std::vector<const char *> names;
  for (const std::string &name : plan.extensions)
    names.push_back(name.c_str());
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, features.first()};
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queueInfo;
  create.enabledExtensionCount = static_cast<uint32_t>(names.size());
  create.ppEnabledExtensionNames = names.data();

  LogicalDevice device;
  if (instance->isLeftBehind())
    return Status(StatusCode::Unsupported,
                  std::string("Vulkan was in use when this process was forked off; ") + aroundFork);
  instance->noteOpened();
  device.instance = std::move(instance);
  device.physical = facts.handle;
  Status status = tryPatiently(openPatience.load(), "vkCreateDevice", [&] {
    std::unique_lock lock = holdLoader();
    VkResult result = PUMICE_VK(device.instance->vk., vkCreateDevice, facts.handle, &create,
                                nullptr, &device.handle);
    if (result == VK_SUCCESS)
      device.vk.load(device.handle);
    return result;
  });
  if (!status.isOk())
    return std::move(status).at(facts.properties.deviceName);
  device.queues.resize(plan.queueCount);
  for (uint32_t i = 0; i < plan.queueCount; ++i)
    device.vk->vkGetDeviceQueue(device.handle, plan.queueFamily, i, &device.queues[i]);
  return device;
}

} // namespace pumice::vulkan
