//===- DeviceOptions.h - how the driver works, where tests want it otherwise ===//
#pragma once

#include <chrono>
#include <cstdint>

namespace pumice::vulkan {

struct DeviceOptions {
  /// A waiting thread looks this long before it sleeps: a sleep costs about as much.
  std::chrono::microseconds pollBeforeSleep{30};
  /// Staging memory of a queue in one direction: so many chunks of so many bytes.
  uint64_t stagingChunkBytes = 4u << 20;
  uint32_t stagingChunks = 8;
  /// Kernels with more bindings use descriptor pools. 32 is what every device takes.
  uint32_t maxPushDescriptors = 32;
  /// Host-visible buffers that nothing uses are read and written by the host itself.
  bool directTransfers = true;
  /// Compiled pipelines are kept on disk.
  bool diskCache = true;
};

} // namespace pumice::vulkan
