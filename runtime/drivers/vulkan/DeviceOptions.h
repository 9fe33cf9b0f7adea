//===- DeviceOptions.h - options of the driver, for tests -------------------===//
#pragma once

#include "support/DiskCache.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace pumice::vulkan {

/// Locks a VkQueue that the application has lent but also uses itself.
struct QueueLock {
  void (*lock)(void *user) = nullptr; // both are null if the application does not use the queue
  void (*unlock)(void *user) = nullptr;
  void *user = nullptr;
};

struct DeviceOptions {
  /// A waiting thread first polls for this time. In a virtual machine, waking a thread takes 60 to
  /// 140 µs, which would delay short work.
  std::chrono::microseconds pollBeforeSleep{2000};
  /// Then it polls for this time, with naps in between. A nap is a small part of the time waited so
  /// far. Finally, the thread sleeps until the driver wakes it.
  std::chrono::microseconds napBeforeSleep{100'000};
  /// The interval at which a longer wait checks whether the device is lost. Some drivers never end
  /// a wait for a lost device.
  std::chrono::milliseconds lossCheck{1000};
  /// The device counts as lost if none of its work has ended for this time. 0 means no limit.
  std::chrono::milliseconds timeout{0};
  /// The staging memory of a queue for one direction: the size of a chunk, and the number of
  /// chunks.
  uint64_t stagingChunkBytes = 4u << 20;
  uint32_t stagingChunks = 8;
  /// Kernels with more bindings than this use descriptor pools. Every device supports 32.
  uint32_t maxPushDescriptors = 32;
  /// Whether the host itself accesses host-visible buffers that no work uses.
  bool directTransfers = true;
  /// The disk cache for compiled pipelines, if there is one.
  std::optional<DiskCache> cache;
  QueueLock queueLock;
  /// Queue families of the application that also use buffers. If empty, only the plan's family uses
  /// them.
  std::vector<uint32_t> families;
};

} // namespace pumice::vulkan
