//===- PipelineCache.h - compiled pipelines, kept between runs --------------===//
// One file for each device, driver and build of ours, shared by all processes. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/CodeGate.h"
#include "runtime/drivers/vulkan/DeviceFunctions.h"
#include "runtime/drivers/vulkan/PhysicalDevice.h"
#include "support/DiskCache.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pumice::vulkan {

class PipelineCache {
public:
  /// `kept`: where on disk; null: nowhere.
  PipelineCache(const FunctionTable &vk, VkDevice device, const DeviceFacts &facts,
                const DiskCache *kept);
  /// Writes the new entries, and keeps those that other processes wrote meanwhile.
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  /// Compiles or finds one pipeline. Returns the result of vkCreateComputePipelines.
  VkResult create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline);

  /// Writes what is new now. Never an error: a cache that cannot be kept is only slower.
  void save();

private:
  /// A cache with what is on disk; `found`, where wanted: whether there was anything.
  VkPipelineCache load(bool *found = nullptr);
  size_t dataBytes();
  std::vector<uint8_t> dataOf(VkPipelineCache from); // empty on failure
  /// After the first new pipeline, the second, the fourth, and so on; from 16 on, after every 16.
  /// Most processes never close their device, and some are killed: these lose less than half, and
  /// the next one starts with the rest.
  bool isTimeToSave();

  const FunctionTable &vk;
  VkDevice device;
  const VkPhysicalDeviceProperties properties;
  const CodeGate gate;
  std::optional<DiskCache> disk;
  std::string fileName;
  VkPipelineCache cache = VK_NULL_HANDLE;
  std::atomic<uint32_t> fresh = 0;   // pipelines that were not in it
  std::atomic<size_t> seenBytes = 0; // the data's after the last of them
  std::mutex mutex;                  // of saving
  bool isOnDisk = false;
  size_t savedBytes = 0; // the data's when it was loaded or saved last
};

} // namespace pumice::vulkan
