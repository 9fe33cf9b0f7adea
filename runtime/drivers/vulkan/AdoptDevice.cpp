//===- AdoptDevice.cpp - the runtime on an application's Vulkan objects -----===//
#include "runtime/drivers/vulkan/AdoptDevice.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <set>

namespace pumice::vulkan {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

std::string versionText(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version));
}

Status checkInstance(const LentInstance &from) {
  if (!from.instance)
    return invalid("instance is VK_NULL_HANDLE");
  if (!from.physical)
    return invalid("physical_device is VK_NULL_HANDLE");
  if (from.version < VK_API_VERSION_1_1)
    return Status(StatusCode::Unsupported,
                  "api_version is " + versionText(from.version) +
                      "; Vulkan 1.1 or newer is needed: make the VkInstance with "
                      "VkApplicationInfo::apiVersion = VK_API_VERSION_1_1 or more, and pass it on");
  return Status::ok();
}

struct Lender {
  Ref<Instance> instance;
  DeviceFacts facts;
};

Result<Lender> readLender(const LentInstance &from) {
  PUMICE_RETURN_IF_ERROR(checkInstance(from));
  PUMICE_TRY(Ref<Instance> instance,
             Instance::adopt(from.instance, from.version, from.getProcAddr));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  if (std::ranges::find(devices, from.physical) == devices.end())
    return invalid("physical_device is not one of the " + counted(devices.size(), "device") +
                   " of this instance");
  PUMICE_TRY(DeviceFacts facts, readFacts(*instance, from.physical));
  return Lender{std::move(instance), std::move(facts)};
}

/// Checks that the device was created with the queue, and that the queue supports compute.
Status checkQueue(const LentDevice &lent, const DeviceFacts &facts) {
  uint32_t family = lent.queueFamily, made = 0;
  if (family >= facts.queueFamilies.size())
    return invalid("queue_family is " + std::to_string(family) + "; the device has " +
                   std::to_string(facts.queueFamilies.size()) + " of them");
  if (!(facts.queueFamilies[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    return invalid("queues of family " + std::to_string(family) +
                   " do not compute: choose a family with VK_QUEUE_COMPUTE_BIT");
  for (uint32_t i = 0; i < lent.create->queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo &queues = lent.create->pQueueCreateInfos[i];
    if (queues.queueFamilyIndex == family && queues.flags == 0)
      made = queues.queueCount;
  }
  if (lent.queueIndex >= made)
    return invalid("the device was made with " + counted(made, "queue") + " of family " +
                   std::to_string(family) + "; there is no index " +
                   std::to_string(lent.queueIndex));
  return Status::ok();
}

std::vector<uint32_t> familiesOf(const VkDeviceCreateInfo &create) {
  std::set<uint32_t> families;
  for (uint32_t i = 0; i < create.queueCreateInfoCount; ++i)
    families.insert(create.pQueueCreateInfos[i].queueFamilyIndex);
  return {families.begin(), families.end()};
}

/// The queues that applications have lent. Each queue may be lent only once, because two devices of
/// the runtime would not synchronize their use of it.
struct QueuesInUse {
  std::mutex mutex;
  std::set<VkQueue> queues;
};
QueuesInUse &queuesInUse() {
  // The object is never destroyed, because devices may be destroyed while the process exits.
  static auto *all = new QueuesInUse;
  return *all;
}

Status takeQueue(VkQueue queue) {
  std::lock_guard lock(queuesInUse().mutex);
  if (!queuesInUse().queues.insert(queue).second)
    return invalid("the queue is in use already: use the pumice_device that was made on it");
  return Status::ok();
}

void giveBackQueue(VkQueue queue) {
  std::lock_guard lock(queuesInUse().mutex);
  queuesInUse().queues.erase(queue);
}

} // namespace

Result<Wishes> wishesFor(const LentInstance &from, void *own) {
  PUMICE_TRY(Lender lender, readLender(from));
  PUMICE_TRY(DevicePlan plan, planDevice(lender.facts, 1));
  return wishesOf(plan, own);
}

Result<Ref<hal::Device>> adoptDevice(LentDevice lent) {
  PUMICE_RETURN_IF_ERROR(checkInstance(lent.from));
  if (!lent.device)
    return invalid("device is VK_NULL_HANDLE");
  if (!lent.create || lent.create->sType != VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO)
    return invalid("create_info must be the VkDeviceCreateInfo that the device was made with");
  if (!lent.lock.lock != !lent.lock.unlock)
    return invalid("lock_queue and unlock_queue must both be set, or both be NULL");
  PUMICE_TRY(Lender lender, readLender(lent.from));
  PUMICE_RETURN_IF_ERROR(checkQueue(lent, lender.facts));
  EnabledParts enabled = enabledBy(*lent.create);
  DeviceFacts facts = restrictFacts(std::move(lender.facts), enabled, lent.queueFamily);
  if (!facts.has("timelineSemaphore"))
    return Status(StatusCode::Unsupported,
                  std::string(facts.properties.deviceName) +
                      ": the VkDevice was made without the feature timelineSemaphore, which orders "
                      "work; enable the features that "
                      "pumice_vulkan_wishes_create lists");
  PUMICE_TRY(DevicePlan plan, planDevice(facts, 1, facts.has("robustBufferAccess")));
  PUMICE_TRY(DeviceOptions options, optionsFor(facts));
  options.queueLock = lent.lock;
  options.families = familiesOf(*lent.create);
  hal::DeviceInfo info = describe(facts);
  static std::atomic<uint64_t> adopted = 0;
  info.id = "vulkan:application" + std::to_string(adopted++);

  LogicalDevice logical = LogicalDevice::adopt(std::move(lender.instance), facts.handle,
                                               lent.device, lent.queueFamily, lent.queueIndex);
  if (const char *missing = missingFunction(*logical.vk, plan))
    return Status(StatusCode::Unsupported,
                  std::string("the VkDevice does not offer ") + missing +
                      ": api_version and create_info must be those that it was made with");
  VkQueue queue = logical.queues[0];
  PUMICE_RETURN_IF_ERROR(takeQueue(queue));
  logical.whenReleased([queue, released = std::move(lent.released)] {
    giveBackQueue(queue);
    if (released)
      released();
  });
  return Ref<hal::Device>(
      makeRef<VulkanDevice>(std::move(logical), facts, plan, std::move(info), options));
}

Result<VulkanDevice *> asVulkan(hal::Device &device) {
  if (auto *vulkan = dynamic_cast<VulkanDevice *>(&device))
    return vulkan;
  return Status(StatusCode::Unsupported,
                device.info().id + " is not a Vulkan device: it has no Vulkan objects to share");
}

} // namespace pumice::vulkan
