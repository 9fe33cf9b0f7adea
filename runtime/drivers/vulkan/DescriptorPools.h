//===- DescriptorPools.h - descriptor sets of one batch ---------------------===//
// Descriptor sets for kernels whose descriptors cannot be pushed with the launch. Sets live as long
// as the batch, and then whole pools are reset. Not thread-safe.
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

  /// Allocates a set of `layout`, which has `descriptors` descriptors. Errors: ResourceExhausted.
  Result<VkDescriptorSet> allocate(VkDescriptorSetLayout layout, uint32_t descriptors);
  Status reset();

private:
  Result<VkDescriptorPool> addPool(uint32_t descriptors);

  VulkanDevice &device;
  std::vector<VkDescriptorPool> pools;
  size_t current = 0; // the pool in use; earlier pools are full
};

} // namespace pumice::vulkan
