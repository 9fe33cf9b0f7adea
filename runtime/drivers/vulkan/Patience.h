//===- Patience.h - retries calls that fail under contention ----------------===//
// If many processes open a GPU at the same time, drivers reject some of them at first, but accept
// them a moment later.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Status.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace pumice::vulkan {

/// The time for which opening a device is retried. Tests set other values.
inline std::atomic<std::chrono::milliseconds> openPatience{std::chrono::milliseconds(8000)};

/// Returns the time for which starting Vulkan itself is retried. It is `openPatience` if this
/// machine has device files of a GPU. Otherwise it is zero, because no driver would start later.
std::chrono::milliseconds startPatience();

/// Repeats `attempt`, after longer and longer pauses, as long as its result is that the driver
/// cannot start or that the device is lost. Gives up after `longest`. The error names `call` and
/// the number of attempts.
Status tryPatiently(std::chrono::milliseconds longest, std::string_view call,
                    const std::function<VkResult()> &attempt);

} // namespace pumice::vulkan
