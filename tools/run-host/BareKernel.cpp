//===- BareKernel.cpp - launching SPIR-V that came with no executable -------===//
#include "tools/run-host/BareKernel.h"

#include "support/EnglishText.h"
#include "tools/run/SpirvTools.h"

#include <algorithm>
#include <cstring>

using namespace pumice;
using namespace pumice::run;
using namespace pumice::executable;

static Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

static std::string slotText(const SpirvDescriptor &descriptor) {
  return "set " + std::to_string(descriptor.set) + ", binding " +
         std::to_string(descriptor.binding);
}

Result<std::unique_ptr<BareKernel>>
BareKernel::create(Ref<hal::Device> device, std::shared_ptr<const std::vector<uint8_t>> code,
                   std::shared_ptr<const SpirvModule> module, const std::string &entryPoint,
                   std::string label) {
  PUMICE_TRY(std::string unknown, validate(*code, *module));
  (void)unknown; // newer than the validator: the driver checks it
  std::unique_ptr<BareKernel> result(new BareKernel);
  for (const SpirvEntryPoint &entry : module->entryPoints)
    if (entry.name == entryPoint)
      result->entry = &entry;
  if (!result->entry)
    return Status(StatusCode::NotFound, "the module has no entry point '" + entryPoint + "'");
  if (result->entry->model != 5)
    return Status(StatusCode::Unsupported,
                  "'" + entryPoint + "' is not a compute shader (GLCompute)");
  for (const SpirvDescriptor &descriptor : result->entry->descriptors) {
    if ((descriptor.kind != DescriptorKind::StorageBuffer &&
         descriptor.kind != DescriptorKind::UniformBuffer) ||
        descriptor.count != 1)
      return Status(StatusCode::Unsupported,
                    "'" + entryPoint + "' has " + withArticle(toString(descriptor.kind)) +
                        (descriptor.count != 1 ? " array" : "") + " at " + slotText(descriptor) +
                        "; launches pass single buffers");
    result->buffers.push_back(&descriptor);
  }
  if (result->entry->hasPushConstants)
    result->scalars = result->entry->pushConstants.members;
  std::sort(result->scalars.begin(), result->scalars.end(),
            [](const SpirvMember &a, const SpirvMember &b) { return a.offset < b.offset; });
  result->label = std::move(label);
  result->device = std::move(device);
  result->code = std::move(code);
  result->module = std::move(module);
  return result;
}

Access BareKernel::accessOf(size_t index) const {
  return index < accesses.size() ? accesses[index] : Access::ReadWrite;
}

/// Returns the kernel for a workgroup size. Some modules leave the size to specialization
/// constants. Others have a fixed size.
Result<hal::Kernel *> BareKernel::kernelFor(std::array<uint32_t, 3> workgroupSize) {
  Ref<hal::Kernel> &kernel = kernels[workgroupSize];
  if (kernel)
    return kernel.get();
  hal::KernelSource source;
  source.code = *code;
  source.symbol = entry->name;
  source.label = label;
  source.pushConstantBytes = static_cast<uint32_t>((entry->pushConstants.bytes + 3) / 4 * 4);
  for (const SpirvDescriptor *buffer : buffers)
    source.bindings.push_back(
        {buffer->set, buffer->binding, buffer->kind == DescriptorKind::UniformBuffer});
  for (size_t d = 0; d < 3; ++d) {
    uint32_t id = entry->workgroupSizeSpecIds[d];
    if (id != noSpecId)
      source.constants.push_back({id, 4, workgroupSize[d]});
    else if (entry->workgroupSize[d] != 0 && entry->workgroupSize[d] != workgroupSize[d]) {
      const auto &own = entry->workgroupSize;
      kernels.erase(workgroupSize);
      return invalid("expected workgroups of " + std::to_string(own[0]) + " x " +
                     std::to_string(own[1]) + " x " + std::to_string(own[2]) +
                     " threads, as compiled, got " + std::to_string(workgroupSize[0]) + " x " +
                     std::to_string(workgroupSize[1]) + " x " + std::to_string(workgroupSize[2]) +
                     "; change the launch");
    }
  }
  Result<Ref<hal::Kernel>> made = device->createKernel(source);
  if (!made.isOk()) {
    kernels.erase(workgroupSize);
    return made.status();
  }
  kernel = std::move(*made);
  return kernel.get();
}

/// Copies a member's numbers from a launch's argument, where they are contiguous, to their offsets
/// in the block. Returns an error text, or an empty text.
static std::string putMember(const SpirvMember &member, std::span<const std::byte> given,
                             std::span<std::byte> block) {
  uint64_t count = 1;
  for (const SpirvDimension &dimension : member.dimensions)
    count *= dimension.count;
  uint64_t bytes = count * member.bytes, each = count ? given.size() / count : 0;
  auto bad = [&] {
    return " has " + counted(given.size(), "byte") + "; push constant '" + member.name + "' has " +
           std::to_string(bytes);
  };
  // For an index, and other values that are wider on the host, takes the low bytes.
  if (each < member.bytes || each * count != given.size())
    return bad();
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t at = member.offset, rest = i;
    for (auto dimension = member.dimensions.rbegin(); dimension != member.dimensions.rend();
         ++dimension) {
      at += rest % dimension->count * dimension->stride;
      rest /= dimension->count;
    }
    if (at + member.bytes > block.size())
      return bad();
    std::memcpy(block.data() + at, given.data() + i * each, member.bytes);
  }
  return "";
}

/// Returns whether both types are integers, or both are the same kind of float. Signs may differ,
/// since SPIR-V's operations decide whether an integer is signed.
static bool isSameKind(std::string_view given, SpirvScalar taken) {
  bool isFloat = given.starts_with('f') || given.starts_with("bf");
  bool isInteger = given.starts_with('i') || given.starts_with("si") || given.starts_with("ui");
  switch (taken) {
  case SpirvScalar::Int:
  case SpirvScalar::Uint:
    return !isFloat;
  case SpirvScalar::Float:
    return !isInteger && !given.starts_with("bf");
  case SpirvScalar::Bfloat:
    return !isInteger && (given.empty() || given.starts_with("bf"));
  default:
    return true;
  }
}

static std::string_view kindText(SpirvScalar scalar) {
  switch (scalar) {
  case SpirvScalar::Float:
    return "floats";
  case SpirvScalar::Bfloat:
    return "floats of type bf16";
  default:
    return "integers";
  }
}

Status BareKernel::launch(hal::Queue &queue, std::array<uint32_t, 3> groups,
                          std::array<uint32_t, 3> workgroupSize,
                          std::span<const Argument> arguments, uint32_t printBytes) {
  PUMICE_TRY(hal::Kernel * kernel, kernelFor(workgroupSize));
  std::vector<hal::BufferRange> bindings;
  std::vector<hal::BufferUse> uses;
  std::vector<std::byte> block(kernel->pushConstantBytes());
  size_t scalar = 0;
  accesses.assign(arguments.size(), Access::ReadWrite);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    std::string place = "argument " + std::to_string(i);
    if (argument.range.buffer) {
      if (bindings.size() == buffers.size())
        return invalid(place + " is a memref; it has only " + std::to_string(buffers.size()) +
                       " buffers");
      const SpirvDescriptor &slot = *buffers[bindings.size()];
      if (argument.range.length() < slot.block.bytes)
        return invalid(place + " (" + slotText(slot) + ") has " +
                       counted(argument.range.length(), "byte") + "; the block has " +
                       std::to_string(slot.block.bytes));
      const hal::DeviceInfo &info = device->info();
      if (argument.range.offset % info.limits.bindingAlignment)
        return invalid(place + " (" + slotText(slot) + ") begins " +
                       counted(argument.range.offset % info.limits.bindingAlignment, "byte") +
                       " after a multiple of " + std::to_string(info.limits.bindingAlignment) +
                       "; " + info.id +
                       " binds memory only at such multiples (minStorageBufferOffsetAlignment): "
                       "pass a memref that begins at one, as a whole allocation does");
      if (slot.block.members.size() == 1 &&
          !isSameKind(argument.type, slot.block.members[0].scalar))
        return invalid(place + " (" + slotText(slot) + ") is a memref of " +
                       std::string(argument.type) + "; the block holds " +
                       std::string(kindText(slot.block.members[0].scalar)));
      bindings.push_back(argument.range);
      accesses[i] = slot.access;
      auto known = std::find_if(uses.begin(), uses.end(), [&](const hal::BufferUse &use) {
        return use.buffer == argument.range.buffer;
      });
      if (known == uses.end())
        uses.push_back({argument.range.buffer, slot.access});
      else
        known->access = static_cast<Access>(static_cast<uint8_t>(known->access) |
                                            static_cast<uint8_t>(slot.access));
      continue;
    }
    if (scalar == scalars.size())
      return invalid(place + " is a scalar; its push constants have only " +
                     counted(scalars.size(), "member"));
    const SpirvMember &member = scalars[scalar++];
    if (!isSameKind(argument.type, member.scalar))
      return invalid(place + " is of type " + std::string(argument.type) + "; push constant '" +
                     member.name + "' holds " + std::string(kindText(member.scalar)));
    std::string why = putMember(member, argument.scalar, block);
    if (!why.empty())
      return invalid(place + why);
  }
  if (bindings.size() != buffers.size() || scalar != scalars.size())
    return invalid("it takes " + std::to_string(buffers.size()) + " memrefs and " +
                   std::to_string(scalars.size()) + " scalars; " + std::to_string(bindings.size()) +
                   " and " + std::to_string(scalar) + " are given");
  hal::Dispatch dispatch;
  dispatch.kernel = kernel;
  dispatch.groups = groups;
  dispatch.printBytes = printBytes;
  dispatch.pushConstants = block;
  dispatch.bindings = bindings;
  dispatch.uses = uses;
  dispatch.touchesUnnamedMemory = module->physicalAddresses;
  return queue.dispatch(dispatch);
}
