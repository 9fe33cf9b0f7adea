//===- Timeline.cpp - points that batches reach -----------------------------===//
#include "runtime/drivers/vulkan/Timeline.h"

#include <algorithm>

namespace pumice::vulkan {

VulkanTimeline::VulkanTimeline(VulkanDevice &device, uint64_t initial)
    : hal::Timeline(Ref<hal::Device>(&device)), owner(device), value(initial) {}

VulkanTimeline::Standing VulkanTimeline::standing(uint64_t wanted) const {
  Standing standing;
  standing.reached = value >= wanted;
  if (standing.reached)
    return standing;
  // Who waits for a point means the work before it: a later point does not stand in for that.
  if (wanted <= failedValue) {
    standing.failure = failure;
    return standing;
  }
  for (const Promise &promise : promises)
    if (promise.value >= wanted) {
      standing.stream = promise.stream;
      standing.sequence = promise.sequence;
      return standing;
    }
  standing.failure = failure;
  return standing;
}

void VulkanTimeline::promise(Ref<Stream> stream, uint64_t sequence, uint64_t promised) {
  promises.push_back({std::move(stream), sequence, promised});
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
  if (failure.isOk())
    failure = status;
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
  return value;
}

Status VulkanTimeline::waitImpl(uint64_t wanted, hal::Timeout timeout) {
  Deadline deadline = Deadline::after(timeout);
  for (;;) {
    std::unique_lock lock(owner.scheduler.mutex);
    Standing now = standing(wanted);
    if (now.reached)
      return Status::ok();
    if (!now.stream && !now.failure.isOk())
      return std::move(now.failure).at("timeline value " + std::to_string(wanted));
    if (now.stream) {
      lock.unlock();
      Status status = now.stream->waitFor(now.sequence, deadline);
      lock.lock();
      now.stream = nullptr;
      if (!status.isOk() && !standing(wanted).reached)
        return std::move(status).at("timeline value " + std::to_string(wanted));
      continue;
    }
    if (deadline.passed())
      return Status(StatusCode::DeadlineExceeded,
                    "timeline value " + std::to_string(wanted) + ": the timeline is at " +
                        std::to_string(value) + ", and no work signals more");
    PUMICE_RETURN_IF_ERROR(owner.health());
    owner.scheduler.changed.wait_until(lock, deadline.orSoon());
  }
}

Status VulkanTimeline::signalImpl(uint64_t signaled) {
  std::lock_guard lock(owner.scheduler.mutex);
  value = std::max(value, signaled);
  owner.scheduler.pump(takeWaiters());
  return Status::ok();
}

} // namespace pumice::vulkan
