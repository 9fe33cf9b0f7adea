//===- DescriptorPools.cpp - descriptor sets of one batch -------------------===//
#include "runtime/drivers/vulkan/DescriptorPools.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Device.h"

#include <algorithm>

namespace pumice::vulkan {

DescriptorPools::~DescriptorPools() {
  for (VkDescriptorPool pool : pools)
    device.vk().vkDestroyDescriptorPool(device.handle(), pool, nullptr);
}

Result<VkDescriptorPool> DescriptorPools::addPool(uint32_t descriptors) {
  constexpr uint32_t setsPerPool = 128;
  uint32_t count = std::max(setsPerPool * 4, descriptors);
  VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count},
                                  {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count}};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = setsPerPool;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  PUMICE_RETURN_IF_ERROR(device.check(
      PUMICE_VK(device.vk()., vkCreateDescriptorPool, device.handle(), &info, nullptr, &pool),
      "vkCreateDescriptorPool"));
  return pool;
}

Result<VkDescriptorSet> DescriptorPools::allocate(VkDescriptorSetLayout layout,
                                                  uint32_t descriptors) {
  for (;;) {
    bool fresh = current == pools.size();
    if (fresh) {
      PUMICE_TRY(VkDescriptorPool pool, addPool(descriptors));
      pools.push_back(pool);
    }
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pools[current];
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkResult result =
        PUMICE_VK(device.vk()., vkAllocateDescriptorSets, device.handle(), &info, &set);
    if (result == VK_SUCCESS)
      return set;
    bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!full || fresh)
      return device.check(result, "vkAllocateDescriptorSets");
    ++current;
  }
}

Status DescriptorPools::reset() {
  for (size_t i = 0; i < pools.size() && i <= current; ++i)
    PUMICE_RETURN_IF_ERROR(
        device.check(PUMICE_VK(device.vk()., vkResetDescriptorPool, device.handle(), pools[i], 0),
                     "vkResetDescriptorPool"));
  current = 0;
  return Status::ok();
}

} // namespace pumice::vulkan
