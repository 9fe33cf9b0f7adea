//===- Call.h - one way to call Vulkan --------------------------------------===//
// Every driver call that can fail goes through PUMICE_VK, so that tests can make each of them fail.
// CallSitesTest.cpp reads these sources, and checks every call. Without a test's hook, this costs
// one load.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>

namespace pumice::vulkan {

/// One call of Vulkan in these sources.
struct CallSite {
  const char *function; // the name in the call, perhaps with `::`
  const char *file;
  int line; // a line of the macro call; compilers differ in which one
};

/// A function that runs before each call. If it does not return VK_SUCCESS, the call is skipped and
/// its result is used instead.
using FaultHook = VkResult (*)(const CallSite &site);
inline std::atomic<FaultHook> faultHook{nullptr};

inline VkResult injectedFault(const CallSite &site) {
  FaultHook hook = faultHook.load(std::memory_order_relaxed);
  return hook ? hook(site) : VK_SUCCESS;
}

} // namespace pumice::vulkan

/// Calls `function` and returns its VkResult, as in PUMICE_VK(device.vk., vkCreateBuffer, handle,
/// &info, nullptr, &buffer). The function is a member of one of the tables. With `::` as the table,
/// it is a global of volk.
#define PUMICE_VK(table, function, ...)                                                            \
  ([&]() -> VkResult {                                                                             \
    static constexpr ::pumice::vulkan::CallSite site{#function, __FILE__, __LINE__};               \
    VkResult fault = ::pumice::vulkan::injectedFault(site);                                        \
    return fault == VK_SUCCESS ? table function(__VA_ARGS__) : fault;                              \
  }())

/// Calls `function` like PUMICE_VK, but returns a Status, which is ok only for VK_SUCCESS.
#define PUMICE_VK_STATUS(table, function, ...)                                                     \
  ::pumice::vulkan::toStatus(PUMICE_VK(table, function, __VA_ARGS__), #function)

/// Bypasses the hook, for calls that must run in every test. Their result is ignored.
#define PUMICE_VK_ALWAYS(table, function, ...) ((void)table function(__VA_ARGS__))
