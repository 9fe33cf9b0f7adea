//===- Describe.cpp - describes the CPU as a device -------------------------===//
// Features and limits have Vulkan's names, as for a Vulkan device, because the compiler treats the
// CPU like any other target.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/cpu/Describe.h"

#include "executable/Validate.h"
#include "support/Version.h"

namespace pumice::cpu_driver {
namespace {

/// The SPIR-V features that the compiler supports on CPUs.
constexpr const char *features[] = {
    // types
    "shaderFloat64", "shaderInt64", "shaderInt16", "shaderFloat16", "shaderInt8",
    "shaderIntegerDotProduct", "storageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess",
    "storagePushConstant8", "storageBuffer16BitAccess", "uniformAndStorageBuffer16BitAccess",
    "storagePushConstant16", "shaderSubgroupExtendedTypes",
    // floating point by IEEE's rules
    "shaderSignedZeroInfNanPreserveFloat16", "shaderSignedZeroInfNanPreserveFloat32",
    "shaderSignedZeroInfNanPreserveFloat64", "shaderDenormPreserveFloat16",
    "shaderDenormPreserveFloat32", "shaderDenormPreserveFloat64", "shaderRoundingModeRTEFloat16",
    "shaderRoundingModeRTEFloat32", "shaderRoundingModeRTEFloat64", "shaderRoundingModeRTZFloat16",
    "shaderRoundingModeRTZFloat32", "shaderRoundingModeRTZFloat64",
    "shaderDenormFlushToZeroFloat16", "shaderDenormFlushToZeroFloat32",
    "shaderDenormFlushToZeroFloat64", "shaderFloatControls2",
    // memory
    "variablePointersStorageBuffer", "variablePointers", "bufferDeviceAddress", "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope", "scalarBlockLayout", "uniformBufferStandardLayout",
    "workgroupMemoryExplicitLayout", "workgroupMemoryExplicitLayoutScalarBlockLayout",
    "workgroupMemoryExplicitLayout8BitAccess", "workgroupMemoryExplicitLayout16BitAccess",
    "shaderZeroInitializeWorkgroupMemory", "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageBufferArrayNonUniformIndexing", "shaderUniformBufferArrayDynamicIndexing",
    // atomics
    "shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderBufferFloat32Atomics",
    "shaderBufferFloat32AtomicAdd", "shaderBufferFloat64Atomics", "shaderBufferFloat64AtomicAdd",
    "shaderSharedFloat32Atomics", "shaderSharedFloat32AtomicAdd", "shaderSharedFloat64Atomics",
    "shaderSharedFloat64AtomicAdd", "shaderBufferFloat16Atomics", "shaderBufferFloat16AtomicAdd",
    "shaderBufferFloat16AtomicMinMax", "shaderBufferFloat32AtomicMinMax",
    "shaderBufferFloat64AtomicMinMax", "shaderSharedFloat16Atomics", "shaderSharedFloat16AtomicAdd",
    "shaderSharedFloat16AtomicMinMax", "shaderSharedFloat32AtomicMinMax",
    "shaderSharedFloat64AtomicMinMax",
    // subgroups
    "subgroupSizeControl", "computeFullSubgroups", "shaderSubgroupRotate",
    "shaderSubgroupRotateClustered", "shaderSubgroupUniformControlFlow",
    "shaderMaximalReconvergence",
    // matrices
    "cooperativeMatrix", "shaderBFloat16Type", "shaderBFloat16CooperativeMatrix",
    // the rest
    "maintenance4", "robustBufferAccess", "shaderExpectAssume", "shaderSubgroupClock",
    "shaderDeviceClock", "timelineSemaphore", "synchronization2"};

/// Extensions that provide the features above, if Vulkan 1.3 does not include them.
constexpr const char *extensions[] = {"VK_EXT_shader_atomic_float",
                                      "VK_EXT_shader_atomic_float2",
                                      "VK_KHR_cooperative_matrix",
                                      "VK_KHR_shader_bfloat16",
                                      "VK_KHR_shader_clock",
                                      "VK_KHR_shader_expect_assume",
                                      "VK_KHR_shader_float_controls2",
                                      "VK_KHR_shader_maximal_reconvergence",
                                      "VK_KHR_shader_subgroup_rotate",
                                      "VK_KHR_shader_subgroup_uniform_control_flow",
                                      "VK_KHR_workgroup_memory_explicit_layout"};

/// Basic, vote, arithmetic, ballot, shuffle, shuffle relative, clustered, quad, rotate and rotate
/// clustered (VkSubgroupFeatureFlagBits). Partitioned is missing, because only NVIDIA supports it.
constexpr uint32_t subgroupOperations = 0xff | 1u << 9 | 1u << 10;
constexpr int64_t computeStage = 32;

/// The types of cooperative matrices: those of both factors, the addend, and the result.
constexpr const char *floatProducts[] = {"f32 f32 f32 f32", "f16 f16 f32 f32", "f16 f16 f16 f16",
                                         "bf16 bf16 f32 f32", "f64 f64 f64 f64"};
constexpr const char *byteProducts[] = {"s8 s8 s32 s32", "s8 u8 s32 s32", "u8 s8 s32 s32",
                                        "u8 u8 s32 s32", "u8 u8 u32 u32"};

/// Lists shapes of matrices. The compiler accepts any shape. In these shapes, a row of the result
/// fills a register.
void describeMatrices(const HostCpu &cpu, hal::DeviceInfo &info) {
  auto add = [&](const std::string &shape, const std::string &types, const char *more = "") {
    info.cooperativeMatrices.push_back(shape + " " + types + " subgroup" + more);
  };
  if (cpu.brainTiles)
    add("16x16x32", "bf16 bf16 f32 f32");
  if (cpu.byteTiles)
    for (const char *types : byteProducts)
      add("16x16x64", types);
  for (uint32_t side : {16, 8, 4}) {
    if (side < cpu.lanes)
      break;
    std::string n = std::to_string(side), shape = n + "x" + n + "x" + n;
    for (const char *types : floatProducts)
      add(shape, types);
    for (const char *types : byteProducts) {
      add(shape, types);
      add(shape, types, " saturating");
    }
  }
}

void describeLimits(const HostCpu &cpu, hal::DeviceInfo &info) {
  hal::DeviceLimits &limits = info.limits;
  limits.maxGroups = {INT32_MAX, INT32_MAX, INT32_MAX};
  limits.maxWorkgroupSize = {maxWorkgroupInvocations, maxWorkgroupInvocations,
                             maxWorkgroupInvocations};
  limits.maxWorkgroupInvocations = maxWorkgroupInvocations;
  limits.maxWorkgroupMemoryBytes = maxWorkgroupMemoryBytes;
  limits.maxPushConstantBytes = maxPushConstantBytes;
  constexpr uint32_t mostBindings = 1 << 16;
  limits.descriptors = {.sets = executable::maxDescriptorSets,
                        .stageStorageBuffers = mostBindings,
                        .stageUniformBuffers = mostBindings,
                        .stageResources = mostBindings,
                        .layoutStorageBuffers = mostBindings,
                        .layoutUniformBuffers = mostBindings,
                        .perSet = mostBindings};
  limits.subgroupSize = cpu.lanes;
  limits.minSubgroupSize = minSubgroupSize;
  limits.maxSubgroupSize = maxSubgroupSize;
  limits.subgroupSizeControl = limits.fullSubgroups = true;
  limits.maxBufferBytes = info.memoryBytes;
  limits.maxBindingBytes = limits.maxUniformBytes = UINT32_MAX;
  limits.bindingAlignment = limits.uniformAlignment = 4;
  limits.hostImportAlignment = 1;
  limits.timestampNanoseconds = 1;
}

void nameLimits(hal::DeviceInfo &info) {
  const hal::DeviceLimits &limits = info.limits;
  auto sizes = [](const std::array<uint32_t, 3> &from) {
    return std::vector<int64_t>(from.begin(), from.end());
  };
  auto bytes = static_cast<int64_t>(limits.maxBufferBytes);
  info.namedLimits = {
      {"maxComputeSharedMemorySize", {limits.maxWorkgroupMemoryBytes}},
      {"maxComputeWorkGroupInvocations", {limits.maxWorkgroupInvocations}},
      {"maxComputeWorkGroupSize", sizes(limits.maxWorkgroupSize)},
      {"maxComputeWorkGroupCount", sizes(limits.maxGroups)},
      {"maxPushConstantsSize", {limits.maxPushConstantBytes}},
      {"maxStorageBufferRange", {static_cast<int64_t>(limits.maxBindingBytes)}},
      {"maxUniformBufferRange", {static_cast<int64_t>(limits.maxUniformBytes)}},
      {"maxBoundDescriptorSets", {limits.descriptors.sets}},
      {"maxPerStageDescriptorStorageBuffers", {limits.descriptors.stageStorageBuffers}},
      {"maxDescriptorSetStorageBuffers", {limits.descriptors.layoutStorageBuffers}},
      {"minStorageBufferOffsetAlignment", {static_cast<int64_t>(limits.bindingAlignment)}},
      {"maxMemoryAllocationSize", {bytes}},
      {"maxBufferSize", {bytes}},
      {"subgroupSize", {limits.subgroupSize}},
      {"subgroupFeatures", {subgroupOperations}},
      {"subgroupSupportedStages", {computeStage}},
      {"minSubgroupSize", {limits.minSubgroupSize}},
      {"maxSubgroupSize", {limits.maxSubgroupSize}},
      {"maxComputeWorkgroupSubgroups", {maxWorkgroupInvocations / minSubgroupSize}},
      {"requiredSubgroupSizeStages", {computeStage}},
      // Lists each width separately.
      {"denormBehaviorIndependence", {1}},
      {"roundingModeIndependence", {1}}};
}

} // namespace

hal::DeviceInfo describe(const HostCpu &cpu, uint64_t memoryBytes, bool compiles) {
  hal::DeviceInfo info;
  info.id = "cpu:0";
  info.driver = "cpu";
  info.name = cpu.name;
  info.vendor = cpu.vendor;
  info.driverName = "Pumice";
  info.driverVersion = PUMICE_VERSION_TEXT;
  info.kind = hal::DeviceKind::Cpu;
  info.memoryBytes = memoryBytes ? memoryBytes : uint64_t{1} << 32;
  info.bufferAddresses = true;
  info.kinds = {executable::VariantKind::Native};
  if (compiles)
    info.kinds.insert(info.kinds.end(),
                      {executable::VariantKind::VulkanSpirv, executable::VariantKind::OpenclSpirv});
  info.versionMajor = 1;
  info.versionMinor = 3;
  info.versionPatch = 0;
  info.openClMajor = 3;
  info.openClSpirvMinor = 6;
  info.openClExtensions = {"__opencl_c_generic_address_space", "cl_khr_extended_bit_ops"};
  info.extensions.insert(std::begin(extensions), std::end(extensions));
  info.features.insert(std::begin(features), std::end(features));
  info.subgroupOperations = subgroupOperations;
  info.architecture = cpu.architecture;
  describeLimits(cpu, info);
  nameLimits(info);
  describeMatrices(cpu, info);
  return info;
}

} // namespace pumice::cpu_driver
