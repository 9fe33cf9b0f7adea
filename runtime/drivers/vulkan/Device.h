//===- Device.h - an open Vulkan device -------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/BufferUses.h"
#include "runtime/drivers/vulkan/CodeGate.h"
#include "runtime/drivers/vulkan/DeviceOptions.h"
#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/drivers/vulkan/MemoryPool.h"
#include "runtime/drivers/vulkan/PipelineCache.h"
#include "runtime/drivers/vulkan/Scheduler.h"
#include "runtime/drivers/vulkan/Starter.h"
#include "runtime/drivers/vulkan/TimestampClock.h"
#include "runtime/drivers/vulkan/Unfinished.h"
#include "runtime/hal/Device.h"
#include "support/ForkSafety.h"

#include <atomic>

namespace pumice::vulkan {

class VulkanDevice final : public hal::Device, private ForkAware {
public:
  VulkanDevice(LogicalDevice logical, const DeviceFacts &facts, DevicePlan plan,
               hal::DeviceInfo info, DeviceOptions options);

  const VolkDeviceTable &vk() const { return *logical.vk; }
  VkDevice handle() const { return logical.handle; }

  VkPhysicalDevice physical() const { return logical.physical; }
  const Instance &instance() const { return *logical.instance; }

  /// Locks a VkQueue during its use.
  class QueueHold {
  public:
    explicit QueueHold(const QueueLock &with) : with(with) {
      if (with.lock) [[unlikely]]
        with.lock(with.user);
    }
    ~QueueHold() {
      if (with.unlock) [[unlikely]]
        with.unlock(with.user);
    }
    QueueHold(const QueueHold &) = delete;
    QueueHold &operator=(const QueueHold &) = delete;

  private:
    const QueueLock &with;
  };
  [[nodiscard]] QueueHold holdQueue() const { return QueueHold(options.queueLock); }

  /// Returns ok for VK_SUCCESS, and otherwise a failure that names `call`. VK_ERROR_DEVICE_LOST
  /// marks the device as lost.
  Status check(VkResult result, const char *call);
  Status check(Status status);

  /// Returns whether, for longer than the option `timeout_ms` allows, no work of the device has
  /// ended.
  bool isOverdue();
  /// Marks the device as lost if it is overdue. From then on, its functions are never called, and
  /// objects that its work uses stay alive.
  Status checkTime();
  /// Returns how long a wait may sleep before it checks whether the device is lost.
  std::chrono::milliseconds lookEvery() const;

private:
  ~VulkanDevice() override;
  // In a child of a fork, the device is lost, because its threads and queues belong to the parent.
  void beforeFork() override {}
  void afterForkInParent() override {}
  void afterForkInChild() override;
  Result<Ref<hal::Buffer>> allocateImpl(uint64_t bytes, hal::MemoryKind kind) override;
  Result<Ref<hal::Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<hal::Kernel>> createKernelImpl(const hal::KernelSource &source) override;
  Result<Ref<hal::Queue>> createQueueImpl(const hal::QueueOptions &options) override;
  Result<Ref<hal::Timeline>> createTimelineImpl(uint64_t initial) override;
  Status setOptionImpl(std::string_view name, int64_t value) override;
  Status loseFor(Status reason);

  LogicalDevice logical;

public:
  const DevicePlan plan;
  const DeviceOptions options;
  const VkPhysicalDeviceLimits limits;
  const uint32_t timestampBits; // valid bits of time stamps; 0: not supported
  TimestampClock clock;
  const CodeGate gate;
  MemoryPool memory;
  PipelineCache pipelines;
  Scheduler scheduler;
  Starter starter;
  BufferUses uses;
  Unfinished unfinished;
  /// Destroys the semaphore after the device has finished all work that ever waited for it. Even
  /// then, Mesa's software drivers may access the semaphore.
  void retireSemaphore(VkSemaphore semaphore);

  /// The total size of slack around buffers (Slack.h).
  std::atomic<uint64_t> slackHeld = 0;

  /// The number of recorded or running pieces of work that may access memory that they do not name.
  std::atomic<uint32_t> unnamedWork = 0;

private:
  bool hasManyRetired();
  void destroyRetired();

  std::atomic<std::chrono::milliseconds> timeout; // 0: no time limit
  std::mutex faultMutex;                          // held while the reason for a loss is determined
  std::atomic<uint32_t> queuesMade = 0;
  std::mutex retiredMutex;
  std::vector<VkSemaphore> retired;
};

/// Returns the number of VkQueues to open a device with: PUMICE_VULKAN_QUEUES, or else
/// `usualQueues`. Errors: InvalidArgument.
Result<uint32_t> queuesWanted();

/// Reads the options from the environment. Their defaults depend on the kind of device. Errors:
/// InvalidArgument, which names the variable.
Result<DeviceOptions> optionsFor(const DeviceFacts &facts);

/// Opens the device that `facts` describe. `info` is its description for the runtime.
Result<Ref<hal::Device>> openDevice(Ref<Instance> instance, DeviceFacts facts,
                                    hal::DeviceInfo info);

/// Opens a device like `openDevice`, but with a plan and options that a test chose.
Result<Ref<VulkanDevice>> openPlanned(Ref<Instance> instance, const DeviceFacts &facts,
                                      const DevicePlan &plan, hal::DeviceInfo info,
                                      const DeviceOptions &options);

} // namespace pumice::vulkan
