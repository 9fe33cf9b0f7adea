//===- DevicePlan.h - what to enable, and the fallbacks ---------------------===//
// A plan is computed only from the facts about a device, so planning can be tested without a GPU.
// The device is then created as planned.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/PhysicalDevice.h"

namespace pumice::vulkan {

/// The uses of memory. Each use has a list of memory types, with the best first.
enum class MemoryUse : uint8_t {
  Device,   // buffers in device memory
  Host,     // buffers in host memory: mapped and coherent
  Upload,   // staging that the host writes: mapped and coherent
  Download, // staging that the host reads: mapped and coherent, cached if possible
};
inline constexpr size_t memoryUses = 4;

struct DevicePlan {
  std::vector<std::string> extensions; // extensions to enable
  NameSet features;                    // features to enable
  uint32_t queueFamily = 0, queueCount = 1;
  std::array<std::vector<uint32_t>, memoryUses> memoryTypes;

  // The features that the driver uses. The comments name the fallback if a feature is false.
  bool timelineSemaphores = false; // else fences, one for each batch
  bool bufferAddresses = false;    // else descriptors only
  bool subgroupSizeControl = false, fullSubgroups = false;
  bool synchronization2 = false;     // else vkCmdPipelineBarrier and vkQueueSubmit
  bool hostImport = false;           // VK_EXT_external_memory_host; else copies
  bool memoryFd = false;             // VK_KHR_external_memory_fd; else no memory is shared
  bool hostQueryReset = false;       // else vkCmdResetQueryPool
  bool timestamps = false;           // else profiles hold host times only
  bool pushDescriptors = false;      // VK_KHR_push_descriptor; else descriptor pools
  bool pipelineStatistics = false;   // VK_KHR_pipeline_executable_properties
  bool cacheControl = false;         // a pipeline can be requested only if it is in the cache
  bool memoryBudget = false;         // VK_EXT_memory_budget; else heap sizes
  bool deviceFault = false;          // VK_EXT_device_fault: reasons for a lost device
  bool portability = false;          // a layered implementation such as MoltenVK
  bool events = true;                // VkEvent works; else pipeline barriers
  bool deviceMemoryIsMapped = false; // the host can access `MemoryUse::Device` directly
  bool robustBufferAccess = false;   // off unless requested, since it costs time and hides errors

  const std::vector<uint32_t> &types(MemoryUse use) const {
    return memoryTypes[static_cast<size_t>(use)];
  }
};

/// The default number of VkQueues that the runtime's queues share. With two, copies can run at the
/// same time as kernels. Each VkQueue takes time when a device is opened: 21 ms on an H200.
inline constexpr uint32_t usualQueues = 2;

/// Plans a device with up to `queues` VkQueues, if the family has that many. Enables
/// robustBufferAccess if `robustAccess` is set and the device supports it. Errors: Unsupported if
/// the device has no compute queue.
Result<DevicePlan> planDevice(const DeviceFacts &facts, uint32_t queues = usualQueues,
                              bool robustAccess = false);

/// Returns the best memory type for `use` among the types in the mask `allowedTypes`
/// (VkMemoryRequirements::memoryTypeBits). Errors: Unsupported.
Result<uint32_t> chooseMemoryType(const DevicePlan &plan, MemoryUse use, uint32_t allowedTypes);

} // namespace pumice::vulkan
