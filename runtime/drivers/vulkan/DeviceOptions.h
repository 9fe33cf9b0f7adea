//===- DeviceOptions.h - options of the driver, for tests -------------------===//
#pragma once

#include "support/DiskCache.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace pumice::vulkan {

/// Locks a VkQueue that the application lends and also uses itself.
struct QueueLock {
  void (*lock)(void *user) = nullptr; // both are null if the application does not use the queue
  void (*unlock)(void *user) = nullptr;
  void *user = nullptr;
};

struct DeviceOptions {
  /// A waiting thread first polls for this time. Waking it up takes 60 to 140 µs in a virtual
  /// machine, which would delay short work.
  std::chrono::microseconds pollBeforeSleep{2000};
  /// After that, it polls for this time with naps in between. A nap is a small part of the time
  /// waited so far. Finally, the thread sleeps until the driver wakes it.
  std::chrono::microseconds napBeforeSleep{100'000};
  /// A longer wait checks at this interval whether the device was lost. Some drivers never end
  /// waits for a lost device.
  std::chrono::milliseconds lossCheck{1000};
  /// The device counts as lost when none of its work has ended for this long; 0: never.
  std::chrono::milliseconds timeout{0};
  /// The staging memory of a queue in one direction: the size of a chunk, and the number of chunks.
  uint64_t stagingChunkBytes = 4u << 20;
  uint32_t stagingChunks = 8;
  /// Kernels with more bindings use descriptor pools. Every device supports 32.
  uint32_t maxPushDescriptors = 32;
  /// Whether the host itself reads and writes host-visible buffers that no work uses.
  bool directTransfers = true;
  /// The disk cache for compiled pipelines; empty: none.
  std::optional<DiskCache> cache;
  QueueLock queueLock;
  /// Queue families of the application that also use buffers; empty: only the plan's.
  std::vector<uint32_t> families;
};

} // namespace pumice::vulkan
