//===- Patience.h - calls that fail while others make them --------------------===//
// Where many processes open a GPU at the same moment, drivers answer some of them that they cannot
// start. A moment later they can.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>
#include <chrono>
#include <functional>

namespace pumice::vulkan {

/// How long opening a device that is there is tried; tests want it otherwise.
inline std::atomic<std::chrono::milliseconds> openPatience{std::chrono::milliseconds(8000)};

/// How long Vulkan itself is tried: as above where this machine has a GPU, by its device files,
/// else not at all: then there is nothing to wait for.
std::chrono::milliseconds startPatience();

/// What `attempt` answers, made again after ever longer rests while it says that the driver cannot
/// start or that the device is lost, for as long as `longest`. The failure names `call`, and how
/// often it was tried.
Status tryPatiently(std::chrono::milliseconds longest, std::string_view call,
                    const std::function<VkResult()> &attempt);

} // namespace pumice::vulkan
