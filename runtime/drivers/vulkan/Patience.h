//===- Patience.h - retries calls that fail under contention --------------===//
// If many processes open a GPU at the same moment, drivers reject some of them at first, and accept
// them a moment later.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace pumice::vulkan {

/// How long to retry opening a device. Tests set other values.
inline std::atomic<std::chrono::milliseconds> openPatience{std::chrono::milliseconds(8000)};

/// Returns how long to retry starting Vulkan itself. This is `openPatience` if this machine has a
/// GPU's device files. Otherwise it is zero, since no driver will start later.
std::chrono::milliseconds startPatience();

/// Repeats `attempt`, after longer and longer pauses, while it reports that the driver cannot start
/// or that the device is lost. Gives up after `longest`. The error names `call` and the number of
/// attempts.
Status tryPatiently(std::chrono::milliseconds longest, std::string_view call,
                    const std::function<VkResult()> &attempt);

} // namespace pumice::vulkan
