//===- KernelLimits.cpp - checks a kernel against a device's limits ---------===//
#include "runtime/hal/KernelLimits.h"

#include "executable/SpirvReflection.h"
#include "executable/SpirvWords.h"
#include "runtime/hal/Invalid.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <map>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

class Excess {
public:
  /// Adds `what` to the list if `value` exceeds the limit.
  void check(uint64_t value, uint64_t limit, std::string_view limitName, const std::string &what,
             std::string_view hint = {}) {
    if (value > limit)
      list.push_back(
          concat(what, " (", limitName, " is ", limit, hint.empty() ? "" : "; ", hint, ")"));
  }
  std::vector<std::string> list;
};

bool isSpirv(VariantKind kind) {
  return kind == VariantKind::VulkanSpirv || kind == VariantKind::OpenclSpirv;
}

Result<const SpirvEntryPoint *> findEntryPoint(const SpirvModule &module,
                                               const KernelSource &source) {
  std::string known;
  for (const SpirvEntryPoint &entry : module.entryPoints) {
    if (entry.model != spirv::modelGLCompute && entry.model != spirv::modelKernel)
      continue;
    if (entry.name == source.symbol)
      return &entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return invalid("the code has no entry point '", source.symbol, "'; it has ",
                 known.empty() ? "none" : known);
}

Result<WorkgroupUse> workgroupOf(const SpirvEntryPoint &entry, const KernelSource &source) {
  WorkgroupUse use;
  use.size = entry.workgroupSize;
  bool isOpen = use.size == std::array<uint32_t, 3>{0, 0, 0};
  if (isOpen && entry.model == spirv::modelGLCompute)
    return invalid(
        "the code does not give a workgroup size: LocalSize, LocalSizeId and the built-in "
        "WorkgroupSize are missing");
  if (isOpen)
    use.size = source.workgroupSize; // for OpenCL, the source gives the size
  std::string ids;
  for (size_t d = 0; d < 3; ++d) {
    uint32_t id = entry.workgroupSizeSpecIds[d];
    bool isConstant = id != noSpecId;
    use.sizeHints[d] = isConstant ? concat("specialization constant ", id, " sets it")
                                  : "compile it with smaller workgroups";
    if (isConstant)
      ids += concat(ids.empty() ? "" : ", ", id);
    if (use.size[d] == 0 && !isOpen)
      return invalid("workgroups of 0 along ", std::string_view("xyz").substr(d, 1),
                     "; a size is at least 1",
                     isConstant ? concat(": specialization constant ", id, " sets it") : "");
  }
  bool several = ids.find(',') != ids.npos;
  use.invocationsHint = ids.empty() ? use.sizeHints[0]
                        : several   ? concat("specialization constants ", ids, " set their size")
                                    : concat("specialization constant ", ids, " sets their size");
  use.memoryBytes = entry.workgroupMemoryBytes;
  if (source.kind == VariantKind::OpenclSpirv)
    use.memoryBytes += source.dynamicMemoryBytes; // Vulkan's code contains it in an array
  use.memoryHint =
      entry.openWorkgroupMemoryBytes
          ? concat("specialization constants give ", entry.openWorkgroupMemoryBytes, " of them")
          : "compile it to use less";
  return use;
}

Status checkEmptyArrays(const SpirvModule &module) {
  if (!module.emptyArray)
    return Status::ok();
  uint32_t id = module.emptyArray->specId;
  return invalid("an array in the code has ", module.emptyArray->length,
                 " elements; it must have at least one",
                 id == noSpecId ? ""
                                : concat(": specialization constant ", id, " sets its length"));
}

/// Checks the layout. If a descriptor that the code uses is missing, drivers accept the layout, and
/// read whatever is in its place.
Status checkLayout(const SpirvEntryPoint &entry, const KernelSource &source) {
  if (entry.model != spirv::modelGLCompute)
    return Status::ok();
  for (const SpirvDescriptor &used : entry.descriptors) {
    bool uniform = used.kind == DescriptorKind::UniformBuffer;
    std::string what = concat("the code uses ", uniform ? "uniform buffer '" : "storage buffer '",
                              used.block.name, "' at set ", used.set, " binding ", used.binding);
    if (!uniform && used.kind != DescriptorKind::StorageBuffer)
      return invalid("set ", used.set, " binding ", used.binding, " of the code is ",
                     withArticle(toString(used.kind)), "; only buffers can be bound");
    auto slot = std::ranges::find_if(source.bindings, [&](const BindingSlot &bound) {
      return bound.set == used.set && bound.binding == used.binding;
    });
    if (slot == source.bindings.end())
      return invalid(what, ", but its interface has none");
    if (slot->uniform != uniform)
      return invalid(what, ", but its interface has a ", slot->uniform ? "uniform" : "storage",
                     " buffer");
  }
  if (entry.pushConstants.bytes > source.pushConstantBytes)
    return invalid("the code has ", counted(entry.pushConstants.bytes, "byte"),
                   " of push constants; its interface has ", source.pushConstantBytes);
  return Status::ok();
}

/// Checks the specialized code: whether it exceeds limits, and whether the layout suffices.
Status checkModule(const KernelSource &source, const DeviceLimits &limits,
                   std::vector<std::string> &excess, Status &layout) {
  std::vector<SpirvConstantValue> constants;
  for (const SpecializationConstant &constant : source.constants)
    constants.push_back({constant.id, constant.bits});
  const FieldPath top;
  Result<SpirvModule> module = reflectSpirv(source.code, top.field("code"), constants);
  if (!module.isOk())
    return invalid(module.status().message());
  PUMICE_TRY(const SpirvEntryPoint *entry, findEntryPoint(*module, source));
  PUMICE_RETURN_IF_ERROR(checkEmptyArrays(*module));
  PUMICE_TRY(WorkgroupUse use, workgroupOf(*entry, source));
  excess = excessOf(limits, use);
  layout = checkLayout(*entry, source);
  return Status::ok();
}

} // namespace

std::vector<std::string> excessOf(const DeviceLimits &limits, const WorkgroupUse &use) {
  Excess excess;
  uint64_t invocations = 1;
  for (size_t d = 0; d < 3; ++d) {
    uint64_t size = use.size[d];
    invocations = std::min(invocations * std::max<uint64_t>(size, 1), uint64_t{UINT32_MAX});
    excess.check(size, limits.maxWorkgroupSize[d], "maxComputeWorkGroupSize",
                 concat("workgroups of ", size, " along ", std::string_view("xyz").substr(d, 1)),
                 use.sizeHints[d]);
  }
  excess.check(invocations, limits.maxWorkgroupInvocations, "maxComputeWorkGroupInvocations",
               concat("workgroups of ", invocations, " invocations"), use.invocationsHint);
  excess.check(use.memoryBytes, limits.maxWorkgroupMemoryBytes, "maxComputeSharedMemorySize",
               concat(counted(use.memoryBytes, "byte"), " of workgroup memory"), use.memoryHint);
  return std::move(excess.list);
}

std::vector<std::string> excessOf(const DeviceLimits &limits, std::span<const BindingSlot> slots) {
  // The layout of a pipeline contains whole arrays of descriptors, even if only some elements are
  // bound.
  std::map<std::pair<uint32_t, uint32_t>, BindingSlot> last;
  for (const BindingSlot &slot : slots) {
    BindingSlot &known = last.try_emplace({slot.set, slot.binding}, slot).first->second;
    known.element = std::max(known.element, slot.element);
  }
  uint64_t storage = 0, uniform = 0, sets = 0;
  std::map<uint32_t, uint64_t> ofSet;
  for (const auto &[place, slot] : last) {
    (slot.uniform ? uniform : storage) += uint64_t{slot.element} + 1;
    ofSet[slot.set] += uint64_t{slot.element} + 1;
    sets = std::max(sets, uint64_t{slot.set} + 1);
  }
  constexpr std::string_view hint = "code compiled for buffer addresses needs none";
  Excess excess;
  auto check = [&](uint64_t count, uint64_t limit, std::string_view name, std::string_view what) {
    excess.check(count, limit, name, concat(count, " ", what), hint);
  };
  const DescriptorLimits &most = limits.descriptors;
  excess.check(sets, most.sets, "maxBoundDescriptorSets", concat("descriptor set ", sets - 1));
  check(storage, most.stageStorageBuffers, "maxPerStageDescriptorStorageBuffers",
        "storage buffers' descriptors");
  check(storage, most.layoutStorageBuffers, "maxDescriptorSetStorageBuffers",
        "storage buffers' descriptors");
  check(uniform, most.stageUniformBuffers, "maxPerStageDescriptorUniformBuffers",
        "uniform buffers' descriptors");
  check(uniform, most.layoutUniformBuffers, "maxDescriptorSetUniformBuffers",
        "uniform buffers' descriptors");
  check(storage + uniform, most.stageResources, "maxPerStageResources", "descriptors");
  for (auto [set, count] : ofSet)
    check(count, most.perSet, "maxPerSetDescriptors", concat("descriptors in set ", set));
  return std::move(excess.list);
}

std::vector<BindingSlot> slotsOf(const Interface &interface) {
  std::vector<BindingSlot> slots;
  for (const DescriptorBinding &binding : interface.bindings)
    slots.push_back({binding.set, binding.binding, binding.uniform});
  return slots;
}

Status meetsLimits(const DeviceInfo &device, const KernelSource &source) {
  std::vector<std::string> excess;
  Status layout;
  if (isSpirv(source.kind))
    PUMICE_RETURN_IF_ERROR(checkModule(source, device.limits, excess, layout));
  for (std::string &more : excessOf(device.limits, source.bindings))
    excess.push_back(std::move(more));
  if (excess.empty())
    return layout;
  std::string list;
  for (const std::string &each : excess)
    list += (list.empty() ? "" : "; ") + each;
  return Status(StatusCode::Unsupported, concat("it exceeds limits of ", device.id, ": ", list));
}

} // namespace pumice::hal
