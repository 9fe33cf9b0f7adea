//===- Device.cpp - an open Vulkan device -----------------------------------===//
#include "runtime/drivers/vulkan/Device.h"

#include "runtime/drivers/vulkan/DeviceFault.h"
#include "runtime/drivers/vulkan/DeviceFunctions.h"
#include "runtime/drivers/vulkan/Queue.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace pumice::vulkan {
namespace {

uint32_t timestampBitsOf(const DeviceFacts &facts, const DevicePlan &plan) {
  if (!plan.timestamps || plan.queueFamily >= facts.queueFamilies.size())
    return 0;
  return facts.queueFamilies[plan.queueFamily].timestampValidBits;
}

Result<bool> isSet(const char *variable) {
  const char *text = std::getenv(variable);
  std::string_view value = text ? text : "";
  if (value != "" && value != "0" && value != "1")
    return Status(StatusCode::InvalidArgument,
                  std::string(variable) + " is '" + std::string(value) + "'; expected 0 or 1");
  return value == "1";
}

} // namespace

VulkanDevice::VulkanDevice(LogicalDevice opened, const DeviceFacts &facts, DevicePlan plan,
                           hal::DeviceInfo info, DeviceOptions options)
    : hal::Device(std::move(info)), logical(std::move(opened)), plan(std::move(plan)),
      options(options), limits(facts.properties.limits),
      timestampBits(timestampBitsOf(facts, this->plan)),
      clock(timestampBits, static_cast<double>(limits.timestampPeriod)), gate(facts.driver),
      memory(logical.vk, {.device = logical.handle,
                          .memory = facts.memory,
                          .maxAllocations = facts.properties.limits.maxMemoryAllocationCount,
                          .bufferAddresses = this->plan.bufferAddresses}),
      pipelines(logical.vk, logical.handle, facts, options.cache ? &*options.cache : nullptr),
      timeout(options.timeout) {
  startWatching();
}

VulkanDevice::~VulkanDevice() {
  stopWatching();
  destroyRetired();
}

void VulkanDevice::afterForkInChild() {
  logical.vk.cutOff();
  starter.abandon();
  loseInChild(Status(StatusCode::DeviceLost,
                     std::string("the device was opened before this process was forked off; ") +
                         aroundFork));
}

void VulkanDevice::retireSemaphore(VkSemaphore semaphore) {
  if (!semaphore)
    return;
  std::lock_guard lock(retiredMutex);
  retired.push_back(semaphore);
}

void VulkanDevice::destroyRetired() {
  std::scoped_lock lock(scheduler.mutex, retiredMutex);
  if (retired.empty())
    return;
  // The work that signals the semaphores is done. So they can be destroyed, even if this wait
  // fails.
  if (logical.isOwned()) {
    (void)PUMICE_VK(vk()., vkDeviceWaitIdle, handle());
  } else { // other queues of the application may still be running
    QueueHold hold = holdQueue();
    PUMICE_VK_ALWAYS(vk()., vkQueueWaitIdle, logical.queues[0]);
  }
  for (VkSemaphore semaphore : retired)
    vk().vkDestroySemaphore(handle(), semaphore, nullptr);
  retired.clear();
}

bool VulkanDevice::hasManyRetired() {
  std::lock_guard lock(retiredMutex);
  return retired.size() >= 256;
}

Status VulkanDevice::check(Status status) {
  if (status.code() != StatusCode::DeviceLost)
    return status;
  // One thread asks the driver for the reason, and marks the device as lost. Other threads wait for
  // it.
  std::lock_guard lock(faultMutex);
  if (Status loss = health(); !loss.isOk())
    return loss;
  LossContext context = unfinished.context();
  std::string fault = plan.deviceFault ? describeFault(vk(), handle(), context) : std::string();
  for (const std::string &why : {fault, unfinishedText(fault, context)})
    if (!why.empty())
      status = Status(StatusCode::DeviceLost, status.message() + ": " + why);
  return loseFor(std::move(status));
}

Status VulkanDevice::loseFor(Status reason) {
  Status loss = markLost(std::move(reason));
  scheduler.changed.notify_all();
  return loss;
}

std::chrono::milliseconds VulkanDevice::lookEvery() const {
  std::chrono::milliseconds limit = timeout;
  if (limit.count() == 0)
    return options.lossCheck;
  return std::min(options.lossCheck, std::max(limit / 8, std::chrono::milliseconds(1)));
}

bool VulkanDevice::isOverdue() {
  std::chrono::milliseconds limit = timeout;
  return limit.count() != 0 && unfinished.standstill() > limit;
}

Status VulkanDevice::checkTime() {
  if (!isOverdue())
    return Status::ok();
  std::lock_guard lock(faultMutex);
  if (Status loss = health(); !loss.isOk())
    return loss;
  LossContext context = unfinished.context();
  context.oldest = {}; // not a time-out, because the driver did not reset the device
  std::string kernels = unfinishedText("", context);
  logical.abandon();
  return loseFor(Status(
      StatusCode::DeviceLost,
      "none of its work finished for " + std::to_string(timeout.load().count()) +
          " ms (PUMICE_VULKAN_TIMEOUT_MS, or the option timeout_ms): " +
          (kernels.empty() ? std::string("a copy was not done") : kernels) +
          "; an access far outside a buffer, or an endless loop, may be the cause; its memory "
          "stays allocated until the process ends"));
}

Status VulkanDevice::check(VkResult result, const char *call) {
  return result == VK_SUCCESS ? Status::ok() : check(toStatus(result, call));
}

Result<Ref<hal::Buffer>> VulkanDevice::allocateImpl(uint64_t bytes, hal::MemoryKind kind) {
  MemoryUse use = kind == hal::MemoryKind::Device ? MemoryUse::Device : MemoryUse::Host;
  PUMICE_TRY(Ref<VulkanBuffer> buffer, VulkanBuffer::create(*this, bytes, kind, use));
  return Ref<hal::Buffer>(std::move(buffer));
}

Result<Ref<hal::Buffer>> VulkanDevice::importHostImpl(void *memory, uint64_t bytes) {
  if (!plan.hostImport)
    return Status(StatusCode::Unsupported,
                  info().id + " lacks VK_EXT_external_memory_host: allocate and upload");
  if (bytes > info().limits.maxBufferBytes)
    return Status(StatusCode::ResourceExhausted,
                  "host memory of " + counted(bytes, "byte") + " is too large; the limit of " +
                      info().id + " is " + std::to_string(info().limits.maxBufferBytes) +
                      " at once: import it in parts");
  PUMICE_TRY(Ref<VulkanBuffer> buffer, VulkanBuffer::importHost(*this, memory, bytes));
  return Ref<hal::Buffer>(std::move(buffer));
}

Result<Ref<hal::Kernel>> VulkanDevice::createKernelImpl(const hal::KernelSource &source) {
  if (source.robustAccess && !plan.robustBufferAccess)
    return Status(StatusCode::Unsupported,
                  "robust access was requested, but " + info().id +
                      " was opened without it: set PUMICE_VULKAN_ROBUST=1, which enables it for "
                      "everything that runs on the device");
  PUMICE_TRY(Ref<VulkanKernel> kernel, VulkanKernel::create(*this, source));
  return Ref<hal::Kernel>(std::move(kernel));
}

Result<Ref<hal::Queue>> VulkanDevice::createQueueImpl(const hal::QueueOptions &options) {
  if (hasManyRetired())
    destroyRetired();
  // Without semaphores, streams are kept in order only if they share one VkQueue.
  size_t slot = plan.timelineSemaphores ? queuesMade.fetch_add(1) % logical.queues.size() : 0;
  PUMICE_TRY(Ref<VulkanQueue> queue, VulkanQueue::create(*this, logical.queues[slot], options));
  return Ref<hal::Queue>(std::move(queue));
}

Result<Ref<hal::Timeline>> VulkanDevice::createTimelineImpl(uint64_t initial) {
  return Ref<hal::Timeline>(makeRef<VulkanTimeline>(*this, initial));
}

Status VulkanDevice::setOptionImpl(std::string_view name, int64_t value) {
  if (name != "timeout_ms")
    return Status(StatusCode::NotFound,
                  info().id + " has no option '" + std::string(name) + "'; it has timeout_ms");
  if (value < 0 || value > UINT32_MAX)
    return Status(StatusCode::InvalidArgument, "timeout_ms cannot be " + std::to_string(value) +
                                                   "; expected 0 to " + std::to_string(UINT32_MAX));
  timeout = std::chrono::milliseconds(value);
  return Status::ok();
}

namespace {

/// Returns the number in an environment variable, or `usual` if the variable is not set. Errors:
/// InvalidArgument.
Result<uint32_t> numberFrom(const char *variable, uint32_t usual, uint32_t least, uint32_t most) {
  const char *text = std::getenv(variable);
  std::string_view value = text ? text : "";
  if (value.empty())
    return usual;
  uint32_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
    return Status(StatusCode::InvalidArgument,
                  std::string(variable) + " is '" + std::string(value) +
                      "'; expected a number from " + std::to_string(least) + " to " +
                      std::to_string(most));
  return number;
}

} // namespace

Result<uint32_t> queuesWanted() { return numberFrom("PUMICE_VULKAN_QUEUES", usualQueues, 1, 16); }

Result<Ref<VulkanDevice>> openPlanned(Ref<Instance> instance, const DeviceFacts &facts,
                                      const DevicePlan &plan, hal::DeviceInfo info,
                                      const DeviceOptions &options) {
  PUMICE_TRY(LogicalDevice logical, LogicalDevice::create(std::move(instance), facts, plan));
  if (const char *missing = missingFunction(*logical.vk, plan))
    return Status(StatusCode::Unsupported, std::string("the driver lists the device, but lacks ") +
                                               missing + ", so it cannot run kernels");
  return makeRef<VulkanDevice>(std::move(logical), facts, plan, std::move(info), options);
}

Result<DeviceOptions> optionsFor(const DeviceFacts &facts) {
  DeviceOptions options;
  // Without a cache, everything works, but more slowly.
  PUMICE_TRY(options.cache, DiskCache::openIfAny());
  PUMICE_TRY(uint32_t timeout, numberFrom("PUMICE_VULKAN_TIMEOUT_MS", 0, 0, UINT32_MAX));
  options.timeout = std::chrono::milliseconds(timeout);
  // On a CPU, polling takes time from the threads that do the work.
  if (facts.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
    options.pollBeforeSleep = std::chrono::microseconds(2);
    options.napBeforeSleep = {};
  }
  return options;
}

Result<Ref<hal::Device>> openDevice(Ref<Instance> instance, DeviceFacts facts,
                                    hal::DeviceInfo info) {
  PUMICE_TRY(uint32_t queues, queuesWanted());
  PUMICE_TRY(bool robust, isSet("PUMICE_VULKAN_ROBUST"));
  PUMICE_TRY(DevicePlan plan, planDevice(facts, queues, robust));
  // With this variable, tests use the fallback on devices that have timeline semaphores.
  PUMICE_TRY(bool withoutTimelines, isSet("PUMICE_VULKAN_NO_TIMELINE"));
  if (withoutTimelines)
    plan.timelineSemaphores = false;
  PUMICE_TRY(DeviceOptions options, optionsFor(facts));
  PUMICE_TRY(Ref<VulkanDevice> device,
             openPlanned(std::move(instance), facts, plan, std::move(info), options));
  return Ref<hal::Device>(std::move(device));
}

} // namespace pumice::vulkan
