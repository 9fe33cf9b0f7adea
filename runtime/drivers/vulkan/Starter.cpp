//===- Starter.cpp - submits work that was left for later -------------------===//
#include "runtime/drivers/vulkan/Starter.h"

#include "runtime/drivers/vulkan/Queue.h"

#include <algorithm>
#include <chrono>

namespace pumice::vulkan {

Starter::~Starter() {
  if (isAbandoned) {
    if (thread)
      thread->detach();
    return;
  }
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (thread)
    thread->join();
}

bool Starter::watch(VulkanQueue &queue) {
  if (isAbandoned)
    return false;
  std::lock_guard lock(mutex);
  if (!thread)
    thread = Thread::start("pumice-starter", [this] { run(); });
  if (!thread)
    return false;
  if (watched.empty())
    changed.notify_all();
  watched.push_back(&queue);
  return true;
}

void Starter::forget(VulkanQueue &queue) {
  if (isAbandoned)
    return;
  std::lock_guard lock(mutex);
  std::erase(watched, &queue);
}

void Starter::run() {
  // The pause between two looks grows with the time for which the device was busy.
  constexpr std::chrono::microseconds shortest{50}, longest{1000};
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex);
  Clock::time_point since = Clock::now();
  while (!isEnding) {
    if (watched.empty()) {
      changed.wait(lock);
      since = Clock::now();
      continue;
    }
    auto busy = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
    changed.wait_for(lock, std::clamp(busy / 32, shortest, longest));
    if (std::erase_if(watched, [](VulkanQueue *queue) { return queue->beginIfIdle(); }))
      since = Clock::now();
  }
}

} // namespace pumice::vulkan
