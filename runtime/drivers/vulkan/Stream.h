//===- Stream.h - closed batches on their way through the device ------------===//
// This is the part of a queue that outlives it while a timeline still refers to it. Batches arrive
// closed, wait for their points, are submitted in order, and retire in order. A batch that retires
// copies staging memory, advances timelines, runs callbacks, and releases what it kept.
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

  /// Returns an empty batch, and reuses an old one if possible.
  std::unique_ptr<Batch> takeBatch();
  /// Adds the batch taken last, which must be closed. Promises its points, but submits nothing.
  void add(std::unique_ptr<Batch> batch);
  /// Returns the number of the last batch added.
  uint64_t lastAdded();

  /// Submits all batches that are ready. `takeFailure` reports failures.
  void flush();
  /// Returns whether at most one submitted batch is still running, as far as one check can tell.
  /// Then it is time to submit the next batch, which waits on the device and not for the host.
  bool hasLittleToDo();
  /// Completes batches that are done. Errors: those of querying the device.
  Status retire();
  /// Waits until batch `sequence` has retired. Errors: DeadlineExceeded, DeviceLost.
  Status waitFor(uint64_t sequence, const Deadline &deadline);
  /// Returns the first failure of the work since the last call.
  Status takeFailure();
  /// Returns the oldest batch in flight, or 0.
  uint64_t oldestInFlight();

  /// Returns whether the calling thread is retiring batches. If so, `queue`, which has no
  /// references left, is destroyed after that.
  bool destroyOnceRetired(const RefCounted &queue);
  /// Submits and waits before the queue is destroyed. Drops batches that still wait for points, and
  /// downloads whose completion nobody can learn of.
  void drain();

  /// Submits the batches that are ready. Adds the streams that they wait for, or that waited for
  /// them, to `others`. Returns whether any was submitted. The caller holds the scheduler's mutex.
  bool submitReady(std::vector<Ref<Stream>> &others);
  /// Returns whether the batch is on the device, done, or dropped. The caller holds the scheduler's
  /// mutex.
  bool isSubmitted(uint64_t sequence) const { return submitted >= sequence; }

  /// Staging chunks that no batch uses, one list for each direction.
  Ref<VulkanBuffer> takeChunk(MemoryUse use);
  /// Returns how many chunks exist for that direction.
  uint32_t chunksMade(MemoryUse use);
  void noteChunkMade(MemoryUse use);
  std::vector<hal::ProfileRecord> takeRecords();

  /// The buffers that batches use, as noted by the queue.
  StreamUses uses;

private:
  Stream(VulkanDevice &device, VkQueue queue)
      : uses(device.uses), device(device), queue(queue), progress(device) {}
  ~Stream() override;
  /// The points that a batch waits for on the device, or the reason why it cannot be submitted.
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
  /// Asks the driver whether the device was lost, since a wait for a timeline semaphore does not
  /// report it. Marks the device as lost if it is overdue.
  Status lookForLoss();
  /// Returns whether batches ended since the last check. The caller holds the scheduler's mutex.
  bool hasMoved();
  void waitForReal();
  void dropUnheardLandings();

  VulkanDevice &device;
  VkQueue queue; // used under the scheduler's mutex, since several streams may share one
  Progress progress;

  // Guarded by the scheduler's mutex.
  std::deque<std::unique_ptr<Batch>> held, inFlight;
  uint64_t lastSeen = 0; // the last finished batch at the last check
  uint64_t added = 0, submitted = 0, retired = 0;
  Status firstFailure;

  std::recursive_mutex retireMutex;     // batches retire one after the other
  std::atomic<std::thread::id> retirer; // the thread that holds it
  const RefCounted *orphan = nullptr;   // holds a reference: see `destroyOnceRetired`
  bool waitedForLoss = false;
  std::mutex poolMutex; // of the members below
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
