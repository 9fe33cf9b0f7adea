//===- BarePipeline.h - one compute pipeline from plain data ----------------===//
// A description of a compute pipeline, and the code that creates it. Statistics, driver checks and
// benchmarks share both.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/BareDevice.h"

#include <cstdint>
#include <map>
#include <vector>

namespace pumice::vulkan {

struct SpecializationConstant {
  uint32_t id = 0;
  uint32_t bytes = 4; // 1, 2, 4 or 8; booleans are 4
  uint64_t bits = 0;
};

struct BufferSlot {
  uint32_t set = 0, binding = 0;
  bool uniform = false; // false: a storage buffer
  friend auto operator<=>(const BufferSlot &, const BufferSlot &) = default;
};

/// A compute entry point: its code, and everything else that creating a pipeline needs.
struct PipelineRequest {
  std::vector<uint32_t> spirv;
  std::string symbol; // the entry point's name in the module
  uint32_t pushConstantBytes = 0;
  std::vector<BufferSlot> buffers;
  std::vector<SpecializationConstant> constants;
  uint32_t requiredSubgroupSize = 0; // 0: any
  bool fullSubgroups = false;
};

class BarePipeline {
public:
  /// Creates the pipeline. Errors: InvalidArgument for a request that no device could meet;
  /// Unsupported, which names the feature that `device` lacks; or the error of the driver.
  static Result<std::unique_ptr<BarePipeline>>
  create(BareDevice &device, const PipelineRequest &request, bool captureStatistics = false);
  ~BarePipeline();
  BarePipeline(const BarePipeline &) = delete;
  BarePipeline &operator=(const BarePipeline &) = delete;

  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> setLayouts; // by set number, including empty sets

private:
  explicit BarePipeline(BareDevice &owner) : owner(owner) {}
  Status createLayout(const PipelineRequest &request);
  Status createPipeline(const PipelineRequest &request, bool captureStatistics);

  BareDevice &owner;
  VkShaderModule module = VK_NULL_HANDLE;
};

} // namespace pumice::vulkan
