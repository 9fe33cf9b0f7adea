//===- Kernel.h - a compute pipeline ----------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

#include <memory>

namespace pumice::vulkan {

class VulkanKernel final : public hal::Kernel {
public:
  static Result<Ref<VulkanKernel>> create(VulkanDevice &device, const hal::KernelSource &source);

  VkPipeline pipeline() const { return pipelineHandle; }
  VkPipelineLayout layout() const { return layoutHandle; }
  /// By set number; null if no binding is in that set.
  std::span<const VkDescriptorSetLayout> setLayouts() const { return sets; }
  /// All bindings are in one set, whose descriptors are recorded with the launch.
  bool pushesDescriptors() const { return pushes; }
  /// Reads how many workgroups there are: a grid that is split needs another pipeline.
  bool countsWorkgroups() const { return counted != nullptr; }
  /// The same code with `groups` as the number of workgroups, whatever is dispatched. Pipelines of
  /// the grids used last are kept. Errors: Unsupported if the code is not understood, and
  /// `create`'s.
  Result<Ref<VulkanKernel>> forGrid(const std::array<uint32_t, 3> &groups) const;

private:
  VulkanKernel(VulkanDevice &device, const hal::KernelSource &source);
  ~VulkanKernel() override;
  Status createLayout();
  Status createPipeline(const hal::KernelSource &source, VkShaderModule module);

  VulkanDevice &owner;
  VkPipeline pipelineHandle = VK_NULL_HANDLE;
  VkPipelineLayout layoutHandle = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> sets;
  bool pushes = false;
  struct Counted; // what `forGrid` needs
  std::unique_ptr<Counted> counted;
};

} // namespace pumice::vulkan
