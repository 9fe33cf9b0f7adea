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

/// Bytes that go from staging memory to the caller's when a batch is done.
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

/// Staging memory of one direction: chunks that batches fill from their starts.
struct StagingUse {
  std::vector<Ref<VulkanBuffer>> chunks; // the last one is being filled
  uint64_t filled = 0;                   // bytes of it
};

class Batch {
public:
  explicit Batch(VulkanDevice &device) : descriptors(device), device(device) {}
  ~Batch();
  Batch(const Batch &) = delete;
  Batch &operator=(const Batch &) = delete;

  /// The first command needs it; then `commands` are being recorded.
  Status begin();
  /// Ends recording; without commands there is nothing to end.
  Status end();
  bool hasCommands() const { return begun; }
  bool isEmpty() const { return !begun && waits.empty() && signals.empty() && callbacks.empty(); }

  void keep(const RefCounted *object) {
    object->retain();
    kept.push_back(object);
  }
  void noteUnnamedWork();
  /// The host may touch whatever it touched from here on.
  void endUnnamedWork();
  /// Everything that it kept may go; it can be used again.
  Status reset();

  /// Time stamps around each command, where the queue measures.
  Status beginProfile(hal::ProfileRecord record);
  void endProfile();
  Status readProfile(std::vector<hal::ProfileRecord> &to);
  std::vector<hal::ProfileRecord> records;

  VkCommandBuffer commands = VK_NULL_HANDLE;
  uint64_t sequence = 0; // among those of its stream
  uint32_t commandCount = 0;
  Status failure; // why it did not run
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
  std::vector<const RefCounted *> kept; // but for buffers: see BufferUses
  VkQueryPool queries = VK_NULL_HANDLE;
};

} // namespace pumice::vulkan
