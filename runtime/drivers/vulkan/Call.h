//===- Call.h - one way to call Vulkan --------------------------------------===//
// Every call of Vulkan that can fail goes through PUMICE_VK, so that tests can make each call fail.
// CallSitesTest.cpp reads these sources and checks every call. If no test has set a hook, this
// costs one load.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Status.h"

#include <atomic>

namespace pumice::vulkan {

/// One call of Vulkan in our sources.
struct CallSite {
  const char *function; // as written in the call, perhaps with `::`
  const char *file;
  int line; // a line of the macro call; it depends on the compiler
};

/// A function that runs before each call. If its result is not VK_SUCCESS, the call is skipped, and
/// that result is used instead.
using FaultHook = VkResult (*)(const CallSite &site);
inline std::atomic<FaultHook> faultHook{nullptr};

inline VkResult injectedFault(const CallSite &site) {
  FaultHook hook = faultHook.load(std::memory_order_relaxed);
  return hook ? hook(site) : VK_SUCCESS;
}

} // namespace pumice::vulkan

/// Calls `function` and returns its VkResult, as in PUMICE_VK(device.vk., vkCreateBuffer, handle,
/// &info, nullptr, &buffer). The function is a member of a table, or, with `::` as the table, a
/// global of volk.
#define PUMICE_VK(table, function, ...)                                                            \
  ([&]() -> VkResult {                                                                             \
    static constexpr ::pumice::vulkan::CallSite site{#function, __FILE__, __LINE__};               \
    VkResult fault = ::pumice::vulkan::injectedFault(site);                                        \
    return fault == VK_SUCCESS ? table function(__VA_ARGS__) : fault;                              \
  }())

/// Calls `function` as PUMICE_VK does, but returns a Status. Only VK_SUCCESS gives ok.
#define PUMICE_VK_STATUS(table, function, ...)                                                     \
  ::pumice::vulkan::toStatus(PUMICE_VK(table, function, __VA_ARGS__), #function)

/// Bypasses the hook, for calls that every test must really make. Ignores the result.
#define PUMICE_VK_ALWAYS(table, function, ...) ((void)table function(__VA_ARGS__))
