//===- Stream.h - closed batches on their way through the device ------------===//
// The part of a queue that outlives it while a timeline still refers to it. Batches arrive closed,
// wait for their points, are submitted in order, and retire in order. A batch that retires copies
// staging memory, advances timelines, runs callbacks, and releases what it kept. Thread-safe.
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
  /// Takes over the batch taken last, closed; its points are promised. Submits nothing.
  void add(std::unique_ptr<Batch> batch);
  /// The number of the last batch added.
  uint64_t lastAdded();

  /// Submits all batches that are ready. `takeFailure` reports failures.
  void flush();
  /// Returns whether at most one submitted batch is still running, as far as one check can tell.
  /// Then it is time to submit the next batch, which waits on the device and not for the host.
  bool hasLittleToDo();
  /// Completes batches that are done. Errors: what asking the device answers.
  Status retire();
  /// Returns when batch `sequence` has retired. Errors: DeadlineExceeded, DeviceLost.
  Status waitFor(uint64_t sequence, const Deadline &deadline);
  /// Returns the first failure of the work since the last call.
  Status takeFailure();
  /// The oldest batch in flight; 0 if nothing is.
  uint64_t oldestInFlight();

  /// Whether the calling thread retires batches right now: then it releases `queue`, which has no
  /// reference any more, afterwards.
  bool destroyOnceRetired(const RefCounted &queue);
  /// Submits and waits before the queue is destroyed. Drops batches that still wait for points, and
  /// downloads that nobody can learn of any more.
  void drain();

  /// Submits the batches that are ready; those that they wait for, or that waited for them, are
  /// added to `others`. The answer: whether one got away. The scheduler's mutex is held.
  bool submitReady(std::vector<Ref<Stream>> &others);
  /// The batch is on the device, done, or given up. The scheduler's mutex is held.
  bool isSubmitted(uint64_t sequence) const { return submitted >= sequence; }

  /// Staging chunks that no batch uses, one list for each direction.
  Ref<VulkanBuffer> takeChunk(MemoryUse use);
  /// How many there are of that direction.
  uint32_t chunksMade(MemoryUse use);
  void noteChunkMade(MemoryUse use);
  std::vector<hal::ProfileRecord> takeRecords();

  /// The queue notes what its batches use.
  StreamUses uses;

private:
  Stream(VulkanDevice &device, VkQueue queue)
      : uses(device.uses), device(device), queue(queue), progress(device) {}
  ~Stream() override;
  /// Names the points that a batch waits for on the device, or why it cannot be submitted.
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
  /// Asks the driver whether the device was lost: a wait for a timeline semaphore does not tell.
  /// Loses it where its time is up.
  Status lookForLoss();
  /// Whether batches ended since the last look. The scheduler's mutex is held.
  bool hasMoved();
  void waitForReal();
  void dropUnheardLandings();

  VulkanDevice &device;
  VkQueue queue; // used under the scheduler's mutex: several streams may share one
  Progress progress;

  // Guarded by the scheduler's mutex.
  std::deque<std::unique_ptr<Batch>> held, inFlight;
  uint64_t lastSeen = 0; // what was done when someone looked whether the device goes on
  uint64_t added = 0, submitted = 0, retired = 0;
  Status firstFailure;

  std::recursive_mutex retireMutex;     // batches retire one after the other
  std::atomic<std::thread::id> retirer; // who holds it
  const RefCounted *orphan = nullptr;   // a reference: see `destroyOnceRetired`
  bool waitedForLoss = false;
  std::mutex poolMutex; // of what follows
  std::vector<std::unique_ptr<Batch>> freeBatches;
  uint64_t taken = 0; // batches
  struct Chunks {
    std::vector<Ref<VulkanBuffer>> free;
    uint32_t made = 0;
  };
  Chunks &chunks(MemoryUse use) { return use == MemoryUse::Upload ? uploads : downloads; }
  Chunks uploads, downloads;
  std::vector<hal::ProfileRecord> records;
};

} // namespace pumice::vulkan
