//===- VariantRequirements.cpp - checks a variant against a device ----------===//
#include "runtime/hal/Choose.h"

#include "executable/FieldPath.h"
#include "executable/Names.h"
#include "executable/SpirvNeeds.h"
#include "runtime/hal/KernelLimits.h"
#include "runtime/hal/Workarounds.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <iterator>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

/// Collects all missing requirements for one message.
class Missing {
public:
  template <typename... Parts> void add(const Parts &...parts) {
    text += text.empty() ? "" : "; ";
    text += concat(parts...);
  }
  /// Adds a text such as "features a, b" if there are any names.
  void addNames(std::string_view noun, const std::vector<std::string> &names) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    if (!list.empty())
      add(noun, names.size() == 1 ? " " : "s ", list);
  }
  Status status() const {
    return text.empty() ? Status::ok() : Status(StatusCode::Unsupported, "it lacks " + text);
  }

private:
  std::string text;
};

template <typename Names> bool contains(const Names &names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

template <typename Names>
std::vector<std::string> without(const std::vector<std::string> &wanted, const Names &present) {
  std::vector<std::string> names;
  std::ranges::copy_if(wanted, std::back_inserter(names),
                       [&](const std::string &name) { return !contains(present, name); });
  return names;
}

std::vector<std::string> mapsOf(const Requirements &r) {
  std::vector<std::string> maps;
  std::string_view rest = r.measuredMaps, separator = measuredMapsSeparator;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(separator), rest.size());
    maps.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  }
  return maps;
}

/// Returns the missing extensions, each with the version that would also suffice:
/// "VK_KHR_8bit_storage or Vulkan 1.2".
std::vector<std::string> missingExtensions(const DeviceInfo &device, const Requirements &r) {
  std::vector<std::string> names;
  for (const std::string &extension : r.extensions)
    if (!device.hasExtension(extension) && !device.openClExtensions.contains(extension))
      names.push_back(extensionOrVersion(extension));
  return names;
}

/// Checks the version of the API. OpenCL's code also states its version of SPIR-V, which no version
/// of OpenCL determines.
void checkVersion(const DeviceInfo &device, const Variant &variant, Missing &missing) {
  const Requirements &r = variant.requirements;
  bool openCl = variant.kind == VariantKind::OpenclSpirv;
  std::pair has(openCl ? device.openClMajor : device.versionMajor,
                openCl ? device.openClMinor : device.versionMinor);
  // An executable of an OpenCL module, compiled for no target, requires nothing.
  bool isOpen = openCl && variant.targetEnv.empty();
  if (!isOpen && std::pair(r.versionMajor, r.versionMinor) > has)
    missing.add(openCl ? "OpenCL " : "Vulkan ", r.versionMajor, ".", r.versionMinor, " (it has ",
                has.first, ".", has.second, ")");
  const FieldPath top;
  if (!openCl)
    return;
  Result<SpirvWords> module = SpirvWords::of(variant.code, top.field("code"));
  if (!module.isOk())
    return; // an error is reported when it runs
  uint32_t minor = module->headerWord(1) >> 8 & 0xff;
  if (minor > device.openClSpirvMinor)
    missing.add("SPIR-V 1.", minor, " (it takes up to 1.", device.openClSpirvMinor, ")");
}

void checkRequirements(const DeviceInfo &device, const Requirements &r, Missing &missing) {
  missing.addNames("extension", missingExtensions(device, r));
  missing.addNames("feature", without(r.features, device.features));
  if (uint32_t operations = r.subgroupOperations & ~device.subgroupOperations)
    missing.add("subgroup operations ", subgroupOperationNames(operations));
  missing.addNames("matrix shape", without(r.cooperativeMatrices, device.cooperativeMatrices));
  // A device that is not open has not measured its maps. The check runs again after it is opened.
  if (device.fragmentMaps)
    missing.addNames("fragment map", without(mapsOf(r), *device.fragmentMaps));
  if (!r.architecture.empty() && !runsArchitecture(device.architecture, r.architecture))
    missing.add("the architecture ", r.architecture,
                device.architecture.empty() ? "" : " (it is " + device.architecture + ")");
}

void checkSubgroups(const DeviceLimits &limits, const EntryPoint &entry, const Interface &interface,
                    Missing &missing) {
  uint32_t required = interface.requiredSubgroupSize, least = interface.leastSubgroupSize;
  bool oneSize = limits.minSubgroupSize == limits.maxSubgroupSize;
  if (required && (required < limits.minSubgroupSize || required > limits.maxSubgroupSize))
    missing.add("subgroups of ", required, " lanes (it has ", limits.minSubgroupSize, " to ",
                limits.maxSubgroupSize, ")");
  else if (required && !oneSize && !limits.subgroupSizeControl)
    missing.add("the feature subgroupSizeControl, to have subgroups of ", required, " lanes");
  if (!required && least > limits.minSubgroupSize)
    missing.add("subgroups of ", least, " lanes or more (it may choose ", limits.minSubgroupSize,
                ")");
  if (!interface.fullSubgroups)
    return;
  // If the subgroup size is fixed and divides the workgroup size, all subgroups are full anyway.
  if (!required && !oneSize && !limits.fullSubgroups)
    missing.add("the feature computeFullSubgroups");
  uint32_t size = required ? required : limits.maxSubgroupSize,
           x = workgroupSizeOf(entry, interface)[0];
  if (size && x % size)
    missing.add("full subgroups: ", x, " invocations along x are not a multiple of ", size);
}

void checkLimits(const DeviceLimits &limits, const EntryPoint &entry, const Interface &interface,
                 Missing &missing) {
  WorkgroupUse use{.size = workgroupSizeOf(entry, interface),
                   .memoryBytes = interface.workgroupMemoryBytes};
  for (const std::string &excess : excessOf(limits, use))
    missing.add(excess);
  for (const std::string &excess : excessOf(limits, slotsOf(interface)))
    missing.add(excess);
}

void checkArguments(const DeviceInfo &device, const Variant &variant, const Interface &interface,
                    Missing &missing) {
  const Requirements &r = variant.requirements;
  bool openCl = variant.kind == VariantKind::OpenclSpirv; // its pointers need no addresses
  bool addressed = interface.place == ParameterPlace::AddressedBuffer;
  for (const ParameterField &field : interface.fields)
    addressed |=
        field.source == FieldSource::BufferAddress || field.source == FieldSource::PrintfAddress;
  // A device may have addresses in kernels, but none that it gives to the host.
  bool isReported = contains(r.features, "bufferDeviceAddress") &&
                    !device.features.contains("bufferDeviceAddress");
  if (addressed && !openCl && !device.bufferAddresses && !isReported)
    missing.add("the feature bufferDeviceAddress");
  if (interface.place == ParameterPlace::PushConstants &&
      interface.parameterBytes > device.limits.maxPushConstantBytes)
    missing.add(counted(interface.parameterBytes, "byte"),
                " of push constants (maxPushConstantsSize is ", device.limits.maxPushConstantBytes,
                ")");
}

/// The parts of "x86-64-v3-windows". Without a level, the whole name is the processor.
struct Architecture {
  std::string_view processor, system;
  int level = 0;
};

Architecture split(std::string_view name) {
  constexpr size_t levelSize = 3; // "-v3"
  size_t at = name.rfind("-v");
  std::string_view rest = at == name.npos ? std::string_view() : name.substr(at);
  bool known = rest.size() >= levelSize && rest[2] >= '1' && rest[2] <= '9' &&
               (rest.size() == levelSize || rest[levelSize] == '-');
  if (!known)
    return {name, {}, 0};
  return {name.substr(0, at), rest.substr(levelSize), rest[2] - '0'};
}

} // namespace

std::string doesNotRun(const DeviceInfo &device, VariantKind kind) {
  // Devices that run native code may also compile it from SPIR-V.
  bool native = std::ranges::find(device.kinds, VariantKind::Native) != device.kinds.end();
  bool lacksCompiler =
      native && (kind == VariantKind::VulkanSpirv || kind == VariantKind::OpenclSpirv);
  std::string way;
  if (lacksCompiler)
    way = " without the compiler library (PUMICE_COMPILER_LIBRARY)";
  else if ((device.driver == "vulkan" || device.driver == "metal") &&
           kind == VariantKind::OpenclSpirv)
    way = concat("; translate it: pumice compile INPUT --target device:", device.id);
  else if (device.driver == "metal" && kind == VariantKind::VulkanSpirv)
    way = concat(
        "; run it on a Vulkan device (MoltenVK), or compile MLIR, OpenCL C or a Triton kernel "
        "for device:",
        device.id);
  return concat("does not run ", toString(kind), way);
}

int architectureLevel(std::string_view name) { return split(name).level; }

bool runsArchitecture(std::string_view device, std::string_view wanted) {
  if (device.empty())
    return false;
  Architecture has = split(device), needs = split(wanted);
  return has.processor == needs.processor && has.system == needs.system && needs.level <= has.level;
}

Status meets(const DeviceInfo &device, const Variant &variant, const EntryPoint &entry,
             const Interface &interface) {
  Missing missing;
  if (std::ranges::find(device.kinds, variant.kind) == device.kinds.end())
    return Status(StatusCode::Unsupported, "it " + doesNotRun(device, variant.kind));
  checkVersion(device, variant, missing);
  checkRequirements(device, variant.requirements, missing);
  checkSubgroups(device.limits, entry, interface, missing);
  checkLimits(device.limits, entry, interface, missing);
  checkArguments(device, variant, interface, missing);
  PUMICE_RETURN_IF_ERROR(missing.status());
  if (variant.kind != VariantKind::VulkanSpirv || device.workarounds.empty())
    return Status::ok();
  const FieldPath top;
  Result<SpirvWords> module = SpirvWords::of(variant.code, top.field("code"));
  return module.isOk() ? keepsWorkarounds(device, *module)
                       : Status::ok(); // otherwise, an error is reported when it runs
}

} // namespace pumice::hal
