//===- PipelineCache.h - compiled pipelines, kept between runs --------------===//
// The pipeline cache on disk. Each device, driver and build of Pumice has one file, which all
// processes share. Thread-safe.
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
  /// `kept` is the cache on disk. If it is null, nothing is kept.
  PipelineCache(const FunctionTable &vk, VkDevice device, const DeviceFacts &facts,
                const DiskCache *kept);
  /// Writes new entries. Keeps those that other processes have written in the meantime.
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  /// Compiles one pipeline, or finds it in the cache. Returns the result of
  /// vkCreateComputePipelines.
  VkResult create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline);

  /// Writes new entries. Reports no errors, because a cache that cannot be kept only costs time.
  void save();

private:
  /// Loads the cache from disk. If `found` is given, sets it to whether the disk had any data.
  VkPipelineCache load(bool *found = nullptr);
  size_t dataBytes();
  std::vector<uint8_t> dataOf(VkPipelineCache from); // empty on failure
  /// Returns true after new pipelines number 1, 2, 4 and 8, and then after every 16 pipelines. Most
  /// processes never close their devices, and some are killed. With this rule, such a process loses
  /// less than half of its pipelines.
  bool isTimeToSave();

  const FunctionTable &vk;
  VkDevice device;
  const VkPhysicalDeviceProperties properties;
  const CodeGate gate;
  std::optional<DiskCache> disk;
  std::string fileName;
  VkPipelineCache cache = VK_NULL_HANDLE;
  std::atomic<uint32_t> fresh = 0;   // the number of new pipelines
  std::atomic<size_t> seenBytes = 0; // the cache's size after the latest pipeline
  std::mutex mutex;                  // held while saving
  bool isOnDisk = false;
  size_t savedBytes = 0; // the size of the data that was last loaded or saved
};

} // namespace pumice::vulkan
