//===- Progress.cpp - the progress of a stream's batches --------------------===//
#include "runtime/drivers/vulkan/Progress.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Device.h"

#include <algorithm>
#include <thread>

namespace pumice::vulkan {

Progress::~Progress() {
  device.retireSemaphore(timeline);
  for (const Pending &one : pending)
    free.push_back(one.fence);
  for (VkFence fence : free)
    device.vk().vkDestroyFence(device.handle(), fence, nullptr);
}

Status Progress::start() {
  if (!device.plan.timelineSemaphores)
    return Status::ok();
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  return device.check(
      PUMICE_VK(device.vk()., vkCreateSemaphore, device.handle(), &info, nullptr, &timeline),
      "vkCreateSemaphore");
}

Result<VkFence> Progress::takeFence() {
  if (timeline)
    return VkFence(VK_NULL_HANDLE);
  std::lock_guard lock(mutex);
  VkFence fence = VK_NULL_HANDLE;
  if (free.empty()) {
    VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    PUMICE_RETURN_IF_ERROR(device.check(
        PUMICE_VK(device.vk()., vkCreateFence, device.handle(), &info, nullptr, &fence),
        "vkCreateFence"));
    return fence;
  }
  fence = free.back();
  PUMICE_RETURN_IF_ERROR(device.check(
      PUMICE_VK(device.vk()., vkResetFences, device.handle(), 1, &fence), "vkResetFences"));
  free.pop_back();
  return fence;
}

void Progress::submitted(uint64_t sequence, VkFence fence) {
  if (timeline)
    return;
  std::lock_guard lock(mutex);
  pending.push_back({sequence, fence, 0});
}

void Progress::notSubmitted(VkFence fence) {
  if (timeline)
    return;
  std::lock_guard lock(mutex);
  free.push_back(fence);
}

Result<uint64_t> Progress::completed() {
  if (!timeline)
    return completedFences();
  uint64_t value = 0;
  PUMICE_RETURN_IF_ERROR(device.check(
      PUMICE_VK(device.vk()., vkGetSemaphoreCounterValue, device.handle(), timeline, &value),
      "vkGetSemaphoreCounterValue"));
  return value;
}

void Progress::recycleFences() {
  while (!pending.empty() && pending.front().sequence <= done && pending.front().waiters == 0) {
    free.push_back(pending.front().fence);
    pending.pop_front();
  }
}

Result<uint64_t> Progress::completedFences() {
  std::lock_guard lock(mutex);
  for (const Pending &one : pending) {
    if (one.sequence <= done)
      continue;
    VkResult result = PUMICE_VK(device.vk()., vkGetFenceStatus, device.handle(), one.fence);
    if (result == VK_NOT_READY)
      break;
    PUMICE_RETURN_IF_ERROR(device.check(result, "vkGetFenceStatus"));
    done = one.sequence;
  }
  recycleFences();
  return done;
}

Status Progress::wait(uint64_t sequence, const Deadline &deadline) {
  using Clock = Deadline::Clock;
  constexpr int napShare = 32; // the largest nap, as a fraction of the time waited
  const Clock::time_point begin = Clock::now();
  const Clock::time_point pollUntil = begin + device.options.pollBeforeSleep;
  const Clock::time_point napUntil = pollUntil + device.options.napBeforeSleep;
  for (Clock::time_point now = begin;;) {
    PUMICE_TRY(uint64_t reached, completed());
    if (reached >= sequence)
      return Status::ok();
    PUMICE_RETURN_IF_ERROR(deadline.check());
    now = Clock::now();
    if (now >= napUntil)
      break;
    if (now >= pollUntil)
      std::this_thread::sleep_until(std::min(deadline.at, now + (now - begin) / napShare));
  }
  return timeline ? sleep(sequence, deadline) : sleepOnFence(sequence, deadline);
}

Status Progress::sleep(uint64_t sequence, const Deadline &deadline) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &sequence;
  VkResult result =
      PUMICE_VK(device.vk()., vkWaitSemaphores, device.handle(), &info, deadline.nanosecondsLeft());
  if (result == VK_TIMEOUT)
    return Status(StatusCode::DeadlineExceeded, "the work is not done yet");
  return device.check(result, "vkWaitSemaphores");
}

Status Progress::sleepOnFence(uint64_t sequence, const Deadline &deadline) {
  std::unique_lock lock(mutex);
  auto found =
      std::ranges::find_if(pending, [&](const Pending &one) { return one.sequence >= sequence; });
  if (found == pending.end() || sequence <= done)
    return Status::ok(); // another thread has noticed the end of the batch
  // The reference stays valid while other threads add or remove elements at the ends of the deque.
  Pending &one = *found;
  ++one.waiters;
  lock.unlock();
  VkResult result = PUMICE_VK(device.vk()., vkWaitForFences, device.handle(), 1, &one.fence,
                              VK_TRUE, deadline.nanosecondsLeft());
  lock.lock();
  --one.waiters;
  if (result == VK_SUCCESS)
    done = std::max(done, one.sequence);
  recycleFences();
  if (result == VK_TIMEOUT)
    return Status(StatusCode::DeadlineExceeded, "the work is not done yet");
  return device.check(result, "vkWaitForFences");
}

} // namespace pumice::vulkan
