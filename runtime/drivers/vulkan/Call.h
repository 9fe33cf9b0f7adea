//===- Call.h - one way to call Vulkan --------------------------------------===//
// Every driver call that can fail goes through PUMICE_VK, so that tests can make each of them fail.
// CallSitesTest.cpp reads these sources, and checks every place. Without a test's hook, this costs
// one load.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/VulkanStatus.h"

#include <atomic>

namespace pumice::vulkan {

/// One call in these sources.
struct CallSite {
  const char *function; // as it is called, perhaps with `::`
  const char *file;
  int line; // of the macro; compilers differ in which of its lines that is
};

/// Asked before each call; any answer but VK_SUCCESS is returned in the call's place.
using FaultHook = VkResult (*)(const CallSite &site);
inline std::atomic<FaultHook> faultHook{nullptr};

inline VkResult injectedFault(const CallSite &site) {
  FaultHook hook = faultHook.load(std::memory_order_relaxed);
  return hook ? hook(site) : VK_SUCCESS;
}

} // namespace pumice::vulkan

/// The VkResult of `function`, one of a table's members or, with `::` for the table, of volk's
/// globals: PUMICE_VK(device.vk., vkCreateBuffer, handle, &info, nullptr, &buffer).
#define PUMICE_VK(table, function, ...)                                                            \
  ([&]() -> VkResult {                                                                             \
    static constexpr ::pumice::vulkan::CallSite site{#function, __FILE__, __LINE__};               \
    VkResult fault = ::pumice::vulkan::injectedFault(site);                                        \
    return fault == VK_SUCCESS ? table function(__VA_ARGS__) : fault;                              \
  }())

/// The same as a Status: success is VK_SUCCESS alone.
#define PUMICE_VK_STATUS(table, function, ...)                                                     \
  ::pumice::vulkan::toStatus(PUMICE_VK(table, function, __VA_ARGS__), #function)

/// Past the hook, for calls that must run whatever a test plays; their answer changes nothing.
#define PUMICE_VK_ALWAYS(table, function, ...) ((void)table function(__VA_ARGS__))
