//===- Queue.h - records work into batches ----------------------------------===//
// The open batch belongs to the queue, and closed batches to its stream. A launch allocates
// nothing, because lists keep their memory. A pipeline that is already bound is not bound again.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Hazards.h"
#include "runtime/drivers/vulkan/Kernel.h"
#include "runtime/drivers/vulkan/Timeline.h"
#include "support/QuickMutex.h"
#include "support/Ticks.h"

#include <chrono>

namespace pumice::vulkan {

class VulkanQueue final : public hal::Queue {
public:
  static Result<Ref<VulkanQueue>> create(VulkanDevice &device, VkQueue queue,
                                         const hal::QueueOptions &options);
  /// Submits the recorded work if the device has little to do. Returns whether the device's
  /// `Starter`, which alone calls it, need not look again.
  bool beginIfIdle();

private:
  VulkanQueue(VulkanDevice &device, Ref<Stream> stream, const hal::QueueOptions &options);
  ~VulkanQueue() override;
  /// Destruction is delayed while the stream retires batches, because a callback may release the
  /// queue.
  void destroy() const override;

  Status dispatchImpl(const hal::Dispatch &dispatch) override;
  Status copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) override;
  Status fillImpl(const hal::BufferRange &to, uint32_t pattern) override;
  Status uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) override;
  Status downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) override;
  Status waitImpl(const hal::TimePoint &point) override;
  Status signalImpl(const hal::TimePoint &point) override;
  Status onDoneImpl(std::function<void(const Status &)> then) override;
  Status onTimeImpl(hal::TimeSink then) override;
  Status flushImpl() override;
  Status letBeginImpl() override;
  Status finishImpl(hal::Timeout timeout) override;
  Result<std::vector<hal::ProfileRecord>> takeProfileImpl() override;
  Status prepareImpl(hal::Graph &graph) override;
  Status replayImpl(hal::Graph &graph) override;

  /// Locks `mutex`. Code under the lock may keep the queue alive until the lock is released.
  class Lock {
  public:
    explicit Lock(VulkanQueue &queue) : queue(queue) { queue.mutex.lock(); }
    ~Lock() {
      bool kept = queue.keptWhileLocked;
      if (kept) [[unlikely]]
        queue.keptWhileLocked = false;
      queue.mutex.unlock();
      if (kept) [[unlikely]]
        queue.release();
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    VulkanQueue &queue;
  };
  /// Keeps the queue alive until the lock is released, because a callback may release the queue.
  /// The caller holds `mutex`.
  void keepWhileLocked() {
    if (!keptWhileLocked)
      retain();
    keptWhileLocked = true;
  }

  // Recording (Queue.cpp). The caller holds `mutex`.
  Batch &openBatch() { return batch ? *batch : newBatch(); }
  Batch &newBatch();
  Status closeBatch();
  /// Prepares a command that accesses `touches`. Begins the recording of the batch, records
  /// barriers, and keeps the buffers alive.
  Status beginCommand(uint8_t stage, bool unnamed);
  Status beginInline(uint8_t stage, bool unnamed); // the same for launches
  Status beginCommands();                          // for a batch that has no commands yet
  void endCommand();
  /// Submits the batch if it is full or the device has little to do.
  void countCommand();
  void touch(const hal::BufferRange &range, bool writes);
  void clearSlack(const VulkanBuffer &buffer);
  void barrier(const BarrierNeed &need);
  void submitAtTimes();
  /// Until the point is reached, the host leaves all work to the device. The caller holds the
  /// scheduler's mutex.
  void noteWait(const Ref<VulkanTimeline> &timeline, uint64_t value);

  // Launches (QueueDispatch.cpp).
  void nameTouches(std::span<const hal::BufferUse> uses, const VulkanKernel *kernel);
  Status bindDescriptors(const VulkanKernel &kernel, const hal::Dispatch &dispatch);
  Status allocateSets(const VulkanKernel &kernel);
  void dispatchGrid(const std::array<uint32_t, 3> &groups);

  // Transfers (QueueTransfer.cpp).
  bool hostMayTouch(const hal::Buffer &buffer);
  Result<StagingPart> stage(MemoryUse use, uint64_t bytes);
  Status newChunk(MemoryUse use, StagingUse &staging);
  Status copyRegion(const VulkanBuffer &from, uint64_t fromOffset, const VulkanBuffer &to,
                    uint64_t toOffset, uint64_t bytes);
  Status fillEdge(const hal::BufferRange &to, uint64_t offset, uint64_t bytes, uint32_t pattern);

  // Graphs (QueueReplay.cpp).
  Status clearSlackOf(const hal::Graph &graph);

  // Profiling. A call wraps the commands that it records in these.
  void startRecord(hal::ProfileRecord::Kind kind, const std::string &label, uint64_t bytes) {
    if (profiling) [[unlikely]]
      startMeasuring(kind, label, bytes);
  }
  void startMeasuring(hal::ProfileRecord::Kind kind, const std::string &label, uint64_t bytes);
  void endMeasuring();

  VulkanDevice &device;
  Ref<Stream> stream;
  const bool profiling;
  bool recording = false; // whether the batch becomes a graph's, and is never submitted here

  QuickMutex mutex; // guards the members below
  bool keptWhileLocked = false;
  std::unique_ptr<Batch> batch;
  Hazards hazards;
  std::vector<Touch> touches;          // what the command being recorded accesses
  const VulkanKernel *bound = nullptr; // the kernel bound in the open batch, which keeps it
  std::vector<hal::BufferRange> boundRanges;
  std::vector<VkDescriptorBufferInfo> bufferInfos;
  std::vector<VkWriteDescriptorSet> writes;
  std::vector<VkDescriptorSet> sets;
  std::vector<Point> unreached;      // points for which recorded work waits
  uint32_t lookAfter, sinceLook = 0; // numbers of commands
  const uint64_t longTicks, slowTicks, apartTicks;
  uint64_t begunAt = 0;     // when `letBegin` last submitted, in ticks
  bool isWatched = false;   // whether the device's `Starter` submits what is recorded
  bool hasLeftWork = false; // whether `letBegin` left work since the starter last looked
  uint64_t lookedAt = 0;    // time of the last check or the batch's start, in ticks
  hal::ProfileRecord measuring;
  std::chrono::steady_clock::time_point measuringSince;
};

} // namespace pumice::vulkan
