//===- Queue.cpp - records work into batches --------------------------------===//
#include "runtime/drivers/vulkan/Queue.h"

namespace pumice::vulkan {
namespace {

/// The number of commands after which the queue first checks whether the device has little to do.
/// The number doubles with each check, because a submission costs as much as many launches.
constexpr uint32_t firstLook = 16;
/// If recording exceeds both limits, in total and on average per command, the queue checks again at
/// the next command. Otherwise, the device would have to wait for sixteen slow commands.
constexpr std::chrono::microseconds longRecording{20}, slowCommand{4};

VkPipelineStageFlags stageFlags(uint8_t stages) {
  return ((stages & ComputeStage) ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0) |
         ((stages & TransferStage) ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0);
}

} // namespace

Result<Ref<VulkanQueue>> VulkanQueue::create(VulkanDevice &device, VkQueue queue,
                                             const hal::QueueOptions &options) {
  PUMICE_TRY(Ref<Stream> stream, Stream::create(device, queue));
  return Ref<VulkanQueue>::adopt(new VulkanQueue(device, std::move(stream), options));
}

VulkanQueue::VulkanQueue(VulkanDevice &device, Ref<Stream> stream, const hal::QueueOptions &options)
    : hal::Queue(Ref<hal::Device>(&device)), device(device), stream(std::move(stream)),
      profiling(options.profiling), lookAfter(firstLook), longTicks(ticksIn(longRecording)),
      slowTicks(ticksIn(slowCommand)), apartTicks(ticksIn(hal::submitsApart)) {}

VulkanQueue::~VulkanQueue() {
  device.starter.forget(*this);
  (void)closeBatch(); // callbacks get a failure
  stream->drain();
}

void VulkanQueue::destroy() const {
  if (!stream->destroyOnceRetired(*this))
    delete this;
}

Batch &VulkanQueue::newBatch() {
  batch = stream->takeBatch();
  hazards.newBatch();
  bound = nullptr;
  boundRanges.clear();
  return *batch;
}

Status VulkanQueue::closeBatch() {
  if (!batch || batch->isEmpty())
    return Status::ok();
  Status status = batch->end();
  batch->failure = status;
  stream->add(std::move(batch));
  batch = nullptr;
  return status;
}

void VulkanQueue::touch(const hal::BufferRange &range, bool writes) {
  for (Touch &other : touches)
    if (other.buffer == range.buffer) { // a copy within one buffer
      other.begin = std::min(other.begin, range.offset);
      other.end = std::max(other.end, range.offset + range.bytes);
      other.writes = other.writes || writes;
      return;
    }
  touches.push_back({range.buffer, range.offset, range.offset + range.bytes, writes});
}

void VulkanQueue::barrier(const BarrierNeed &need) {
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = ((need.writingStages & ComputeStage) ? VK_ACCESS_SHADER_WRITE_BIT : 0) |
                         ((need.writingStages & TransferStage) ? VK_ACCESS_TRANSFER_WRITE_BIT : 0);
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                         VK_ACCESS_TRANSFER_WRITE_BIT;
  device.vk().vkCmdPipelineBarrier(batch->commands, stageFlags(need.stages),
                                   stageFlags(ComputeStage | TransferStage), 0,
                                   need.writingStages ? 1 : 0, &memory, 0, nullptr, 0, nullptr);
}

Status VulkanQueue::beginCommands() {
  lookedAt = ticks();
  PUMICE_RETURN_IF_ERROR(batch->begin(recording));
  // A replay comes after any other work.
  if (recording)
    barrier({ComputeStage | TransferStage, ComputeStage | TransferStage});
  // Without timeline semaphores, a barrier orders the batch after the work of other streams for
  // which it waits.
  if (!batch->waits.empty() && !device.plan.timelineSemaphores)
    barrier({ComputeStage | TransferStage, ComputeStage | TransferStage});
  return Status::ok();
}

void VulkanQueue::submitAtTimes() {
  if (recording)
    return;
  bool full = batch->commandCount >= Scheduler::maxBatchCommands;
  sinceLook = 0;
  lookedAt = ticks();
  if (!full && !stream->hasLittleToDo())
    return;
  lookAfter = std::min(lookAfter * 2, Scheduler::maxBatchCommands);
  (void)closeBatch(); // the next wait reports a failure
  stream->flush();
  keepWhileLocked();
  (void)stream->retire();
}

void VulkanQueue::startMeasuring(hal::ProfileRecord::Kind kind, const std::string &label,
                                 uint64_t bytes) {
  measuringSince = std::chrono::steady_clock::now();
  measuring = {.kind = kind, .label = label, .bytes = bytes};
}

void VulkanQueue::endMeasuring() {
  auto spent = std::chrono::steady_clock::now() - measuringSince;
  batch->records.back().hostNanoseconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count());
  batch->endProfile();
}

void VulkanQueue::noteWait(const Ref<VulkanTimeline> &timeline, uint64_t value) {
  std::erase_if(unreached,
                [](const Point &point) { return point.timeline->standing(point.value).reached; });
  for (Point &point : unreached)
    if (point.timeline == timeline) {
      point.value = std::max(point.value, value);
      return;
    }
  unreached.push_back({timeline, value});
}

Status VulkanQueue::waitImpl(const hal::TimePoint &point) {
  Ref<VulkanTimeline> timeline(static_cast<VulkanTimeline *>(point.timeline));
  Lock lock(*this);
  {
    std::lock_guard schedulerLock(device.scheduler.mutex);
    if (timeline->standing(point.value).reached)
      return Status::ok();
    noteWait(timeline, point.value);
  }
  // A batch waits for all of its points before it runs any command, so it can contain several
  // waits.
  if (!batch || batch->hasCommands() || !batch->signals.empty() || !batch->callbacks.empty())
    PUMICE_RETURN_IF_ERROR(closeBatch());
  openBatch().waits.push_back({std::move(timeline), point.value});
  return Status::ok();
}

Status VulkanQueue::signalImpl(const hal::TimePoint &point) {
  auto *timeline = static_cast<VulkanTimeline *>(point.timeline);
  Lock lock(*this);
  if (timeline->semaphore()) {
    std::lock_guard schedulerLock(device.scheduler.mutex);
    PUMICE_RETURN_IF_ERROR(timeline->reserve(point.value));
  }
  openBatch().signals.push_back({Ref<VulkanTimeline>(timeline), point.value});
  // Closes the batch, so that threads which wait for the point find the batch in the stream.
  return closeBatch();
}

Status VulkanQueue::onDoneImpl(std::function<void(const Status &)> then) {
  Lock lock(*this);
  openBatch().callbacks.push_back(std::move(then));
  return Status::ok();
}

Status VulkanQueue::onTimeImpl(hal::TimeSink then) {
  if (!device.timestampBits)
    return hal::Queue::onTimeImpl(std::move(then));
  Lock lock(*this);
  if (!openBatch().hasRoomForTime())
    PUMICE_RETURN_IF_ERROR(closeBatch());
  if (!openBatch().hasCommands())
    PUMICE_RETURN_IF_ERROR(beginCommands());
  return batch->writeTime(std::move(then));
}

Status VulkanQueue::flushImpl() {
  Lock lock(*this);
  Status status = closeBatch();
  stream->flush();
  keepWhileLocked();
  PUMICE_RETURN_IF_ERROR(stream->retire());
  return status;
}

Status VulkanQueue::letBeginImpl() {
  {
    Lock lock(*this);
    if (recording)
      return Status::ok();
    uint64_t now = ticks();
    if (now - begunAt > apartTicks && stream->hasLittleToDo()) {
      begunAt = now;
      Status status = closeBatch();
      stream->flush();
      keepWhileLocked();
      PUMICE_RETURN_IF_ERROR(stream->retire());
      return status;
    }
    hasLeftWork = true;
    if (std::exchange(isWatched, true))
      return Status::ok();
  }
  if (device.starter.watch(*this))
    return Status::ok();
  {
    Lock lock(*this);
    isWatched = false;
  }
  return flushImpl();
}

bool VulkanQueue::beginIfIdle() {
  if (!mutex.try_lock())
    return false; // a thread is recording
  bool isIdle = !recording && stream->hasLittleToDo();
  if (isIdle) {
    // While launches come, the queue remains watched, since waking the thread takes long.
    isWatched = std::exchange(hasLeftWork, false);
    (void)closeBatch(); // the next wait reports a failure
    stream->flush();
  }
  bool isDone = !isWatched;
  mutex.unlock();
  return isDone;
}

Status VulkanQueue::finishImpl(hal::Timeout timeout) {
  Ref<hal::Queue> self(this); // callbacks may release the queue
  uint64_t last;
  {
    Lock lock(*this);
    (void)closeBatch(); // reported below
    lookAfter = firstLook;
    sinceLook = 0;
    stream->flush();
    last = stream->lastAdded();
  }
  PUMICE_RETURN_IF_ERROR(stream->waitFor(last, Deadline::after(timeout)));
  return stream->takeFailure(last);
}

Result<std::vector<hal::ProfileRecord>> VulkanQueue::takeProfileImpl() {
  Ref<hal::Queue> self(this); // as above
  PUMICE_RETURN_IF_ERROR(stream->retire());
  return stream->takeRecords();
}

} // namespace pumice::vulkan
