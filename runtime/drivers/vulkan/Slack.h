//===- Slack.h - readable memory around a buffer --------------------------===//
// Many kernels read a little outside of their tensors, which goes unnoticed if the allocator rounds
// up. So each buffer that kernels see has slack on both sides. This memory belongs to the same
// VkBuffer and holds zeros until something writes there. Descriptors and copies are bound to the
// buffer's own bytes. The functions here need no device, so they can be tested without one.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace pumice::vulkan {

/// The usual slack on each side, and the maximum, to which CUDA's allocator rounds.
inline constexpr uint64_t usualSlack = 64u << 10, mostSlack = 2u << 20;
/// Smaller buffers in host memory have no slack. Thousands of them may hold parameters of launches.
inline constexpr uint64_t leastHostBytes = 4096;
/// The slack of a buffer when slack already takes much of the device's memory.
inline constexpr uint64_t scarceSlack = 4096;

/// Returns the slack on each side of a buffer: a sixteenth of its size, within the bounds above.
/// The slack of a device, now `held` bytes, takes at most a sixteenth of the heap, plus a page for
/// each buffer. `room`: the space that the largest VkBuffer leaves next to the buffer.
inline uint64_t slackBytes(uint64_t bytes, uint64_t held, uint64_t heap, uint64_t room) {
  uint64_t slack = std::clamp(bytes / 16, usualSlack, mostSlack) / usualSlack * usualSlack;
  if (held + 2 * slack > heap / 16)
    slack = scarceSlack;
  return 2 * slack <= room ? slack : 0;
}

} // namespace pumice::vulkan
