//===- Call.h - one way to call Vulkan --------------------------------------===//
// Every call of the driver that can fail goes through PUMICE_VK, so that tests can make each of
// them fail. Without a test's hook that costs one load.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>

namespace pumice::vulkan {

/// Asked before each call; any answer but VK_SUCCESS is returned in the call's place.
using FaultHook = VkResult (*)(const char *function);
inline std::atomic<FaultHook> faultHook{nullptr};

inline VkResult injectedFault(const char *function) {
  FaultHook hook = faultHook.load(std::memory_order_relaxed);
  return hook ? hook(function) : VK_SUCCESS;
}

} // namespace pumice::vulkan

/// The VkResult of `function`, one of a table's members or, with `::` for the table, of volk's
/// globals: PUMICE_VK(device.vk., vkCreateBuffer, handle, &info, nullptr, &buffer).
#define PUMICE_VK(table, function, ...)                                                            \
  ([&]() -> VkResult {                                                                             \
    VkResult fault = ::pumice::vulkan::injectedFault(#function);                                   \
    return fault == VK_SUCCESS ? table function(__VA_ARGS__) : fault;                              \
  }())

/// The same as a Status: success is VK_SUCCESS alone.
#define PUMICE_VK_STATUS(table, function, ...)                                                     \
  ::pumice::vulkan::toStatus(PUMICE_VK(table, function, __VA_ARGS__), #function)
