//===- Timeline.cpp - points that batches reach -----------------------------===//
#include "runtime/drivers/vulkan/Timeline.h"

#include "runtime/drivers/vulkan/Call.h"

#include <algorithm>

namespace pumice::vulkan {

VulkanTimeline::VulkanTimeline(VulkanDevice &device, uint64_t initial)
    : hal::Timeline(Ref<hal::Device>(&device)), owner(device), value(initial) {}

VulkanTimeline::~VulkanTimeline() {
  if (ownsSemaphore)
    owner.retireSemaphore(shared);
}

Result<Ref<VulkanTimeline>> VulkanTimeline::createShared(VulkanDevice &device, uint64_t initial) {
  if (!device.plan.timelineSemaphores)
    return Status(StatusCode::Unsupported, device.info().id + " lacks timelineSemaphore");
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = initial;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  auto timeline = makeRef<VulkanTimeline>(device, initial);
  PUMICE_RETURN_IF_ERROR(device.check(PUMICE_VK(device.vk()., vkCreateSemaphore, device.handle(),
                                                &info, nullptr, &timeline->shared),
                                      "vkCreateSemaphore"));
  timeline->ownsSemaphore = true;
  return timeline;
}

Result<Ref<VulkanTimeline>> VulkanTimeline::adopt(VulkanDevice &device, VkSemaphore semaphore) {
  if (!device.plan.timelineSemaphores)
    return Status(StatusCode::Unsupported, device.info().id + " lacks timelineSemaphore");
  auto timeline = makeRef<VulkanTimeline>(device, 0);
  timeline->shared = semaphore;
  PUMICE_RETURN_IF_ERROR(timeline->refresh());
  return timeline;
}

Status VulkanTimeline::refresh() const {
  uint64_t counter = 0;
  PUMICE_RETURN_IF_ERROR(owner.check(
      PUMICE_VK(owner.vk()., vkGetSemaphoreCounterValue, owner.handle(), shared, &counter),
      "vkGetSemaphoreCounterValue"));
  value = std::max(value, counter);
  return Status::ok();
}

bool VulkanTimeline::Promise::reaches(uint64_t wanted, const WaitingBatch &waiter) const {
  return value >= wanted && (stream.get() != waiter.stream || sequence < waiter.sequence);
}

VulkanTimeline::Standing VulkanTimeline::standing(uint64_t wanted,
                                                  const WaitingBatch &waiter) const {
  Standing standing;
  // A wait for a point is a wait for the work that signals it. If that work failed, the wait fails,
  // even if a later point is reached.
  bool failed = wanted <= failedValue && wanted > failedAbove;
  if (shared && value < wanted && !failed)
    standing.failure = refresh();
  standing.reached = value >= wanted && !(shared && failed);
  if (standing.reached || !standing.failure.isOk())
    return standing;
  if (wanted <= failedValue) {
    standing.failure = failure;
    return standing;
  }
  const Promise *best = nullptr;
  for (const Promise &promise : promises) {
    if (!promise.reaches(wanted, waiter))
      continue;
    bool submitted = promise.stream->isSubmitted(promise.sequence);
    if (best && (standing.submitted > submitted ||
                 (standing.submitted == submitted && best->value <= promise.value)))
      continue;
    best = &promise;
    standing.submitted = submitted;
  }
  if (!best) {
    standing.external = shared != VK_NULL_HANDLE;
    if (!standing.external)
      standing.failure = failure;
    return standing;
  }
  standing.stream = best->stream;
  standing.sequence = best->sequence;
  return standing;
}

void VulkanTimeline::findSignalers(uint64_t wanted, const WaitingBatch &waiter,
                                   std::vector<Ref<Stream>> &found) const {
  for (const Promise &promise : promises)
    if (promise.reaches(wanted, waiter) && (found.empty() || found.back() != promise.stream))
      found.push_back(promise.stream);
}

void VulkanTimeline::promise(Ref<Stream> stream, uint64_t sequence, uint64_t promised) {
  promises.push_back({std::move(stream), sequence, promised});
}

Status VulkanTimeline::reserve(uint64_t wanted) {
  PUMICE_RETURN_IF_ERROR(refresh());
  uint64_t most = std::max(value, reserved);
  if (wanted <= most)
    return Status(StatusCode::InvalidArgument,
                  "the timeline is at " + std::to_string(value) +
                      ", and submitted work signals up to " + std::to_string(most) +
                      "; the value to signal must be larger, got " + std::to_string(wanted));
  reserved = wanted;
  return Status::ok();
}

void VulkanTimeline::signalInstead(uint64_t promised) {
  if (!owner.health().isOk() || !refresh().isOk() || promised <= value ||
      promised <= submittedValue)
    return;
  VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = shared;
  info.value = promised;
  PUMICE_VK_ALWAYS(owner.vk()., vkSignalSemaphore, owner.handle(), &info);
}

void VulkanTimeline::settle(const Stream &stream, uint64_t sequence, uint64_t promised,
                            const Status &status) {
  std::erase_if(promises, [&](const Promise &promise) {
    return promise.stream.get() == &stream && promise.sequence == sequence &&
           promise.value == promised;
  });
  if (status.isOk()) {
    value = std::max(value, promised);
    return;
  }
  if (failure.isOk()) {
    failure = status;
    failedAbove = value;
  }
  if (shared)
    signalInstead(promised);
  failedValue = std::max(failedValue, promised);
}

void VulkanTimeline::addWaiter(Ref<Stream> stream) {
  if (std::ranges::find(waiters, stream) == waiters.end())
    waiters.push_back(std::move(stream));
}

std::vector<Ref<Stream>> VulkanTimeline::takeWaiters() { return std::exchange(waiters, {}); }

Result<uint64_t> VulkanTimeline::valueImpl() {
  std::vector<Ref<Stream>> streams;
  {
    std::lock_guard lock(owner.scheduler.mutex);
    for (const Promise &promise : promises)
      streams.push_back(promise.stream);
  }
  for (const Ref<Stream> &stream : streams)
    PUMICE_RETURN_IF_ERROR(stream->retire());
  std::lock_guard lock(owner.scheduler.mutex);
  if (shared)
    PUMICE_RETURN_IF_ERROR(refresh());
  return value;
}

Status VulkanTimeline::waitImpl(uint64_t wanted, hal::Timeout timeout) {
  Deadline deadline = Deadline::after(timeout);
  for (;;) {
    std::unique_lock lock(owner.scheduler.mutex);
    Standing now = standing(wanted);
    if (now.stream && !now.submitted) {
      std::vector<Ref<Stream>> signalers;
      findSignalers(wanted, {}, signalers);
      owner.scheduler.pump(std::move(signalers));
      now = standing(wanted);
    }
    if (now.reached)
      return Status::ok();
    if (!now.stream && !now.failure.isOk())
      return std::move(now.failure).at("timeline value " + std::to_string(wanted));
    if (now.stream) {
      lock.unlock();
      // If that batch has not been submitted, another batch may reach the point first. So this
      // checks again soon.
      Status status = now.stream->waitFor(now.sequence, now.submitted ? deadline : deadline.soon());
      lock.lock();
      now.stream = nullptr;
      bool tooEarly = status.code() == StatusCode::DeadlineExceeded && !deadline.passed();
      if (!status.isOk() && !tooEarly && !standing(wanted).reached)
        return std::move(status).at("timeline value " + std::to_string(wanted));
      continue;
    }
    if (deadline.passed())
      return Status(StatusCode::DeadlineExceeded,
                    "timeline value " + std::to_string(wanted) +
                        " was not reached: the timeline is at " + std::to_string(value) +
                        ", and no submitted work signals a higher value");
    PUMICE_RETURN_IF_ERROR(owner.health());
    if (now.external) {
      lock.unlock();
      PUMICE_RETURN_IF_ERROR(sleepOnSemaphore(wanted, deadline.soon()));
      continue;
    }
    owner.scheduler.changed.wait_until(lock, deadline.soon().at);
  }
}

Status VulkanTimeline::sleepOnSemaphore(uint64_t wanted, const Deadline &deadline) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &shared;
  info.pValues = &wanted;
  VkResult result =
      PUMICE_VK(owner.vk()., vkWaitSemaphores, owner.handle(), &info, deadline.nanosecondsLeft());
  return result == VK_TIMEOUT ? Status::ok() : owner.check(result, "vkWaitSemaphores");
}

Status VulkanTimeline::signalImpl(uint64_t signaled) {
  std::lock_guard lock(owner.scheduler.mutex);
  if (shared) {
    PUMICE_RETURN_IF_ERROR(reserve(signaled));
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = shared;
    info.value = signaled;
    PUMICE_RETURN_IF_ERROR(owner.check(
        PUMICE_VK(owner.vk()., vkSignalSemaphore, owner.handle(), &info), "vkSignalSemaphore"));
    noteSubmitted(signaled);
  }
  value = std::max(value, signaled);
  owner.scheduler.pump(takeWaiters());
  return Status::ok();
}

} // namespace pumice::vulkan
