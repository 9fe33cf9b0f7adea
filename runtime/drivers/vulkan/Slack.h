//===- Slack.h - readable memory around a buffer ----------------------------===//
// Many kernels read a little beyond their tensors. This goes unnoticed if the allocator rounds
// sizes up. So each buffer that kernels can access has slack on both sides: memory in the same
// VkBuffer that holds zeros until something writes there. Descriptors and copies use only the
// buffer's own bytes. The functions here do not need a device, so they can be tested without one.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace pumice::vulkan {

/// The usual and the largest slack on each side. CUDA's allocator rounds sizes up to a multiple of
/// the largest slack.
inline constexpr uint64_t usualSlack = 64u << 10, mostSlack = 2u << 20;
/// Smaller buffers in host memory have no slack, because there may be thousands of them, for
/// parameters of launches.
inline constexpr uint64_t leastHostBytes = 4096;
/// The slack of a buffer if slack already takes much of the device's memory.
inline constexpr uint64_t scarceSlack = 4096;

/// Returns the slack on each side of a buffer: a sixteenth of its size, within the bounds above.
/// The total slack of a device, which is now `held` bytes, may take a sixteenth of the heap, plus a
/// page for each buffer. `room` is the space that the largest possible VkBuffer leaves for slack.
inline uint64_t slackBytes(uint64_t bytes, uint64_t held, uint64_t heap, uint64_t room) {
  uint64_t slack = std::clamp(bytes / 16, usualSlack, mostSlack) / usualSlack * usualSlack;
  if (held + 2 * slack > heap / 16)
    slack = scarceSlack;
  return 2 * slack <= room ? slack : 0;
}

} // namespace pumice::vulkan
