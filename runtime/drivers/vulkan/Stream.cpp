//===- Stream.cpp - closed batches on their way through the device ----------===//
#include "runtime/drivers/vulkan/Stream.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Timeline.h"

#include <array>
#include <cstring>

namespace pumice::vulkan {

Result<Ref<Stream>> Stream::create(VulkanDevice &device, VkQueue queue) {
  auto stream = Ref<Stream>::adopt(new Stream(device, queue));
  PUMICE_RETURN_IF_ERROR(stream->progress.start());
  std::lock_guard lock(device.scheduler.streamsMutex);
  device.scheduler.streams.push_back(stream.get());
  return stream;
}

Stream::~Stream() {
  std::lock_guard lock(device.scheduler.streamsMutex);
  std::erase(device.scheduler.streams, this);
}

void Stream::add(std::unique_ptr<Batch> batch) {
  std::lock_guard lock(device.scheduler.mutex);
  added = batch->sequence;
  for (const Point &point : batch->signals)
    point.timeline->promise(Ref<Stream>(this), batch->sequence, point.value);
  bool promised = !batch->signals.empty();
  held.push_back(std::move(batch));
  if (promised)
    device.scheduler.changed.notify_all();
}

uint64_t Stream::lastAdded() {
  std::lock_guard lock(device.scheduler.mutex);
  return added;
}

uint64_t Stream::oldestInFlight() {
  std::lock_guard lock(device.scheduler.mutex);
  return inFlight.empty() ? 0 : inFlight.front()->sequence;
}

void Stream::flush() {
  std::lock_guard lock(device.scheduler.mutex);
  if (!held.empty())
    device.scheduler.pump({Ref<Stream>(this)});
}

bool Stream::hasLittleToDo() {
  std::lock_guard lock(device.scheduler.mutex);
  if (inFlight.size() < 2)
    return true;
  Result<uint64_t> done = progress.completed();
  return done.isOk() && *done >= inFlight[inFlight.size() - 2]->sequence;
}

//===- Submission; the scheduler's mutex is held ----------------------------===//

Stream::Readiness Stream::look(Batch &batch, std::vector<Ref<Stream>> &others) {
  Readiness ready;
  ready.failure = device.health();
  const WaitingBatch waiter{this, batch.sequence};
  for (const Point &point : batch.waits) {
    VulkanTimeline::Standing now = point.timeline->standing(point.value, waiter);
    if (now.reached)
      continue;
    if (!now.failure.isOk())
      ready.failure = now.failure;
    if (!ready.failure.isOk())
      return ready;
    if (now.stream.get() == this)
      continue;         // batches of one stream run in order anyway
    if (now.external) { // the application signals; the timeline must live
      ready.semaphores.push_back(point.timeline->semaphore());
      ready.values.push_back(point.value);
      continue;
    }
    if (!now.submitted) {
      point.timeline->addWaiter(Ref<Stream>(this));
      point.timeline->findSignalers(point.value, waiter, others);
      ready.blocked = true;
      return ready;
    }
    // Without semaphores, all streams share one VkQueue. Then its order, and the barrier with which
    // the batch begins, are enough.
    if (VkSemaphore semaphore = now.stream->progress.semaphore()) {
      ready.semaphores.push_back(semaphore);
      ready.values.push_back(now.sequence);
      batch.keep(now.stream.get()); // the semaphore must outlive the wait
    }
  }
  return ready;
}

Status Stream::submit(Batch &batch, const Readiness &ready) {
  VkSemaphore done = progress.semaphore();
  std::vector<VkSemaphore> signals(1, done);
  std::vector<uint64_t> signaled(1, batch.sequence);
  for (const Point &point : batch.signals)
    if (point.timeline->signalsOnDevice(point.value)) {
      signals.push_back(point.timeline->semaphore());
      signaled.push_back(point.value);
    }
  std::vector<VkPipelineStageFlags> stages(ready.semaphores.size(),
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = static_cast<uint32_t>(ready.values.size());
  values.pWaitSemaphoreValues = ready.values.data();
  values.signalSemaphoreValueCount = static_cast<uint32_t>(signaled.size());
  values.pSignalSemaphoreValues = signaled.data();
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, done ? &values : nullptr};
  info.waitSemaphoreCount = static_cast<uint32_t>(ready.semaphores.size());
  info.pWaitSemaphores = ready.semaphores.data();
  info.pWaitDstStageMask = stages.data();
  std::array<VkCommandBuffer, 2> commands;
  if (batch.hasCommands())
    commands[info.commandBufferCount++] = batch.commands;
  if (batch.replayed)
    commands[info.commandBufferCount++] = batch.replayed;
  info.pCommandBuffers = commands.data();
  info.signalSemaphoreCount = done ? static_cast<uint32_t>(signals.size()) : 0;
  info.pSignalSemaphores = signals.data();
  PUMICE_TRY(VkFence fence, progress.takeFence());
  Status status;
  {
    auto whileNoCodeComes = device.gate.submitting();
    auto hold = device.holdQueue();
    status = device.check(PUMICE_VK(device.vk()., vkQueueSubmit, queue, 1, &info, fence),
                          "vkQueueSubmit");
  }
  if (status.isOk()) {
    progress.submitted(batch.sequence, fence);
    device.unfinished.add(batch.notes);
    for (const Point &point : batch.signals)
      point.timeline->noteSubmitted(point.value);
  } else
    progress.notSubmitted(fence);
  return status;
}

void Stream::settleSignals(Batch &batch, const Status &status, std::vector<Ref<Stream>> &others) {
  for (const Point &point : batch.signals) {
    point.timeline->settle(*this, batch.sequence, point.value, status);
    for (Ref<Stream> &waiter : point.timeline->takeWaiters())
      others.push_back(std::move(waiter));
  }
}

bool Stream::submitReady(std::vector<Ref<Stream>> &others) {
  bool any = false;
  while (!held.empty()) {
    Batch &batch = *held.front();
    if (batch.failure.isOk()) {
      Readiness ready = look(batch, others);
      if (ready.blocked)
        break;
      batch.failure = ready.failure.isOk() ? submit(batch, ready) : ready.failure;
    }
    submitted = batch.sequence;
    any = true;
    if (!batch.failure.isOk()) {
      settleSignals(batch, batch.failure, others);
      batch.signals.clear();
    }
    for (const Point &point : batch.signals)
      for (Ref<Stream> &waiter : point.timeline->takeWaiters())
        others.push_back(std::move(waiter));
    inFlight.push_back(std::move(held.front()));
    held.pop_front();
  }
  return any;
}

//===- Completion -----------------------------------------------------------===//

/// Holds `retireMutex`. If callbacks have released the queue, the destructor destroys it
/// afterwards.
class Stream::Retiring {
public:
  explicit Retiring(Stream &stream) : stream(&stream), guard(stream.retireMutex) {
    outermost = stream.retirer.load() != std::this_thread::get_id();
    stream.retirer = std::this_thread::get_id();
  }
  ~Retiring() {
    if (!outermost)
      return;
    const RefCounted *queue = std::exchange(stream->orphan, nullptr);
    stream->retirer = std::thread::id();
    guard.unlock();
    if (queue)
      queue->release();
  }

private:
  Ref<Stream> stream; // a callback may hold the last reference to the queue
  std::unique_lock<std::recursive_mutex> guard;
  bool outermost;
};

bool Stream::destroyOnceRetired(const RefCounted &queue) {
  if (retirer.load() != std::this_thread::get_id())
    return false;
  queue.retain();
  orphan = &queue;
  return true;
}

Status Stream::retire() {
  {
    std::lock_guard lock(device.scheduler.mutex);
    if (retired == submitted)
      return Status::ok();
  }
  Retiring retiring(*this);
  if (Status loss = device.health(); !loss.isOk())
    return retireUpTo(UINT64_MAX, loss);
  Result<uint64_t> done = progress.completed();
  if (done.isOk())
    return retireUpTo(*done, Status::ok());
  if (Status loss = device.health(); !loss.isOk())
    return retireUpTo(UINT64_MAX, loss);
  return done.status();
}

Status Stream::retireUpTo(uint64_t sequence, const Status &loss) {
  // Even after a loss, the device may still access objects that are about to be destroyed.
  if (!loss.isOk() && !std::exchange(waitedForLoss, true))
    waitForReal();
  for (;;) {
    std::unique_ptr<Batch> batch;
    {
      std::lock_guard lock(device.scheduler.mutex);
      if (inFlight.empty() ||
          (inFlight.front()->failure.isOk() && inFlight.front()->sequence > sequence))
        return loss;
      batch = std::move(inFlight.front());
      inFlight.pop_front();
    }
    if (batch->failure.isOk())
      batch->failure = loss;
    complete(std::move(batch));
  }
}

void Stream::complete(std::unique_ptr<Batch> batch) {
  device.unfinished.remove(batch->notes);
  if (batch->failure.isOk()) {
    for (const Landing &landing : batch->landings)
      std::memcpy(landing.to, landing.from, landing.bytes);
    std::lock_guard lock(poolMutex);
    batch->failure = batch->readProfile(records);
    if (batch->failure.isOk())
      batch->failure = batch->readTimes();
  }
  batch->endUnnamedWork();
  uses.retire(batch->sequence);
  {
    std::lock_guard lock(device.scheduler.mutex);
    if (firstFailure.isOk())
      firstFailure = batch->failure;
    if (batch->failure.code() == StatusCode::DeviceLost && loss.isOk()) {
      loss = batch->failure;
      lostFrom = batch->sequence;
    }
    std::vector<Ref<Stream>> others;
    settleSignals(*batch, batch->failure, others);
    device.scheduler.pump(std::move(others));
  }
  // The callbacks are destroyed last, because they may hold the queue.
  auto callbacks = std::move(batch->callbacks);
  for (const auto &callback : callbacks)
    callback(batch->failure);
  uint64_t sequence = batch->sequence;
  recycle(std::move(batch));
  std::lock_guard lock(device.scheduler.mutex);
  retired = sequence;
  device.scheduler.changed.notify_all();
}

void Stream::recycle(std::unique_ptr<Batch> batch) {
  StagingUse up = std::exchange(batch->uploads, {}), down = std::exchange(batch->downloads, {});
  // This releases the objects that the batch kept. Only the lock for retiring is held here.
  Status status = batch->reset();
  uses.releaseRetired();
  std::lock_guard lock(poolMutex);
  for (Ref<VulkanBuffer> &chunk : up.chunks)
    uploads.free.push_back(std::move(chunk));
  for (Ref<VulkanBuffer> &chunk : down.chunks)
    downloads.free.push_back(std::move(chunk));
  if (status.isOk())
    freeBatches.push_back(std::move(batch));
}

Status Stream::waitFor(uint64_t sequence, const Deadline &deadline) {
  for (;;) {
    Status looked = retire();
    uint64_t target = 0;
    {
      std::unique_lock lock(device.scheduler.mutex);
      if (retired >= sequence)
        return Status::ok();
      if (submitted < sequence) {
        device.scheduler.pump({Ref<Stream>(this)});
        // A batch that failed during submission never completes.
      }
      PUMICE_RETURN_IF_ERROR(looked);
      for (const auto &batch : inFlight)
        if (batch->failure.isOk() && batch->sequence <= sequence)
          target = batch->sequence;
      bool retiring = inFlight.empty() && retired < submitted;
      if (!target && inFlight.empty() && !retiring) {
        if (deadline.passed())
          return Status(StatusCode::DeadlineExceeded,
                        "the work still waits for a point of a timeline");
        device.scheduler.changed.wait_until(lock, deadline.soon().at);
      }
    }
    if (!target)
      continue;
    Status waited = progress.wait(target, deadline.within(device.lookEvery()));
    if (waited.code() == StatusCode::DeadlineExceeded && (!deadline.passed() || device.isOverdue()))
      waited = lookForLoss();
    PUMICE_RETURN_IF_ERROR(waited);
  }
}

bool Stream::hasMoved() {
  Result<uint64_t> done = progress.completed();
  return done.isOk() && std::exchange(lastSeen, *done) != *done;
}

Status Stream::lookForLoss() {
  std::lock_guard lock(device.scheduler.mutex);
  VkResult asked = VK_SUCCESS;
  {
    auto hold = device.holdQueue();
    asked = PUMICE_VK(device.vk()., vkQueueSubmit, queue, 0, nullptr, VK_NULL_HANDLE);
  }
  PUMICE_RETURN_IF_ERROR(device.check(asked, "vkQueueSubmit"));
  // Progress of any stream shows that the device still works, even if no thread waits for that
  // stream.
  std::lock_guard listLock(device.scheduler.streamsMutex);
  for (Stream *stream : device.scheduler.streams)
    if (stream->hasMoved())
      device.unfinished.moved();
  return device.checkTime();
}

Status Stream::takeFailure(uint64_t sequence) {
  std::lock_guard lock(device.scheduler.mutex);
  Status failure = std::exchange(firstFailure, Status::ok());
  return failure.isOk() && lostFrom <= sequence ? loss : failure;
}

void Stream::waitForReal() {
  // After a failure that a test injected, the device may still be running, so this call bypasses
  // the hook.
  std::lock_guard lock(device.scheduler.mutex);
  auto hold = device.holdQueue();
  PUMICE_VK_ALWAYS(device.vk()., vkQueueWaitIdle, queue);
}

/// Drops downloads that no signal or callback follows. Nobody can learn that they are done, and
/// their caller may have given up waiting and freed the memory.
void Stream::dropUnheardLandings() {
  std::lock_guard guard(retireMutex);
  std::lock_guard lock(device.scheduler.mutex);
  for (auto *batches : {&held, &inFlight})
    for (auto place = batches->rbegin(); place != batches->rend(); ++place) {
      Batch &batch = **place;
      if (!batch.signals.empty() || !batch.callbacks.empty())
        return;
      batch.landings.clear();
    }
}

void Stream::drain() {
  dropUnheardLandings();
  flush();
  {
    std::lock_guard lock(device.scheduler.mutex);
    for (auto &batch : held)
      batch->failure = Status(StatusCode::InvalidArgument,
                              "the queue was destroyed while its work waited for a timeline point");
    device.scheduler.pump({Ref<Stream>(this)});
  }
  if (waitFor(lastAdded(), Deadline{}).isOk())
    return;
  waitForReal();
  Retiring retiring(*this);
  (void)retireUpTo(UINT64_MAX, device.health());
}

//===- Reuse ----------------------------------------------------------------===//

std::unique_ptr<Batch> Stream::takeBatch() {
  std::lock_guard lock(poolMutex);
  std::unique_ptr<Batch> batch;
  if (freeBatches.empty()) {
    batch = std::make_unique<Batch>(device);
  } else {
    batch = std::move(freeBatches.back());
    freeBatches.pop_back();
  }
  batch->sequence = ++taken;
  return batch;
}

Ref<VulkanBuffer> Stream::takeChunk(MemoryUse use) {
  std::lock_guard lock(poolMutex);
  auto &free = chunks(use).free;
  if (free.empty())
    return nullptr;
  Ref<VulkanBuffer> chunk = std::move(free.back());
  free.pop_back();
  return chunk;
}

uint32_t Stream::chunksMade(MemoryUse use) {
  std::lock_guard lock(poolMutex);
  return chunks(use).made;
}

void Stream::noteChunkMade(MemoryUse use) {
  std::lock_guard lock(poolMutex);
  ++chunks(use).made;
}

std::vector<hal::ProfileRecord> Stream::takeRecords() {
  std::lock_guard lock(poolMutex);
  return std::exchange(records, {});
}

} // namespace pumice::vulkan
