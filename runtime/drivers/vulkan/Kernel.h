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
  /// Returns the layouts by set number. The layout of a set without bindings is null.
  std::span<const VkDescriptorSetLayout> setLayouts() const { return sets; }
  /// Returns whether all bindings are in one set, whose descriptors are recorded with each launch.
  bool pushesDescriptors() const { return pushes; }
  /// Returns whether the code reads the number of workgroups. If so, a split grid needs another
  /// pipeline.
  bool countsWorkgroups() const { return counted != nullptr; }
  /// Returns a kernel of the same code that sees `groups` as the number of workgroups, whatever is
  /// dispatched. Keeps the pipelines of the most recently used grids. Errors: Unsupported if the
  /// code is not understood, and those of `create`.
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
  struct Counted; // the state of `forGrid`
  std::unique_ptr<Counted> counted;
};

} // namespace pumice::vulkan
