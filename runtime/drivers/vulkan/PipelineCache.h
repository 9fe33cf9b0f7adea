//===- PipelineCache.h - compiled pipelines, kept between runs --------------===//
// One file for each device, driver and build of ours, shared by all processes. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/PhysicalDevice.h"

#include <mutex>
#include <string>

namespace pumice::vulkan {

class PipelineCache {
public:
  PipelineCache(const VolkDeviceTable &vk, VkDevice device, const DeviceFacts &facts, bool onDisk);
  /// Writes what is new, beside what other processes wrote meanwhile.
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;
  PipelineCache &operator=(const PipelineCache &) = delete;

  /// Compiles, or finds, one pipeline. Errors: what vkCreateComputePipelines answers.
  Status create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline);

  /// Writes what is new now. Never an error: a cache that cannot be kept is only slower.
  void save();

private:
  VkPipelineCache load();

  const VolkDeviceTable &vk;
  VkDevice device;
  std::string fileName; // empty: nothing is kept
  std::mutex mutex;     // of what follows
  VkPipelineCache cache = VK_NULL_HANDLE;
  size_t savedBytes = 0; // the cache's when it was loaded or saved last
};

} // namespace pumice::vulkan
