//===- DescriptorPools.h - descriptor sets of one batch ---------------------===//
// For kernels whose descriptors cannot be recorded with the launch. Sets live as long as the batch;
// then whole pools are taken back. Not thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "support/Status.h"

#include <vector>

namespace pumice::vulkan {

class VulkanDevice;

class DescriptorPools {
public:
  explicit DescriptorPools(VulkanDevice &device) : device(device) {}
  ~DescriptorPools();
  DescriptorPools(const DescriptorPools &) = delete;
  DescriptorPools &operator=(const DescriptorPools &) = delete;

  /// A set of `layout`, which has `descriptors` of them. Errors: ResourceExhausted.
  Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout, uint32_t descriptors);
  Status reset();

private:
  Result<VkDescriptorPool> addPool(uint32_t descriptors);

  VulkanDevice &device;
  std::vector<VkDescriptorPool> pools;
  size_t current = 0; // those before are full
};

} // namespace pumice::vulkan
