//===- Patience.h - retries calls that fail under contention --------------===//
// If many processes open a GPU at the same moment, drivers tell some of them that they cannot
// start. A moment later they can.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace pumice::vulkan {

/// How long opening a device is retried. Tests set other values.
inline std::atomic<std::chrono::milliseconds> openPatience{std::chrono::milliseconds(8000)};

/// Returns how long starting Vulkan itself is retried. It is the limit above if this machine has a
/// GPU's device files. Otherwise it is zero, since there is nothing to wait for.
std::chrono::milliseconds startPatience();

/// Calls `attempt` again, after longer and longer pauses, while it reports that the driver cannot
/// start or that the device is lost. Gives up after `longest`. The error names `call` and the
/// number of attempts.
Status tryPatiently(std::chrono::milliseconds longest, std::string_view call,
                    const std::function<VkResult()> &attempt);

} // namespace pumice::vulkan
