//===- ResolveModule.cpp - resolves a dispatch of plain SPIR-V --------------===//
#include "tools/run/Resolve.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>

namespace pumice::run {
using namespace executable;

std::optional<Type> elementType(SpirvScalar scalar, uint32_t bytes) {
  Result<Type> type = parseType(executable::typeName(scalar, bytes));
  return type.isOk() ? std::optional(*type) : std::nullopt;
}

namespace {
std::string number(uint64_t value) { return std::to_string(value); }

Slot slotOf(const hal::BindingSlot &slot) { return {slot.set, slot.binding, slot.element}; }

std::string describe(const SpirvMember &member) {
  std::string text = member.name + " " + executable::typeName(member.scalar, member.bytes);
  for (const SpirvDimension &dimension : member.dimensions)
    text += "[" + (dimension.count ? number(dimension.count) : "") + "]";
  return text + " at " + number(member.offset);
}

std::string describe(const SpirvBlock &block) {
  std::string text;
  for (const SpirvMember &member : block.members)
    text += (text.empty() ? "" : ", ") + describe(member);
  return text;
}

/// Returns "set 0 binding 1, storage buffer 'data'".
std::string describe(const SpirvDescriptor &descriptor, const Slot &slot) {
  return slot.text() + ", " + std::string(toString(descriptor.kind)) +
         (descriptor.block.name.empty() ? "" : " '" + descriptor.block.name + "'");
}

class ModuleDispatch {
public:
  ModuleDispatch(const LaunchSpec &launch, ResolvedDispatch &dispatch)
      : launch(launch), out(dispatch), spec(*dispatch.spec), module(dispatch.code->module) {}

  Status run() {
    PUMICE_RETURN_IF_ERROR(refuseOthers());
    PUMICE_RETURN_IF_ERROR(chooseEntry());
    PUMICE_RETURN_IF_ERROR(specialize());
    PUMICE_RETURN_IF_ERROR(countGroups());
    PUMICE_RETURN_IF_ERROR(bindAll());
    return fillPushConstants();
  }

private:
  Status refuseOthers() const;
  Status chooseEntry();
  Status specialize();
  Status setWorkgroupSize();
  Status countGroups();
  Status bindAll();
  uint64_t countGiven(const SpirvDescriptor &descriptor) const;
  Status bind(const SpirvDescriptor &descriptor);
  Status bindElement(const SpirvDescriptor &descriptor, const Slot &slot);
  Result<ResolvedBinding> findBinding(const Slot &slot, const std::string &what) const;
  Status checkBinding(const SpirvDescriptor &descriptor, const Slot &slot,
                      const ResolvedBinding &binding) const;
  Status fillPushConstants();
  Status fillMember(const PushConstantSpec &constant);
  bool isGiven(const SpirvMember &member) const;
  Status fillAt(const PushConstantSpec &constant);
  Status store(uint64_t at, std::optional<Type> type, const Scalar &value);

  const LaunchSpec &launch;
  ResolvedDispatch &out;
  const DispatchSpec &spec;
  const SpirvModule &module;
  const SpirvEntryPoint *entry = nullptr;
  std::array<uint32_t, 3> workgroupSize{};
  std::vector<bool> given; // for each byte of the push constants
};

/// Rejects options that only executables have.
Status ModuleDispatch::refuseOthers() const {
  bool openCl = module.openCl;
  const char *key = spec.hasArguments && !openCl  ? "arguments"
                    : !spec.target.empty()        ? "target"
                    : spec.dynamicMemoryBytes > 0 ? "dynamic_memory_bytes"
                                                  : nullptr;
  bool hasOffset = spec.globalOffset != std::array<uint32_t, 3>{0, 0, 0};
  if (hasOffset && !openCl)
    return spec.place.of("global_offset")
        .error("global_offset belongs to OpenCL kernels; '" + spec.file + "' is not for OpenCL");
  if (!key)
    return Status::ok();
  if (openCl)
    return spec.place.of(key).error(
        std::string(key) + " belongs to executables; '" + spec.file +
        "' is SPIR-V for OpenCL, which takes arguments ({\"local\": bytes} for "
        "workgroup memory) and specialization");
  return spec.place.of(key).error(
      std::string(key) + " belongs to executables; '" + spec.file +
      "' is SPIR-V, which takes bindings, push_constants and specialization");
}

Status ModuleDispatch::chooseEntry() {
  const uint32_t compute = module.openCl ? 6 : 5;
  std::vector<std::string_view> names;
  for (const SpirvEntryPoint &candidate : module.entryPoints)
    if (candidate.model == compute) {
      names.push_back(candidate.name);
      if (spec.entry.empty() || candidate.name == spec.entry)
        entry = &candidate;
    }
  if (names.empty())
    return spec.codeError("'" + spec.file + "' has no compute entry point", StatusCode::NotFound);
  if (spec.entry.empty() && names.size() > 1)
    return spec.place.of("entry").error(
        "'" + spec.file + "' has several entry points; name one by entry: " + join(names));
  if (!entry)
    return spec.place.of("entry").error("'" + spec.file + "' has no entry point " +
                                            json::quote(spec.entry) + "; it has " + join(names),
                                        StatusCode::NotFound);
  out.symbol = out.label = entry->name;
  workgroupSize = entry->workgroupSize;
  return Status::ok();
}

Status ModuleDispatch::specialize() {
  PUMICE_TRY(out.constants, resolveConstants(module, spec.constants));
  PUMICE_RETURN_IF_ERROR(setWorkgroupSize());
  for (size_t d = 0; d < 3; ++d)
    for (const hal::SpecializationConstant &constant : out.constants)
      if (constant.id == entry->workgroupSizeSpecIds[d])
        workgroupSize[d] = uint32_t(constant.bits);
  return Status::ok();
}

Status ModuleDispatch::setWorkgroupSize() {
  for (size_t d = 0; d < 3; ++d) {
    uint32_t wanted = spec.workgroupSize[d], id = entry->workgroupSizeSpecIds[d];
    if (wanted == 0)
      continue;
    auto given = std::ranges::find(out.constants, id, &hal::SpecializationConstant::id);
    if (given != out.constants.end() && given->bits != wanted)
      return spec.place.of("workgroup_size")
          .error("workgroup_size[" + number(d) + "] is " + number(wanted) +
                 ", specialization constant " + number(id) + " says " + number(given->bits));
    if (id == noSpecId && entry->workgroupSize[d] == 0 && module.openCl)
      continue; // open until the kernel is made
    if (id == noSpecId && wanted != entry->workgroupSize[d])
      return spec.place.of("workgroup_size")
          .error("workgroup_size[" + number(d) + "] is " + number(wanted) +
                 "; the module fixes it at " + number(entry->workgroupSize[d]));
    if (id != noSpecId && given == out.constants.end())
      out.constants.push_back({id, 4, wanted});
  }
  return Status::ok();
}

Status ModuleDispatch::countGroups() {
  out.groups = spec.groups;
  if (module.openCl)
    PUMICE_RETURN_IF_ERROR(chooseKernelSize(out, workgroupSize));
  for (size_t d = 0; spec.threads && d < 3; ++d) {
    if (workgroupSize[d] == 0)
      return spec.groupsPlace.error("the module does not say its workgroup size; give groups "
                                    "instead of threads");
    uint64_t groups = ((*spec.threads)[d] + workgroupSize[d] - 1) / workgroupSize[d];
    if (groups > UINT32_MAX)
      return spec.groupsPlace.error(number(groups) + " workgroups do not fit in 32 bits");
    out.groups[d] = uint32_t(groups);
  }
  for (size_t d = 0; module.openCl && d < 3; ++d) {
    uint64_t end = uint64_t{out.groups[d]} * workgroupSize[d] + spec.globalOffset[d];
    if (end > INT32_MAX)
      return spec.groupsPlace.error("invocations of dimension " + number(d) +
                                    " are numbered up to " + number(end) +
                                    "; an OpenCL kernel's numbers are below 2^31: "
                                    "launch it several times");
  }
  return Status::ok();
}

Status ModuleDispatch::bindAll() {
  for (const SpirvDescriptor &descriptor : entry->descriptors)
    PUMICE_RETURN_IF_ERROR(bind(descriptor));
  for (const BindingSpec &given : spec.bindings) {
    auto same = [&](const hal::BindingSlot &slot) { return slotOf(slot) == given.slot; };
    if (std::ranges::any_of(out.slots, same))
      continue;
    std::string known;
    for (const hal::BindingSlot &slot : out.slots)
      known += (known.empty() ? "" : ", ") + slotOf(slot).text();
    return given.place.error("entry point '" + entry->name + "' uses no " + given.slot.text() +
                                 "; " + (known.empty() ? "it uses none" : "it uses " + known),
                             StatusCode::NotFound);
  }
  // Kernels may reach any buffer through an address.
  bool hasAddresses = module.physicalAddresses || module.openCl;
  for (size_t i = 0; hasAddresses && i < launch.buffers.size(); ++i)
    out.uses[i] = Access::ReadWrite;
  return Status::ok();
}

/// Returns the number of descriptors that the launch gives for an array whose length the module
/// leaves open.
uint64_t ModuleDispatch::countGiven(const SpirvDescriptor &descriptor) const {
  uint64_t count = 1;
  auto see = [&](const Slot &slot) {
    if (slot.set == descriptor.set && slot.binding == descriptor.binding)
      count = std::max(count, uint64_t{slot.element} + 1);
  };
  for (const BufferSpec &buffer : launch.buffers)
    if (buffer.slot)
      see(*buffer.slot);
  for (const BindingSpec &given : spec.bindings)
    see(given.slot);
  return count;
}

Status ModuleDispatch::bind(const SpirvDescriptor &descriptor) {
  Slot slot{descriptor.set, descriptor.binding};
  if (descriptor.kind != DescriptorKind::UniformBuffer &&
      descriptor.kind != DescriptorKind::StorageBuffer)
    return spec.codeError("entry point '" + entry->name + "' uses " + describe(descriptor, slot) +
                              "; only storage and uniform buffers can be bound",
                          StatusCode::Unsupported);
  uint64_t count = descriptor.count ? descriptor.count : countGiven(descriptor);
  constexpr uint64_t most = 4096;
  if (count > most)
    return spec.codeError(number(count) + " descriptors at " + slot.text() + "; up to " +
                              number(most) + " can be bound",
                          StatusCode::Unsupported);
  for (; slot.element < count; ++slot.element)
    PUMICE_RETURN_IF_ERROR(bindElement(descriptor, slot));
  return Status::ok();
}

/// Returns the binding of the launch for `slot`, or an error that says that `what` needs it.
Result<ResolvedBinding> ModuleDispatch::findBinding(const Slot &slot,
                                                    const std::string &what) const {
  ResolvedBinding binding;
  const BindingSpec *given = nullptr;
  for (const BindingSpec &candidate : spec.bindings)
    if (candidate.slot == slot) {
      if (given)
        return candidate.place.error(slot.text() + " is bound a second time");
      given = &candidate;
    }
  if (given) {
    binding.place = &given->place;
    PUMICE_TRY(binding.buffer, findBuffer(launch, given->buffer, given->place.of("buffer")));
    binding.offset = given->offset;
  } else {
    auto found = std::ranges::find_if(
        launch.buffers, [&](const BufferSpec &buffer) { return buffer.slot == slot; });
    if (found == launch.buffers.end())
      return spec.place.of("bindings")
          .error("nothing is bound to " + what + " of entry point '" + entry->name +
                 "'; give a buffer this set and binding, or name one in bindings");
    binding.buffer = size_t(found - launch.buffers.begin());
    binding.place = &found->place;
  }
  uint64_t size = launch.buffers[binding.buffer].initial.size();
  if (binding.offset >= size)
    return binding.place->of("offset").error(
        "offset " + number(binding.offset) + " is outside of buffer " +
        json::quote(launch.buffers[binding.buffer].name) + " of " + counted(size, "byte"));
  binding.bytes = size - binding.offset;
  if (given && given->bytes) {
    if (*given->bytes == 0 || *given->bytes > binding.bytes)
      return given->place.of("bytes").error(counted(*given->bytes, "byte") + " from offset " +
                                            number(binding.offset) + " are not in buffer " +
                                            json::quote(launch.buffers[binding.buffer].name) +
                                            " of " + counted(size, "byte"));
    binding.bytes = *given->bytes;
  }
  return binding;
}

Status ModuleDispatch::bindElement(const SpirvDescriptor &descriptor, const Slot &slot) {
  PUMICE_TRY(ResolvedBinding binding, findBinding(slot, describe(descriptor, slot)));
  PUMICE_RETURN_IF_ERROR(checkBinding(descriptor, slot, binding));
  Access &access = out.uses.try_emplace(binding.buffer, Access::None).first->second;
  access = Access(unsigned(access) | unsigned(descriptor.access));
  hal::BindingSlot taken{slot.set, slot.binding, descriptor.kind == DescriptorKind::UniformBuffer,
                         slot.element};
  if (std::ranges::find(out.slots, taken) != out.slots.end())
    return Status::ok(); // two variables share one descriptor
  out.slots.push_back(taken);
  out.bindings.push_back(binding);
  return Status::ok();
}

Status ModuleDispatch::checkBinding(const SpirvDescriptor &descriptor, const Slot &slot,
                                    const ResolvedBinding &binding) const {
  const BufferSpec &buffer = launch.buffers[binding.buffer];
  bool uniform = descriptor.kind == DescriptorKind::UniformBuffer;
  if (buffer.uniform && *buffer.uniform != uniform)
    return buffer.place.of("uniform").error(
        slot.text() + " of entry point '" + entry->name + "' is a " +
        std::string(toString(descriptor.kind)) + "; buffer " + json::quote(buffer.name) +
        " says uniform: " + (*buffer.uniform ? "true" : "false") + ", which may be left out");
  if (binding.bytes < descriptor.block.bytes)
    return binding.place->error(counted(binding.bytes, "byte") + " of buffer " +
                                json::quote(buffer.name) + (binding.bytes == 1 ? " is" : " are") +
                                " bound to " + slot.text() + "; entry point '" + entry->name +
                                "' needs at least " + number(descriptor.block.bytes) + ": " +
                                describe(descriptor.block));
  return Status::ok();
}

Status ModuleDispatch::store(uint64_t at, std::optional<Type> type, const Scalar &value) {
  uint64_t size = value.buffer.empty() ? byteSize(*type) : 8;
  if (at + size > out.pushConstants.size())
    return value.place.error("bytes " + number(at) + " to " + number(at + size - 1) +
                             " are outside of the push constants of entry point '" + entry->name +
                             "', which are " + counted(entry->pushConstants.bytes, "byte") + ": " +
                             describe(entry->pushConstants));
  for (uint64_t byte = at; byte < at + size; ++byte) {
    if (given[byte])
      return value.place.error("bytes " + number(at) + " to " + number(at + size - 1) +
                               " of the push constants are given twice, at least in part: " +
                               describe(entry->pushConstants));
    given[byte] = true;
  }
  if (!value.buffer.empty()) {
    PUMICE_TRY(size_t buffer, findAddress(launch, value.buffer, value.offset, value.place));
    out.addresses.push_back({uint32_t(at), buffer, value.offset});
    return Status::ok();
  }
  std::vector<uint8_t> bytes;
  PUMICE_RETURN_IF_ERROR(appendScalar(bytes, *type, value.number, value.place));
  std::memcpy(out.pushConstants.data() + at, bytes.data(), bytes.size());
  return Status::ok();
}

Status ModuleDispatch::fillAt(const PushConstantSpec &constant) {
  Type type = constant.type.value_or(Type::i32);
  for (size_t i = 0; i < constant.values.size(); ++i) {
    uint64_t size = constant.values[0].buffer.empty() ? byteSize(type) : 8;
    PUMICE_RETURN_IF_ERROR(store(constant.at + i * size, type, constant.values[i]));
  }
  return Status::ok();
}

/// Returns the offset in the block of number `i` of a member that holds several numbers.
static uint64_t placeOf(const SpirvMember &member, uint64_t i) {
  uint64_t at = member.offset;
  for (size_t d = member.dimensions.size(); d-- > 0;) {
    uint64_t extent = std::max<uint64_t>(member.dimensions[d].count, 1);
    at += i % extent * member.dimensions[d].stride;
    i /= extent;
  }
  return at;
}

static uint64_t countOf(const SpirvMember &member) {
  uint64_t count = 1;
  for (const SpirvDimension &dimension : member.dimensions)
    count *= std::max<uint64_t>(dimension.count, 1);
  return count;
}

/// Returns whether the launch gives the whole member, by its name or by bytes at its offsets.
bool ModuleDispatch::isGiven(const SpirvMember &member) const {
  for (uint64_t i = 0, count = countOf(member); i < count; ++i)
    for (uint64_t at = placeOf(member, i), end = at + member.bytes; at < end; ++at)
      if (at >= given.size() || !given[at])
        return false;
  return true;
}

Status ModuleDispatch::fillMember(const PushConstantSpec &constant) {
  const SpirvBlock &block = entry->pushConstants;
  auto member = std::ranges::find(block.members, constant.member, &SpirvMember::name);
  if (member == block.members.end()) {
    std::vector<std::string_view> names;
    for (const SpirvMember &known : block.members)
      names.push_back(known.name);
    return constant.place.error("the push constants have no member " +
                                    json::quote(constant.member) +
                                    alternatives(constant.member, names, describe(block)),
                                StatusCode::NotFound);
  }
  uint64_t count = countOf(*member);
  if (count && isGiven(*member))
    return constant.place.error("the member " + json::quote(constant.member) + " is given twice");
  if (constant.values.size() != count)
    return constant.place.error("values given: " + number(constant.values.size()) + "; " +
                                describe(*member) + " takes " + number(count));
  bool wantsAddress = member->scalar == SpirvScalar::Address;
  std::optional<Type> type = wantsAddress ? Type::u64 : elementType(member->scalar, member->bytes);
  if (constant.type && constant.type != type)
    return constant.place.of("type").error(
        "the member " + describe(*member) + " is of another type than the " +
        std::string(typeName(*constant.type)) + " given; leave the type out" +
        (type ? ", or give " + std::string(typeName(*type)) : ""));
  for (size_t i = 0; i < count; ++i) {
    const Scalar &value = constant.values[i];
    if (value.buffer.empty() && wantsAddress && value.number != Number(int64_t(0)))
      return value.place.error(describe(*member) + " is a pointer; name a buffer, or give 0");
    if (value.buffer.empty() ? !type : member->bytes != 8)
      return value.place.error(describe(*member) + " cannot take this; " +
                               (value.buffer.empty() ? "give it by offset, as a list says"
                                                     : "an address needs 8 bytes"));
    PUMICE_RETURN_IF_ERROR(store(placeOf(*member, i), type, value));
  }
  return Status::ok();
}

Status ModuleDispatch::fillPushConstants() {
  const SpirvBlock &block = entry->pushConstants;
  constexpr uint64_t most = 1 << 20;
  if (spec.hasArguments)
    return fillArguments(launch, *entry, out);
  if (!entry->hasPushConstants) {
    if (spec.pushConstants.empty())
      return Status::ok();
    return spec.place.of("push_constants")
        .error("entry point '" + entry->name + "' has no push constants; leave them out");
  }
  if (block.bytes > most)
    return spec.codeError("the module's push constants are " + counted(block.bytes, "byte"),
                          StatusCode::Unsupported);
  if (spec.pushConstants.empty() && block.bytes)
    return spec.place.of("push_constants")
        .error("entry point '" + entry->name + "' has push constants: " + describe(block) +
               "; give them as push_constants");
  out.pushConstants.resize((block.bytes + 3) & ~uint64_t{3});
  given.assign(out.pushConstants.size(), false);
  bool byName = false;
  for (const PushConstantSpec &constant : spec.pushConstants) {
    byName |= !constant.member.empty();
    PUMICE_RETURN_IF_ERROR(constant.member.empty() ? fillAt(constant) : fillMember(constant));
  }
  if (byName)
    for (const SpirvMember &member : block.members)
      if (!isGiven(member))
        return spec.place.of("push_constants")
            .error("the member " + describe(member) + " of the push constants is not given");
  return Status::ok();
}
} // namespace

Status resolveModule(const LaunchSpec &launch, ResolvedDispatch &dispatch) {
  return ModuleDispatch(launch, dispatch).run();
}

} // namespace pumice::run
