//===- PipelineCache.cpp - compiled pipelines, kept between runs ------------===//
#include "runtime/drivers/vulkan/PipelineCache.h"

#include "runtime/drivers/vulkan/Call.h"

namespace pumice::vulkan {

PipelineCache::PipelineCache(const VolkDeviceTable &vk, VkDevice device, const DeviceFacts &, bool)
    : vk(vk), device(device) {}

PipelineCache::~PipelineCache() { vk.vkDestroyPipelineCache(device, cache, nullptr); }

Status PipelineCache::create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline) {
  return PUMICE_VK_STATUS(vk., vkCreateComputePipelines, device, cache, 1, &info, nullptr,
                          &pipeline);
}

} // namespace pumice::vulkan
