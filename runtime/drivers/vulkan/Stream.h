//===- Stream.h - closed batches on their way through the device ------------===//
// The part of a queue that may outlive it, because timelines refer to it. Batches arrive closed,
// wait for their points, are submitted in order, and retire in order. Retiring a batch copies its
// staging memory, advances timelines, runs callbacks, and releases what the batch kept.
// Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Batch.h"
#include "runtime/drivers/vulkan/Progress.h"

#include <deque>
#include <thread>

namespace pumice::vulkan {

class Stream final : public RefCounted {
public:
  static Result<Ref<Stream>> create(VulkanDevice &device, VkQueue queue);

  /// Returns an empty batch, which is an old one if possible.
  std::unique_ptr<Batch> takeBatch();
  /// Adds the batch that was taken last, which must be closed. Promises its points, but does not
  /// submit it.
  void add(std::unique_ptr<Batch> batch);
  /// Returns the number of the batch that was added last.
  uint64_t lastAdded();

  /// Submits all batches that are ready. `takeFailure` returns failures.
  void flush();
  /// Returns whether at most one submitted batch is still running, as far as a single check shows.
  /// Then the next batch should be submitted, so that the device does not wait for the host.
  bool hasLittleToDo();
  /// Retires the batches that are done. Errors: those of querying the device.
  Status retire();
  /// Waits until batch `sequence` has retired. Errors: DeadlineExceeded, DeviceLost.
  Status waitFor(uint64_t sequence, const Deadline &deadline);
  /// Returns the first failure of the work since the last call of this function. If the loss of the
  /// device ended batch `sequence`, returns the loss again, since several threads may wait.
  Status takeFailure(uint64_t sequence);
  /// Returns the number of the oldest batch in flight, or 0.
  uint64_t oldestInFlight();

  /// Returns whether the calling thread is retiring batches. If so, `queue`, which has no more
  /// references, is destroyed afterwards.
  bool destroyOnceRetired(const RefCounted &queue);
  /// Called before the queue is destroyed. Submits all batches and waits for them. Drops batches
  /// that still wait for points. Also drops downloads that no signal or callback follows, since
  /// nobody can learn that they are done.
  void drain();

  /// Submits the batches that are ready. Adds to `others` the streams for which they wait, and
  /// those that waited for them. Returns whether any batch was submitted. The caller holds the
  /// scheduler's mutex.
  bool submitReady(std::vector<Ref<Stream>> &others);
  /// Returns whether the batch has been submitted, finished or dropped. The caller holds the
  /// scheduler's mutex.
  bool isSubmitted(uint64_t sequence) const { return submitted >= sequence; }

  /// These functions manage chunks of staging memory that no batch uses, separately for each
  /// direction.
  Ref<VulkanBuffer> takeChunk(MemoryUse use);
  /// Returns the number of chunks that exist for this direction.
  uint32_t chunksMade(MemoryUse use);
  void noteChunkMade(MemoryUse use);
  std::vector<hal::ProfileRecord> takeRecords();

  VkQueue vulkanQueue() const { return queue; }

  /// The buffers that batches use. The queue notes them here.
  StreamUses uses;

private:
  Stream(VulkanDevice &device, VkQueue queue)
      : uses(device.uses), device(device), queue(queue), progress(device) {}
  ~Stream() override;
  /// The points for which a batch must wait on the device, or the reason why it cannot be
  /// submitted.
  struct Readiness {
    bool blocked = false;
    Status failure;
    std::vector<VkSemaphore> semaphores;
    std::vector<uint64_t> values;
  };
  Readiness look(Batch &batch, std::vector<Ref<Stream>> &others);
  Status submit(Batch &batch, const Readiness &ready);
  void settleSignals(Batch &batch, const Status &status, std::vector<Ref<Stream>> &others);
  class Retiring;
  Status retireUpTo(uint64_t sequence, const Status &loss);
  void complete(std::unique_ptr<Batch> batch);
  void recycle(std::unique_ptr<Batch> batch);
  /// Asks the driver whether the device is lost, because a wait for a timeline semaphore does not
  /// report this. Marks the device as lost if it is overdue.
  Status lookForLoss();
  /// Returns whether a batch has ended since the last check. The caller holds the scheduler's
  /// mutex.
  bool hasMoved();
  void waitForReal();
  void dropUnheardLandings();

  VulkanDevice &device;
  VkQueue queue; // used under the scheduler's mutex; may be shared
  Progress progress;

  // Guarded by the scheduler's mutex.
  std::deque<std::unique_ptr<Batch>> held, inFlight;
  uint64_t lastSeen = 0; // the last finished batch, as of the last check
  uint64_t added = 0, submitted = 0, retired = 0;
  Status firstFailure;
  Status loss;                    // of the device, if it ended batches
  uint64_t lostFrom = UINT64_MAX; // the first of these batches

  std::recursive_mutex retireMutex;     // batches retire one after the other
  std::atomic<std::thread::id> retirer; // the thread that holds `retireMutex`
  const RefCounted *orphan = nullptr;   // holds a reference (see `destroyOnceRetired`)
  bool waitedForLoss = false;
  std::mutex poolMutex; // guards the members below
  std::vector<std::unique_ptr<Batch>> freeBatches;
  uint64_t taken = 0; // the number of batches taken so far
  struct Chunks {
    std::vector<Ref<VulkanBuffer>> free;
    uint32_t made = 0;
  };
  Chunks &chunks(MemoryUse use) { return use == MemoryUse::Upload ? uploads : downloads; }
  Chunks uploads, downloads;
  std::vector<hal::ProfileRecord> records;
};

} // namespace pumice::vulkan
