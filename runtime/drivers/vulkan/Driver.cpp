//===- Driver.cpp - Vulkan's devices for the runtime ------------------------===//
#include "runtime/drivers/vulkan/Driver.h"

#include "runtime/drivers/vulkan/Device.h"

namespace pumice::vulkan {

VulkanDriver::VulkanDriver(Ref<Instance> instance)
    : hal::Driver("vulkan"), instance(std::move(instance)) {}

Result<Ref<hal::Driver>> VulkanDriver::create() {
  PUMICE_TRY(InstanceOptions options, InstanceOptions::fromEnvironment());
  PUMICE_TRY(Ref<Instance> instance, Instance::create(options));
  return Ref<hal::Driver>::adopt(new VulkanDriver(std::move(instance)));
}

std::vector<Status> VulkanDriver::leftOutImpl() const {
  std::lock_guard lock(mutex);
  return unusable;
}

/// Lists the devices. A device that fails does not hide the others. Its failure is reported only if
/// no other device is found.
Result<std::vector<VulkanDriver::Listed>> VulkanDriver::list() {
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  std::vector<Listed> listed;
  std::vector<Status> problems;
  Status failure;
  for (VkPhysicalDevice device : devices) {
    Result<DeviceFacts> facts = readFacts(*instance, device);
    Status problem = facts.status();
    if (facts.isOk())
      problem = planDevice(*facts).status();
    if (!problem.isOk()) {
      if (failure.isOk() && problem.code() != StatusCode::Unsupported)
        failure = problem;
      problems.push_back(std::move(problem));
      continue;
    }
    hal::DeviceInfo info = describe(*facts);
    info.id = "vulkan:" + std::to_string(listed.size());
    listed.push_back({std::move(facts).value(), std::move(info)});
  }
  {
    std::lock_guard lock(mutex);
    unusable = std::move(problems);
    known = listed;
  }
  if (listed.empty() && !failure.isOk())
    return failure;
  return listed;
}

Result<std::vector<hal::DeviceInfo>> VulkanDriver::devicesImpl() {
  PUMICE_TRY(std::vector<Listed> listed, list());
  std::vector<hal::DeviceInfo> infos;
  for (Listed &entry : listed)
    infos.push_back(std::move(entry.info));
  return infos;
}

Result<Ref<hal::Device>> VulkanDriver::openImpl(size_t index) {
  Listed entry;
  {
    std::lock_guard lock(mutex); // `open` has just made a list
    if (index >= known.size())
      return Status(StatusCode::NotFound, "vulkan:" + std::to_string(index) + " has disappeared");
    entry = known[index];
  }
  return openDevice(instance, std::move(entry.facts), std::move(entry.info));
}

} // namespace pumice::vulkan
