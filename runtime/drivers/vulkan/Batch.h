//===- Batch.h - work that is submitted at once -----------------------------===//
// Holds a command buffer, and everything that must be kept, done or reported when it finishes.
// Batches are reused, with the memory of their lists.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/DescriptorPools.h"
#include "runtime/hal/Queue.h"

#include <functional>

namespace pumice::vulkan {

class VulkanTimeline;

/// Bytes that are copied from staging memory to the caller's when a batch is done.
struct Landing {
  std::byte *to;
  const std::byte *from;
  size_t bytes;
};

struct Point {
  Ref<VulkanTimeline> timeline;
  uint64_t value = 0;
};

/// A part of a staging chunk.
struct StagingPart {
  VulkanBuffer *chunk = nullptr;
  uint64_t offset = 0, bytes = 0;
  std::byte *mapped() const { return chunk->hostPointer() + offset; }
};

/// Staging memory of one direction. Batches fill its chunks from their starts.
struct StagingUse {
  std::vector<Ref<VulkanBuffer>> chunks; // the last one is being filled
  uint64_t filled = 0;                   // bytes of the last chunk
};

class Batch {
public:
  explicit Batch(VulkanDevice &device) : descriptors(device), device(device) {}
  ~Batch();
  Batch(const Batch &) = delete;
  Batch &operator=(const Batch &) = delete;

  /// Begins recording `commands`, before the first command.
  Status begin();
  /// Ends recording. Does nothing without commands.
  Status end();
  bool hasCommands() const { return begun; }
  bool isEmpty() const { return !begun && waits.empty() && signals.empty() && callbacks.empty(); }

  void keep(const RefCounted *object) {
    object->retain();
    kept.push_back(object);
  }
  void noteUnnamedWork();
  /// Ends work that touches unnamed memory. The host may access that memory from here on.
  void endUnnamedWork();
  /// Releases everything that the batch kept, so that the batch can be used again.
  Status reset();

  /// Write time stamps before and after each command, if the queue profiles.
  Status beginProfile(hal::ProfileRecord record);
  void endProfile();
  Status readProfile(std::vector<hal::ProfileRecord> &to);
  std::vector<hal::ProfileRecord> records;

  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint64_t sequence = 0; // its number among the stream's batches
  uint32_t commandCount = 0;
  Status failure; // why the batch did not run; ok if it ran
  std::vector<Landing> landings;
  std::vector<Point> waits, signals;
  std::vector<std::function<void(const Status &)>> callbacks;
  StagingUse uploads, downloads;
  LaunchNotes notes;
  DescriptorPools descriptors;

private:
  Status makeCommands();
  void releaseAll();

  VulkanDevice &device;
  VkCommandPool pool = VK_NULL_HANDLE;
  bool begun = false, unnamed = false;
  std::vector<const RefCounted *> kept; // objects other than buffers, which BufferUses keeps
  VkQueryPool queries = VK_NULL_HANDLE;
};

} // namespace pumice::vulkan
