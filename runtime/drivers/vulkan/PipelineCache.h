//===- PipelineCache.h - compiled pipelines, kept between runs --------------===//
// There is one file for each device, driver and build of Pumice, which all processes share.
// Thread-safe.
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
  /// Takes the cache on disk as `kept`, or null to keep nothing.
  PipelineCache(const FunctionTable &vk, VkDevice device, const DeviceFacts &facts,
                const DiskCache *kept);
  /// Writes the new entries, and keeps those that other processes wrote meanwhile.
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  /// Compiles or finds one pipeline. Returns the result of vkCreateComputePipelines.
  VkResult create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline);

  /// Writes new entries. It never fails: a cache that cannot be kept only costs time.
  void save();

private:
  /// Loads a cache from disk. Sets `found`, if it is given, to whether there was anything.
  VkPipelineCache load(bool *found = nullptr);
  size_t dataBytes();
  std::vector<uint8_t> dataOf(VkPipelineCache from); // empty on failure
  /// Returns true after new pipelines number 1, 2, 4 and 8, and then after every 16. Most processes
  /// never close their device, and some are killed. Such a process loses less than half of its
  /// pipelines.
  bool isTimeToSave();

  const FunctionTable &vk;
  VkDevice device;
  const VkPhysicalDeviceProperties properties;
  const CodeGate gate;
  std::optional<DiskCache> disk;
  std::string fileName;
  VkPipelineCache cache = VK_NULL_HANDLE;
  std::atomic<uint32_t> fresh = 0;   // the number of new pipelines
  std::atomic<size_t> seenBytes = 0; // the cache's size after the newest pipeline
  std::mutex mutex;                  // held while saving
  bool isOnDisk = false;
  size_t savedBytes = 0; // size of the data when it was last loaded or saved
};

} // namespace pumice::vulkan
