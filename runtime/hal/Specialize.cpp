//===- Specialize.cpp - values that are fixed when code is compiled ---------===//
#include "runtime/hal/Specialize.h"

#include "executable/MslLayout.h"
#include "executable/SpirvReflection.h"
#include "runtime/hal/Invalid.h"
#include "support/EnglishText.h"

#include <algorithm>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

template <typename... Parts> Status unsupported(const Parts &...parts) {
  return Status(StatusCode::Unsupported, concat(parts...));
}

/// Checks the size of the workgroup. Sets `sizes` to the values that the launch must provide.
Status checkWorkgroupSize(const DeviceInfo &device, const EntryPoint &entry,
                          const Interface &interface, std::array<uint32_t, 3> &sizes) {
  const std::array<uint32_t, 3> &own = workgroupSizeOf(entry, interface);
  uint64_t invocations = 1;
  for (size_t d = 0; d < 3; ++d) {
    uint32_t fixed = own[d], most = device.limits.maxWorkgroupSize[d];
    std::string axis = concat("the workgroup's size along ", std::string_view("xyz").substr(d, 1));
    if (fixed && sizes[d] && sizes[d] != fixed)
      return invalid(axis, " is ", fixed, " in the code, but ", sizes[d], " was requested");
    if (!fixed && !sizes[d])
      return invalid(axis, " is not fixed in the code: set workgroup_size");
    uint32_t size = fixed ? fixed : sizes[d];
    if (size > most)
      return unsupported(axis, " is ", size, ", but ", device.id, " allows at most ", most);
    invocations *= size;
    if (fixed)
      sizes[d] = 0;
  }
  if (invocations > device.limits.maxWorkgroupInvocations)
    return unsupported("the workgroup has ", invocations, " invocations, but ", device.id,
                       " allows at most ", device.limits.maxWorkgroupInvocations);
  uint32_t x = own[0] ? own[0] : sizes[0];
  uint32_t lanes = interface.requiredSubgroupSize ? interface.requiredSubgroupSize
                                                  : device.limits.maxSubgroupSize;
  if (interface.fullSubgroups && lanes && x % lanes)
    return invalid("the code needs full subgroups: ", x,
                   " invocations along x are not a multiple of ", lanes);
  return Status::ok();
}

Status checkDynamicMemory(const DeviceInfo &device, const EntryPoint &entry,
                          const Interface &interface, uint32_t bytes) {
  if (bytes && !entry.dynamicWorkgroupMemory)
    return invalid(counted(bytes, "byte"),
                   " of dynamic workgroup memory were requested, but the kernel has none");
  uint64_t total = uint64_t{interface.workgroupMemoryBytes} + bytes;
  if (total > device.limits.maxWorkgroupMemoryBytes)
    return unsupported("the kernel needs ", counted(total, "byte"), " of workgroup memory (",
                       interface.workgroupMemoryBytes, " static, ", bytes, " dynamic), but ",
                       device.id, " has ", device.limits.maxWorkgroupMemoryBytes);
  return Status::ok();
}

/// Returns the number of elements of the dynamic array. It is at least one, as SPIR-V requires.
Result<uint32_t> dynamicElements(const Interface &interface, uint32_t bytes) {
  uint32_t each = interface.dynamicMemoryElementBytes;
  if (each == 0 && bytes)
    return unsupported("the executable does not say how large an element of its dynamic workgroup "
                       "memory is: it was written before format 1.2; compile it again");
  if (bytes == 0)
    return 1u;
  return static_cast<uint32_t>((uint64_t{bytes} + each - 1) / each);
}

/// Returns the bytes of a scalar of Metal's language. Booleans have four here.
uint32_t bytesOfMsl(std::string_view type) {
  if (type == "long" || type == "ulong")
    return 8;
  if (type == "half" || type == "short" || type == "ushort")
    return 2;
  return type == "char" || type == "uchar" ? 1 : 4;
}

/// Returns the constants that the code of a variant has.
Result<std::vector<SpirvSpecConstant>> constantsOf(const Variant &variant) {
  if (variant.kind != VariantKind::Msl) {
    PUMICE_TRY(SpirvModule module, reflectSpirv(variant.code));
    return std::move(module.specConstants);
  }
  PUMICE_TRY(MslLayout layout, readMslLayout({reinterpret_cast<const char *>(variant.code.data()),
                                              variant.code.size()}));
  std::vector<SpirvSpecConstant> constants;
  for (const MslLayout::Constant &constant : layout.constants) {
    SpirvSpecConstant &made = constants.emplace_back();
    made.id = constant.id;
    made.bytes = bytesOfMsl(constant.type);
    made.defaultBits = constant.bits;
  }
  return constants;
}

Status checkConstants(const Variant &variant, const Interface &interface,
                      const std::vector<SpecializationConstant> &constants) {
  if (constants.empty())
    return Status::ok();
  if (variant.kind == VariantKind::Native)
    return unsupported(toString(variant.kind), " code has no specialization constants");
  auto isReserved = [&](uint32_t id) {
    const auto &sizes = interface.workgroupSizeSpecIds;
    return id != noSpecId &&
           (id == interface.dynamicMemorySpecId || std::ranges::find(sizes, id) != sizes.end());
  };
  PUMICE_TRY(std::vector<SpirvSpecConstant> known, constantsOf(variant));
  std::erase_if(known, [&](const SpirvSpecConstant &constant) { return isReserved(constant.id); });
  std::string ids;
  for (const SpirvSpecConstant &constant : known)
    ids += concat(ids.empty() ? "" : ", ", constant.id, " (", counted(constant.bytes, "byte"), ")");
  for (const SpecializationConstant &constant : constants) {
    if (isReserved(constant.id))
      return invalid("specialization constant ", constant.id,
                     " is set by workgroup_size or dynamic_memory_bytes");
    auto found = std::ranges::find(known, constant.id, &SpirvSpecConstant::id);
    if (found == known.end())
      return invalid("the code has no specialization constant ", constant.id, "; it has ",
                     ids.empty() ? "none" : ids);
    if (found->bytes != constant.bytes)
      return invalid("specialization constant ", constant.id, " has ",
                     counted(found->bytes, "byte"), "; ", countedAre(constant.bytes), " given");
  }
  return Status::ok();
}

} // namespace

Result<FunctionOptions> normalize(const DeviceInfo &device, const EntryPoint &entry,
                                  const Interface &interface, FunctionOptions options) {
  PUMICE_RETURN_IF_ERROR(checkWorkgroupSize(device, entry, interface, options.workgroupSize));
  PUMICE_RETURN_IF_ERROR(checkDynamicMemory(device, entry, interface, options.dynamicMemoryBytes));
  std::ranges::sort(options.constants);
  for (size_t i = 1; i < options.constants.size(); ++i)
    if (options.constants[i].id == options.constants[i - 1].id)
      return invalid("specialization constant ", options.constants[i].id, " is given twice");
  return options;
}

bool keepsDefaults(const Executable &contents, std::string_view entryPoint,
                   const std::vector<SpecializationConstant> &constants) {
  for (const Variant &variant : contents.variants) {
    bool isSpirv =
        variant.kind == VariantKind::VulkanSpirv || variant.kind == VariantKind::OpenclSpirv;
    if (!isSpirv || std::ranges::find(variant.interfaces, entryPoint, &Interface::entryPoint) ==
                        variant.interfaces.end())
      continue;
    Result<SpirvModule> module = reflectSpirv(variant.code);
    return module.isOk() && std::ranges::all_of(constants, [&](const auto &given) {
             auto found =
                 std::ranges::find(module->specConstants, given.id, &SpirvSpecConstant::id);
             return found != module->specConstants.end() && found->bytes == given.bytes &&
                    found->defaultBits == given.bits;
           });
  }
  return false;
}

Result<std::vector<SpecializationConstant>>
specialize(const Variant &variant, const Interface &interface, const FunctionOptions &options) {
  PUMICE_RETURN_IF_ERROR(checkConstants(variant, interface, options.constants));
  std::vector<SpecializationConstant> constants = options.constants;
  for (size_t d = 0; d < 3; ++d)
    if (interface.workgroupSizeSpecIds[d] != noSpecId && options.workgroupSize[d])
      constants.push_back({interface.workgroupSizeSpecIds[d], 4, options.workgroupSize[d]});
  if (interface.dynamicMemorySpecId != noSpecId) {
    PUMICE_TRY(uint32_t elements, dynamicElements(interface, options.dynamicMemoryBytes));
    constants.push_back({interface.dynamicMemorySpecId, 4, elements});
  }
  return constants;
}

} // namespace pumice::hal
