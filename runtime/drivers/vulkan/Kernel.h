//===- Kernel.h - a compute pipeline ----------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

namespace pumice::vulkan {

class VulkanKernel final : public hal::Kernel {
public:
  static Result<Ref<VulkanKernel>> create(VulkanDevice &device, const hal::KernelSource &source);

  VkPipeline pipeline() const { return pipelineHandle; }
  VkPipelineLayout layout() const { return layoutHandle; }
  /// By set number; null where no binding is in that set.
  std::span<const VkDescriptorSetLayout> setLayouts() const { return sets; }
  /// All bindings are in one set, whose descriptors are recorded with the launch.
  bool pushesDescriptors() const { return pushes; }
  /// Reads how many workgroups there are: its grid cannot be split.
  bool countsWorkgroups() const { return readsWorkgroupCount; }

private:
  VulkanKernel(VulkanDevice &device, const hal::KernelSource &source);
  ~VulkanKernel() override;
  Status createLayout();
  Status createPipeline(const hal::KernelSource &source, VkShaderModule module);

  VulkanDevice &owner;
  VkPipeline pipelineHandle = VK_NULL_HANDLE;
  VkPipelineLayout layoutHandle = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> sets;
  bool pushes = false, readsWorkgroupCount = false;
};

} // namespace pumice::vulkan
