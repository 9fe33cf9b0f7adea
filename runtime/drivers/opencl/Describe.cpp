//===- Describe.cpp - an OpenCL device in the HAL's terms -------------------===//
// Features and limits have Vulkan's names, as for every device. Extensions are OpenCL's own, and
// the features follow from them by the same table as those of the compiler's targets.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/opencl/Facts.h"

#include <algorithm>

namespace pumice::opencl_driver {
namespace {

constexpr uint64_t fpDenorm = 1 << 0, fpInfNan = 1 << 1, fpRoundToNearest = 1 << 2,
                   fpRoundToZero = 1 << 3;
hal::DeviceKind kindOf(const DeviceFacts &facts) {
  if (facts.type & CL_DEVICE_TYPE_CPU)
    return hal::DeviceKind::Cpu;
  if (facts.type & CL_DEVICE_TYPE_GPU)
    return facts.sharesHostMemory ? hal::DeviceKind::Integrated : hal::DeviceKind::Discrete;
  return hal::DeviceKind::Other;
}

/// Adds what the device promises for floats of one width, such as "shaderDenormPreserveFloat32".
void addFloat(hal::DeviceInfo &info, std::string_view width, uint64_t config) {
  auto add = [&](uint64_t bits, std::string_view name) {
    if ((config & bits) == bits)
      info.features.insert(std::string(name) + std::string(width));
  };
  add(fpInfNan, "shaderSignedZeroInfNanPreserveFloat");
  add(fpDenorm, "shaderDenormPreserveFloat");
  add(fpRoundToNearest, "shaderRoundingModeRTEFloat");
  add(fpRoundToZero, "shaderRoundingModeRTZFloat");
}

/// Returns the names that the device lists, without those that kernels cannot use. Intel's runtime
/// for CPUs (2026.22) does not link code with atomic additions and exchanges of f16. PoCL 6.0 lists
/// shuffles and ballots, but takes SPIR-V 1.2, whose modules cannot contain them.
executable::OpenclNames trueExtensions(const DeviceFacts &facts, uint32_t spirvMinor) {
  constexpr uint32_t basic = 1; // VK_SUBGROUP_FEATURE_BASIC_BIT
  executable::OpenclNames names = facts.extensions;
  if (spirvMinor < 3)
    for (const executable::OpenclInfo &info : executable::allOpencl())
      if (info.subgroupOperations & ~basic)
        if (auto found = names.find(info.name); found != names.end())
          names.erase(found);
  if (facts.platformName == "Intel(R) OpenCL" && (facts.type & CL_DEVICE_TYPE_CPU))
    for (const char *wrong :
         {"__opencl_c_ext_fp16_global_atomic_add", "__opencl_c_ext_fp16_local_atomic_add",
          "__opencl_c_ext_fp16_global_atomic_load_store",
          "__opencl_c_ext_fp16_local_atomic_load_store"})
      names.erase(wrong);
  return names;
}

void describeFeatures(const DeviceFacts &facts, hal::DeviceInfo &info) {
  for (std::string_view feature : executable::openclFeatures(info.extensions))
    info.features.emplace(feature);
  addFloat(info, "16", facts.halfConfig);
  addFloat(info, "32", fpInfNan | fpRoundToNearest); // every device has at least this
  addFloat(info, "64", facts.doubleConfig);
}

void describeSubgroups(const DeviceFacts &facts, hal::DeviceInfo &info) {
  hal::DeviceLimits &limits = info.limits;
  info.subgroupOperations = executable::openclSubgroupOperations(info.extensions);
  if (facts.maxSubgroups == 0)
    return;
  limits.fullSubgroups = true; // only the last subgroup of a workgroup may be partial
  if (facts.subgroupSizes.empty()) {
    // The driver chooses a size for each kernel, and says which one only then.
    limits.maxSubgroupSize = 128;
    return;
  }
  limits.subgroupSizeControl = true;
  limits.minSubgroupSize = static_cast<uint32_t>(facts.subgroupSizes.front());
  limits.maxSubgroupSize = static_cast<uint32_t>(facts.subgroupSizes.back());
  constexpr uint64_t usual = 16;
  auto size = std::ranges::lower_bound(facts.subgroupSizes, usual);
  limits.subgroupSize =
      size == facts.subgroupSizes.end() ? limits.maxSubgroupSize : static_cast<uint32_t>(*size);
}

uint32_t bounded(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, INT32_MAX));
}

void describeLimits(const DeviceFacts &facts, bool compiles, hal::DeviceInfo &info) {
  hal::DeviceLimits &limits = info.limits;
  limits.maxGroups = {INT32_MAX, INT32_MAX, INT32_MAX};
  for (size_t d = 0; d < 3; ++d)
    limits.maxWorkgroupSize[d] = bounded(facts.maxWorkgroupSize[d]);
  limits.maxWorkgroupInvocations = bounded(facts.maxWorkgroupInvocations);
  limits.maxWorkgroupMemoryBytes = bounded(facts.workgroupMemoryBytes);
  limits.maxPushConstantBytes = bounded(facts.maxParameterBytes) / 4 * 4;
  // Kernels have no descriptors. Those of shaders become arguments, an address and a length each.
  uint32_t slots = compiles ? bounded(facts.maxParameterBytes / 32) : 0;
  limits.descriptors = {slots, slots, slots, slots, slots, slots, slots};
  limits.maxBufferBytes = facts.maxBufferBytes;
  limits.maxBindingBytes = limits.maxUniformBytes = facts.maxBufferBytes;
  limits.timestampNanoseconds = 1;
}

void nameLimits(hal::DeviceInfo &info) {
  const hal::DeviceLimits &limits = info.limits;
  auto sizes = [](const std::array<uint32_t, 3> &from) {
    return std::vector<int64_t>(from.begin(), from.end());
  };
  auto bytes = static_cast<int64_t>(limits.maxBufferBytes);
  info.namedLimits = {{"maxComputeSharedMemorySize", {limits.maxWorkgroupMemoryBytes}},
                      {"maxComputeWorkGroupInvocations", {limits.maxWorkgroupInvocations}},
                      {"maxComputeWorkGroupSize", sizes(limits.maxWorkgroupSize)},
                      {"maxComputeWorkGroupCount", sizes(limits.maxGroups)},
                      {"maxPushConstantsSize", {limits.maxPushConstantBytes}},
                      {"maxMemoryAllocationSize", {bytes}},
                      {"maxBufferSize", {bytes}},
                      {"subgroupSize", {limits.subgroupSize}},
                      {"subgroupFeatures", {info.subgroupOperations}},
                      {"minSubgroupSize", {limits.minSubgroupSize}},
                      {"maxSubgroupSize", {limits.maxSubgroupSize}}};
}

} // namespace

hal::DeviceInfo describe(const DeviceFacts &facts, Addressing addressing, bool compiles) {
  hal::DeviceInfo info;
  info.driver = "opencl";
  info.name = facts.name;
  info.vendor = facts.vendor;
  info.driverName = facts.platformName;
  info.driverVersion = facts.driverVersion;
  info.kind = kindOf(facts);
  info.memoryBytes = facts.memoryBytes;
  // Without addresses, kernels cannot follow pointers that they read from memory.
  info.bufferAddresses = addressing != Addressing::Buffers;
  info.kinds = {executable::VariantKind::OpenclSpirv};
  if (compiles) // shaders become kernels
    info.kinds.push_back(executable::VariantKind::VulkanSpirv);
  info.versionMajor = facts.version.major;
  info.versionMinor = facts.version.minor;
  info.openClMajor = facts.version.major;
  info.openClMinor = facts.version.minor;
  info.openClSpirvMinor = facts.spirvVersions.empty() ? 0 : facts.spirvVersions.back().minor;
  info.extensions = trueExtensions(facts, info.openClSpirvMinor);
  describeFeatures(facts, info);
  describeLimits(facts, compiles, info);
  describeSubgroups(facts, info);
  if (addressing == Addressing::Buffers) // arguments begin there
    info.limits.bindingAlignment = info.limits.uniformAlignment =
        std::max(facts.bufferAlignmentBits / 8, 4u);
  // Kernels read any memory of the process in place.
  bool inPlace = addressing != Addressing::Buffers && (facts.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
  info.limits.hostImportAlignment = inPlace ? 1 : 0;
  nameLimits(info);
  return info;
}

} // namespace pumice::opencl_driver
