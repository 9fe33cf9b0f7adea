//===- Kernel.cpp - a compute pipeline --------------------------------------===//
#include "runtime/drivers/vulkan/Kernel.h"

#include "executable/SpirvWords.h"
#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/FixWorkgroupCount.h"
#include "runtime/hal/ModuleNeeds.h"
#include "runtime/hal/Workarounds.h"
#include "support/CompileProgress.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace pumice::vulkan {
namespace {

/// Copies the code to words, because the caller's bytes may not be aligned.
std::vector<uint32_t> moduleWords(std::span<const uint8_t> code) {
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  return words;
}

/// Facts about a module that are determined before a driver sees it.
struct ModuleFacts {
  bool readsNumWorkgroups = false; // whether a variable is the number of workgroups
};

/// Rejects modules on which drivers crash. Such modules need features that are not enabled in the
/// device, or end inside a function, even between two instructions.
Result<ModuleFacts> examine(const hal::DeviceInfo &device, std::span<const uint8_t> code) {
  namespace spirv = executable::spirv;
  const executable::FieldPath top;
  PUMICE_TRY(executable::SpirvWords words, executable::SpirvWords::of(code, top.field("code")));
  PUMICE_RETURN_IF_ERROR(hal::meetsModule(device, words));
  PUMICE_RETURN_IF_ERROR(hal::keepsWorkarounds(device, words));
  ModuleFacts facts;
  bool whole = false;
  for (executable::SpirvInstruction instruction : words) {
    uint32_t opcode = instruction.opcode();
    if (opcode == spirv::OpFunction || opcode == spirv::OpFunctionEnd)
      whole = opcode == spirv::OpFunctionEnd;
    if (opcode == spirv::OpDecorate && instruction.operands() >= 3 &&
        instruction.operand(1) == spirv::BuiltIn &&
        instruction.operand(2) == spirv::builtInNumWorkgroups)
      facts.readsNumWorkgroups = true;
  }
  if (!whole)
    return Status(StatusCode::InvalidArgument,
                  "the SPIR-V module is truncated: its last function has no OpFunctionEnd");
  return facts;
}

/// Returns the bytes that arrays take in the private memory of each invocation.
uint64_t privateBytes(const executable::SpirvWords &module) {
  namespace spirv = executable::spirv;
  std::map<uint32_t, uint64_t> bytes, counts; // of types and of constants
  uint64_t sum = 0;
  for (executable::SpirvInstruction instruction : module) {
    uint32_t first = instruction.operand(0), second = instruction.operand(1);
    switch (instruction.opcode()) {
    case spirv::OpTypeInt:
    case spirv::OpTypeFloat:
      bytes[first] = second / 8;
      break;
    case spirv::OpTypeVector:
      bytes[first] = bytes[second] * instruction.operand(2);
      break;
    case spirv::OpConstant:
      counts[second] = instruction.operand(2);
      break;
    case spirv::OpTypeArray:
      bytes[first] = bytes[second] * counts[instruction.operand(2)];
      break;
    case spirv::OpTypePointer:
      if (second == spirv::Function || second == spirv::Private)
        bytes[first] = bytes[instruction.operand(2)];
      break;
    case spirv::OpVariable:
      sum += bytes[first];
    }
  }
  return sum;
}

/// Reports that the driver's compiler failed. Some compilers give up on large kernels without
/// giving a reason.
Status gaveUp(std::span<const uint8_t> code) {
  std::string why = "the driver's compiler gives up on it (vkCreateComputePipelines returned " +
                    describe(VK_ERROR_UNKNOWN) + ")";
  const executable::FieldPath top;
  Result<executable::SpirvWords> words = executable::SpirvWords::of(code, top.field("code"));
  if (uint64_t kept = words.isOk() ? privateBytes(*words) : 0)
    why += "; the kernel keeps " + std::to_string(kept) + " bytes in each lane";
  return Status(StatusCode::ResourceExhausted, why + ": take a smaller block, or more lanes");
}

/// Values of specialization constants, packed as Vulkan requires.
struct PackedConstants {
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint8_t> data;
  VkSpecializationInfo info{};

  explicit PackedConstants(const std::vector<hal::SpecializationConstant> &constants) {
    for (const hal::SpecializationConstant &constant : constants) {
      entries.push_back({constant.id, static_cast<uint32_t>(data.size()), constant.bytes});
      data.resize(data.size() + 8);
      std::memcpy(data.data() + entries.back().offset, &constant.bits, 8); // little-endian
    }
    info = {static_cast<uint32_t>(entries.size()), entries.data(), data.size(), data.data()};
  }
};

} // namespace

struct VulkanKernel::Counted {
  static constexpr size_t mostGrids = 8;

  explicit Counted(const hal::KernelSource &source)
      : source(source), code(source.code.begin(), source.code.end()) {
    this->source.code = code;
  }

  hal::KernelSource source;
  std::vector<uint8_t> code;
  std::mutex mutex;         // guards the members below
  uint32_t firstSpecId = 0; // the id of the first constant in the code for a fixed grid
  bool isFixed = false;
  // Sorted by their last use, with the most recent one at the end.
  std::vector<std::pair<std::array<uint32_t, 3>, Ref<VulkanKernel>>> grids;
};

VulkanKernel::VulkanKernel(VulkanDevice &device, const hal::KernelSource &source)
    : hal::Kernel(Ref<hal::Device>(&device), source), owner(device) {}

VulkanKernel::~VulkanKernel() {
  owner.vk().vkDestroyPipeline(owner.handle(), pipelineHandle, nullptr);
  owner.vk().vkDestroyPipelineLayout(owner.handle(), layoutHandle, nullptr);
  for (VkDescriptorSetLayout set : sets)
    owner.vk().vkDestroyDescriptorSetLayout(owner.handle(), set, nullptr);
}

Result<Ref<VulkanKernel>> VulkanKernel::create(VulkanDevice &device,
                                               const hal::KernelSource &source) {
  auto kernel = Ref<VulkanKernel>::adopt(new VulkanKernel(device, source));
  auto named = [&](Status status) {
    return std::move(status).at("kernel '" + kernel->label() + "'");
  };
  Result<ModuleFacts> facts = examine(device.info(), source.code);
  if (!facts.isOk())
    return named(facts.status());
  if (facts->readsNumWorkgroups)
    kernel->counted = std::make_unique<Counted>(source);
  if (Status status = kernel->createLayout(); !status.isOk())
    return named(status);

  std::vector<uint32_t> words = moduleWords(source.code);
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  Status status = device.check(
      PUMICE_VK(device.vk()., vkCreateShaderModule, device.handle(), &info, nullptr, &module),
      "vkCreateShaderModule");
  if (status.isOk())
    status = kernel->createPipeline(source, module);
  device.vk().vkDestroyShaderModule(device.handle(), module, nullptr);
  if (!status.isOk())
    return named(status);
  return kernel;
}

Result<Ref<VulkanKernel>> VulkanKernel::forGrid(const std::array<uint32_t, 3> &groups) const {
  std::lock_guard lock(counted->mutex); // kernels for other grids wait until this is compiled
  auto &grids = counted->grids;
  auto known = std::ranges::find(grids, groups, [](const auto &grid) { return grid.first; });
  if (known != grids.end()) {
    std::rotate(known, known + 1, grids.end());
    return grids.back().second;
  }
  if (!counted->isFixed) {
    PUMICE_TRY(FixedWorkgroupCount fixed, fixWorkgroupCount(counted->code));
    counted->code.resize(fixed.words.size() * sizeof(uint32_t));
    std::memcpy(counted->code.data(), fixed.words.data(), counted->code.size());
    counted->source.code = counted->code;
    counted->firstSpecId = fixed.firstSpecId;
    counted->isFixed = true;
  }
  hal::KernelSource source = counted->source;
  for (uint32_t i = 0; i < 3; ++i)
    source.constants.push_back({counted->firstSpecId + i, 4, groups[i]});
  PUMICE_TRY(Ref<VulkanKernel> made, create(owner, source));
  if (grids.size() == Counted::mostGrids)
    grids.erase(grids.begin()); // batches keep the kernels that they use
  grids.emplace_back(groups, made);
  return made;
}

Status VulkanKernel::createLayout() {
  uint32_t setCount = 0;
  for (const hal::BindingSlot &slot : bindings())
    setCount = std::max(setCount, slot.set + 1);
  bool oneSet = std::ranges::all_of(
      bindings(), [&](const hal::BindingSlot &slot) { return slot.set == bindings()[0].set; });
  // lavapipe of Mesa 22 writes all pushed elements of an array to the first element.
  bool hasArrays = std::ranges::any_of(
      bindings(), [](const hal::BindingSlot &slot) { return slot.element != 0; });
  pushes = owner.plan.pushDescriptors && !bindings().empty() && oneSet && !hasArrays &&
           bindings().size() <= owner.options.maxPushDescriptors;

  for (uint32_t set = 0; set < setCount; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> list;
    for (const hal::BindingSlot &slot : bindings()) {
      if (slot.set != set)
        continue;
      auto known = std::ranges::find(list, slot.binding, &VkDescriptorSetLayoutBinding::binding);
      if (known == list.end())
        known = list.insert(known, {slot.binding,
                                    slot.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                 : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    0, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
      known->descriptorCount = std::max(known->descriptorCount, slot.element + 1);
    }
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    if (pushes && !list.empty())
      info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    info.bindingCount = static_cast<uint32_t>(list.size());
    info.pBindings = list.data();
    sets.push_back(VK_NULL_HANDLE);
    PUMICE_RETURN_IF_ERROR(owner.check(PUMICE_VK(owner.vk()., vkCreateDescriptorSetLayout,
                                                 owner.handle(), &info, nullptr, &sets.back()),
                                       "vkCreateDescriptorSetLayout"));
  }
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushConstantBytes()};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = setCount;
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = pushConstantBytes() ? 1 : 0;
  info.pPushConstantRanges = &range;
  return owner.check(
      PUMICE_VK(owner.vk()., vkCreatePipelineLayout, owner.handle(), &info, nullptr, &layoutHandle),
      "vkCreatePipelineLayout");
}

Status VulkanKernel::createPipeline(const hal::KernelSource &source, VkShaderModule module) {
  PackedConstants constants(source.constants);
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = source.requiredSubgroupSize;
  VkComputePipelineCreateInfo create{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  if (!counted)
    create.flags |= VK_PIPELINE_CREATE_DISPATCH_BASE;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module;
  create.stage.pName = source.symbol.c_str();
  create.stage.pSpecializationInfo = &constants.info;
  // Without subgroup size control, the device has only one size, which has been checked.
  if (source.requiredSubgroupSize && owner.plan.subgroupSizeControl)
    create.stage.pNext = &subgroup;
  if (source.fullSubgroups) {
    if (!owner.plan.fullSubgroups)
      return Status(StatusCode::Unsupported,
                    "it needs full subgroups; the device lacks computeFullSubgroups");
    create.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  create.layout = layoutHandle;
  progress::Compilation shown(source.symbol, "the driver's pipeline");
  VkResult result = owner.pipelines.create(create, pipelineHandle);
  return result == VK_ERROR_UNKNOWN ? gaveUp(source.code)
                                    : owner.check(result, "vkCreateComputePipelines");
}

} // namespace pumice::vulkan
