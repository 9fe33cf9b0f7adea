//===- Batch.h - work that is submitted at once -----------------------------===//
// A command buffer, and everything that must be kept, done or reported when it finishes. Batches
// are reused, including the memory of their lists.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/DescriptorPools.h"
#include "runtime/hal/Queue.h"

#include <functional>

namespace pumice::vulkan {

class VulkanTimeline;

/// Bytes that are copied from staging memory to the caller's memory when a batch is done.
struct Landing {
  std::byte *to;
  const std::byte *from;
  size_t bytes;
};

struct Point {
  Ref<VulkanTimeline> timeline;
  uint64_t value = 0;
};

/// A part of a chunk of staging memory.
struct StagingPart {
  VulkanBuffer *chunk = nullptr;
  uint64_t offset = 0, bytes = 0;
  std::byte *mapped() const { return chunk->hostPointer() + offset; }
};

/// The staging memory for one direction. A batch fills its chunks from the start.
struct StagingUse {
  std::vector<Ref<VulkanBuffer>> chunks; // the last one is being filled
  uint64_t filled = 0;                   // the number of bytes used in the last chunk
};

class Batch {
public:
  explicit Batch(VulkanDevice &device) : descriptors(device), device(device) {}
  ~Batch();
  Batch(const Batch &) = delete;
  Batch &operator=(const Batch &) = delete;

  /// Begins recording `commands`, before the first command. If `isReplayed`, they may be submitted
  /// any number of times, even before they are done.
  Status begin(bool isReplayed = false);
  /// Ends recording. Does nothing if there are no commands.
  Status end();
  bool hasCommands() const { return begun; }
  bool isEmpty() const {
    return !begun && !replayed && waits.empty() && signals.empty() && callbacks.empty();
  }

  void keep(const RefCounted *object) {
    object->retain();
    kept.push_back(object);
  }
  void noteUnnamedWork();
  /// Called when the batch is done. If its work may have accessed unnamed memory, the host may
  /// access that memory again.
  void endUnnamedWork();
  /// Releases everything that the batch kept. The batch can then be used again.
  Status reset();

  /// If the queue profiles, these functions write time stamps before and after each command.
  Status beginProfile(hal::ProfileRecord record);
  void endProfile();
  Status readProfile(std::vector<hal::ProfileRecord> &to);
  std::vector<hal::ProfileRecord> records;

  /// Writes a time stamp after the commands so far. Once the batch is done, `then` gets its time.
  Status writeTime(hal::TimeSink then);
  bool hasRoomForTime() const { return times.size() < mostTimes; }
  Status readTimes();

  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkCommandBuffer replayed = VK_NULL_HANDLE; // a graph's commands, which run after `commands`
  uint64_t sequence = 0;                     // its number among the batches of the stream
  uint32_t commandCount = 0;
  Status failure; // why the batch did not run, or ok
  std::vector<Landing> landings;
  std::vector<Point> waits, signals;
  std::vector<std::function<void(const Status &)>> callbacks;
  StagingUse uploads, downloads;
  LaunchNotes notes;
  DescriptorPools descriptors;

private:
  Status makeCommands();
  void releaseAll();
  Status makeQueries(uint32_t count, VkQueryPool &made);

  VulkanDevice &device;
  VkCommandPool pool = VK_NULL_HANDLE;
  bool begun = false, unnamed = false;
  std::vector<const RefCounted *> kept; // objects other than buffers (see BufferUses)
  VkQueryPool queries = VK_NULL_HANDLE, timeQueries = VK_NULL_HANDLE;
  static constexpr uint32_t mostTimes = 16;
  std::vector<uint64_t> times; // those of `writeTime`: first zeros, then nanoseconds
};

} // namespace pumice::vulkan
