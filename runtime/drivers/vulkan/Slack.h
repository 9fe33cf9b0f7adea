//===- Slack.h - how much memory around a buffer may be read ------------------===//
// Kernels of the world read a little outside of their tensors, and nobody notices where the
// allocator rounds up. So buffers that kernels see lie between two slacks: memory of the same
// VkBuffer that belongs to nobody and holds zeros until someone writes there. Descriptors and
// copies are bound to the buffer's own bytes. Pure decisions, tested without a device.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace pumice::vulkan {

/// The usual slack on each side, and the most: what CUDA's allocator rounds to.
inline constexpr uint64_t usualSlack = 64u << 10, mostSlack = 2u << 20;
/// Host memory of fewer bytes has none: parameters of launches are in such buffers, thousands of
/// them.
inline constexpr uint64_t leastHostBytes = 4096;
/// The slack of a buffer when much of the device's memory is slack already.
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
