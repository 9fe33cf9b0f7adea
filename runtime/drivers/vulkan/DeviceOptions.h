//===- DeviceOptions.h - how the driver works, where tests want it otherwise ===//
#pragma once

#include "support/DiskCache.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace pumice::vulkan {

/// Excludes the application's own use of a VkQueue that it lends.
struct QueueLock {
  void (*lock)(void *user) = nullptr; // both are null if the application does not use the queue
  void (*unlock)(void *user) = nullptr;
  void *user = nullptr;
};

struct DeviceOptions {
  /// A waiting thread looks for so long: to be woken takes 60 to 140 µs in a virtual machine, which
  /// short work would feel.
  std::chrono::microseconds pollBeforeSleep{2000};
  /// Then for so long again and again, after naps that are a small part of what it waited already.
  /// Then it sleeps until the driver wakes it.
  std::chrono::microseconds napBeforeSleep{100'000};
  /// A wait that takes longer asks so often whether the device was lost: drivers let waits for a
  /// lost device sleep on.
  std::chrono::milliseconds lossCheck{1000};
  /// The device is lost when nothing that it runs has ended for so long; 0: never.
  std::chrono::milliseconds timeout{0};
  /// Staging memory of a queue in one direction: the size of a chunk, and the number of chunks.
  uint64_t stagingChunkBytes = 4u << 20;
  uint32_t stagingChunks = 8;
  /// Kernels with more bindings use descriptor pools. 32 is what every device takes.
  uint32_t maxPushDescriptors = 32;
  /// Host-visible buffers that nothing uses are read and written by the host itself.
  bool directTransfers = true;
  /// Where compiled pipelines are kept; empty: nowhere.
  std::optional<DiskCache> cache;
  QueueLock queueLock;
  /// Queue families of the application that use buffers too; empty: the plan's alone.
  std::vector<uint32_t> families;
};

} // namespace pumice::vulkan
