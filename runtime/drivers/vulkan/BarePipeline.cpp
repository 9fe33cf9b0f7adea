//===- BarePipeline.cpp - one compute pipeline from plain data --------------===//
#include "runtime/drivers/vulkan/BarePipeline.h"

#include "runtime/drivers/vulkan/Status.h"

#include <algorithm>
#include <cstring>

namespace pumice::vulkan {
namespace {

constexpr uint32_t spirvMagic = 0x07230203;

/// Checks that `device` supports `request`, without calling Vulkan.
Status check(const BareDevice &device, const PipelineRequest &request) {
  if (request.spirv.size() < 5 || request.spirv[0] != spirvMagic)
    return Status(StatusCode::InvalidArgument, "the code is not a SPIR-V module");
  const VkPhysicalDeviceLimits &limits = device.properties.limits;
  if (request.pushConstantBytes > limits.maxPushConstantsSize)
    return Status(StatusCode::Unsupported,
                  std::to_string(request.pushConstantBytes) +
                      " bytes of push constants exceed maxPushConstantsSize, " +
                      std::to_string(limits.maxPushConstantsSize));
  for (const BufferSlot &slot : request.buffers)
    if (slot.set >= limits.maxBoundDescriptorSets)
      return Status(StatusCode::Unsupported, "descriptor set " + std::to_string(slot.set) +
                                                 " exceeds maxBoundDescriptorSets, " +
                                                 std::to_string(limits.maxBoundDescriptorSets));
  uint32_t size = request.requiredSubgroupSize;
  if (size == 0)
    return Status::ok();
  bool fits =
      size >= device.minSubgroupSize && size <= device.maxSubgroupSize && (size & (size - 1)) == 0;
  if (!fits)
    return Status(StatusCode::Unsupported, "the required subgroup size " + std::to_string(size) +
                                               " is not one that the device offers (" +
                                               std::to_string(device.minSubgroupSize) + " to " +
                                               std::to_string(device.maxSubgroupSize) + ")");
  return Status::ok();
}

} // namespace

Result<std::unique_ptr<BarePipeline>>
BarePipeline::create(BareDevice &device, const PipelineRequest &request, bool captureStatistics) {
  PUMICE_RETURN_IF_ERROR(check(device, request));
  std::unique_ptr<BarePipeline> created(new BarePipeline(device));
  PUMICE_RETURN_IF_ERROR(created->createLayout(request));
  PUMICE_RETURN_IF_ERROR(created->createPipeline(request, captureStatistics));
  return created;
}

BarePipeline::~BarePipeline() {
  vkDestroyPipeline(owner.device, pipeline, nullptr);
  vkDestroyShaderModule(owner.device, module, nullptr);
  vkDestroyPipelineLayout(owner.device, layout, nullptr);
  for (VkDescriptorSetLayout set : setLayouts)
    vkDestroyDescriptorSetLayout(owner.device, set, nullptr);
}

Status BarePipeline::createLayout(const PipelineRequest &request) {
  uint32_t sets = 0;
  for (const BufferSlot &slot : request.buffers)
    sets = std::max(sets, slot.set + 1);
  setLayouts.assign(sets, VK_NULL_HANDLE);
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const BufferSlot &slot : request.buffers)
      if (slot.set == set)
        bindings.push_back(
            {slot.binding,
             slot.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
             1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    create.bindingCount = static_cast<uint32_t>(bindings.size());
    create.pBindings = bindings.data();
    PUMICE_RETURN_IF_ERROR(
        toStatus(vkCreateDescriptorSetLayout(owner.device, &create, nullptr, &setLayouts[set]),
                 "vkCreateDescriptorSetLayout"));
  }

  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, (request.pushConstantBytes + 3) & ~3u};
  VkPipelineLayoutCreateInfo create{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  create.setLayoutCount = sets;
  create.pSetLayouts = setLayouts.data();
  create.pushConstantRangeCount = range.size ? 1 : 0;
  create.pPushConstantRanges = &range;
  return toStatus(vkCreatePipelineLayout(owner.device, &create, nullptr, &layout),
                  "vkCreatePipelineLayout");
}

Status BarePipeline::createPipeline(const PipelineRequest &request, bool captureStatistics) {
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  code.codeSize = request.spirv.size() * sizeof(uint32_t);
  code.pCode = request.spirv.data();
  PUMICE_RETURN_IF_ERROR(toStatus(vkCreateShaderModule(owner.device, &code, nullptr, &module),
                                  "vkCreateShaderModule"));

  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint8_t> bytes;
  for (const SpecializationConstant &constant : request.constants) {
    entries.push_back({constant.id, static_cast<uint32_t>(bytes.size()), constant.bytes});
    const auto *first = reinterpret_cast<const uint8_t *>(&constant.bits); // little-endian hosts
    bytes.insert(bytes.end(), first, first + std::min<uint32_t>(constant.bytes, 8));
  }
  VkSpecializationInfo constants{static_cast<uint32_t>(entries.size()), entries.data(),
                                 bytes.size(), bytes.data()};

  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = request.requiredSubgroupSize;
  VkComputePipelineCreateInfo create{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module;
  create.stage.pName = request.symbol.c_str();
  create.stage.pSpecializationInfo = &constants;
  // Without subgroup size control, the device has only one size, and `check` has compared it with
  // the required size.
  if (request.requiredSubgroupSize && owner.subgroupSizeControl)
    create.stage.pNext = &subgroup;
  if (request.fullSubgroups && owner.computeFullSubgroups)
    create.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  if (captureStatistics && owner.pipelineStatistics)
    create.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  create.layout = layout;
  return toStatus(
      vkCreateComputePipelines(owner.device, VK_NULL_HANDLE, 1, &create, nullptr, &pipeline),
      "vkCreateComputePipelines");
}

} // namespace pumice::vulkan
