//===- Describe.cpp - a Metal device in the HAL's terms ---------------------===//
// Features and limits have Vulkan's names, as for every device. They are those that code has after
// SPIRV-Cross has translated it to Metal's language 3.0, so they are close to the targets apple-m1
// to apple-m4 (compiler/target/Triples.def).
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/metal/Driver.h"

#include <algorithm>

namespace pumice::metal_driver {
namespace {

constexpr uint32_t mostThreads = 1024; // of a threadgroup, from the family Apple4 on
constexpr uint32_t simdWidth = 32;
constexpr uint32_t parameterBytes = 4096; // setBytes:length:atIndex:
constexpr uint32_t bufferIndices = 31;

void describeFeatures(hal::DeviceInfo &info) {
  info.features = {"bufferDeviceAddress",
                   "cooperativeMatrix",
                   "scalarBlockLayout",
                   "shaderBufferFloat32AtomicAdd",
                   "shaderBufferFloat32Atomics",
                   "shaderFloat16",
                   "shaderInt16",
                   "shaderInt64",
                   "shaderInt8",
                   "shaderStorageBufferArrayDynamicIndexing",
                   "shaderSubgroupExtendedTypes",
                   "shaderUniformBufferArrayDynamicIndexing",
                   "storageBuffer16BitAccess",
                   "storageBuffer8BitAccess",
                   "storagePushConstant16",
                   "storagePushConstant8",
                   "timelineSemaphore",
                   "uniformAndStorageBuffer16BitAccess",
                   "uniformAndStorageBuffer8BitAccess",
                   "uniformBufferStandardLayout",
                   "variablePointers",
                   "variablePointersStorageBuffer",
                   "vulkanMemoryModel",
                   "vulkanMemoryModelDeviceScope"};
  // simdgroup_matrix. Kernels compiled for this device use it if the compiler can write it.
  info.cooperativeMatrices = {"8x8x8 f16 f16 f16 f16 subgroup", "8x8x8 f16 f16 f32 f32 subgroup",
                              "8x8x8 f32 f32 f32 f32 subgroup"};
  // The first asks the compiler for MSL; the others are those of float atomics and matrices.
  info.extensions = {"VK_KHR_portability_subset", "VK_EXT_shader_atomic_float",
                     "VK_KHR_cooperative_matrix"};
  info.workarounds = {"noOrderedNotEqual", "noPointerCasts"}; // of SPIRV-Cross
  // All but clustered, partitioned and rotations.
  info.subgroupOperations = 1 | 2 | 4 | 8 | 16 | 32 | 128;
}

void describeLimits(const Functions &api, Object device, hal::DeviceInfo &info) {
  hal::DeviceLimits &limits = info.limits;
  limits.maxGroups = {INT32_MAX, INT32_MAX, INT32_MAX};
  limits.maxWorkgroupSize = {mostThreads, mostThreads, mostThreads};
  limits.maxWorkgroupInvocations = mostThreads;
  limits.maxWorkgroupMemoryBytes = static_cast<uint32_t>(
      std::min<Integer>(api.call<Integer>(device, "maxThreadgroupMemoryLength"), INT32_MAX));
  limits.maxPushConstantBytes = parameterBytes;
  limits.descriptors = {8,
                        bufferIndices - 1,
                        bufferIndices - 1,
                        bufferIndices - 1,
                        bufferIndices - 1,
                        bufferIndices - 1,
                        bufferIndices - 1};
  limits.subgroupSize = limits.minSubgroupSize = limits.maxSubgroupSize = simdWidth;
  limits.fullSubgroups = true; // only the last SIMD group of a threadgroup may be partial
  limits.maxBufferBytes = api.call<Integer>(device, "maxBufferLength");
  limits.maxBindingBytes = limits.maxBufferBytes;
  limits.maxUniformBytes = 65536;
  limits.bindingAlignment = 16;
  limits.uniformAlignment = 256;
  limits.hostImportAlignment = 16384; // pages
  limits.timestampNanoseconds = 1;
}

void nameLimits(hal::DeviceInfo &info) {
  const hal::DeviceLimits &limits = info.limits;
  auto sizes = [](const std::array<uint32_t, 3> &from) {
    return std::vector<int64_t>(from.begin(), from.end());
  };
  auto bytes = static_cast<int64_t>(std::min<uint64_t>(limits.maxBufferBytes, UINT32_MAX));
  info.namedLimits = {
      {"maxBoundDescriptorSets", {limits.descriptors.sets}},
      {"maxComputeSharedMemorySize", {limits.maxWorkgroupMemoryBytes}},
      {"maxComputeWorkGroupCount", sizes(limits.maxGroups)},
      {"maxComputeWorkGroupInvocations", {limits.maxWorkgroupInvocations}},
      {"maxComputeWorkGroupSize", sizes(limits.maxWorkgroupSize)},
      {"maxDescriptorSetStorageBuffers", {limits.descriptors.layoutStorageBuffers}},
      {"maxPerStageDescriptorStorageBuffers", {limits.descriptors.stageStorageBuffers}},
      {"maxPushConstantsSize", {limits.maxPushConstantBytes}},
      {"maxStorageBufferRange", {bytes}},
      {"maxUniformBufferRange", {65536}},
      {"minStorageBufferOffsetAlignment", {16}},
      {"subgroupSize", {limits.subgroupSize}},
      {"subgroupFeatures", {info.subgroupOperations}},
      {"subgroupSupportedStages", {32}},
      {"minSubgroupSize", {limits.minSubgroupSize}},
      {"maxSubgroupSize", {limits.maxSubgroupSize}}};
}

} // namespace

Result<hal::DeviceInfo> describe(const Functions &api, Object device) {
  hal::DeviceInfo info;
  info.driver = "metal";
  info.name = textOf(api, api.call(device, "name"));
  if (info.name.empty())
    return Status(StatusCode::Internal, "a Metal device has no name");
  auto has = [&](Integer family) {
    return api.call<Boolean>(device, "supportsFamily:", family) != 0;
  };
  if (!has(familyMetal3) || !has(familyApple7))
    return Status(StatusCode::Unsupported,
                  "'" + info.name +
                      "' lacks what Pumice needs of Metal: an Apple GPU of the M1's family or "
                      "later, and macOS 13 (Metal 3)");
  info.vendor = info.driverName = "Apple";
  info.driverVersion = has(familyApple9) ? "Apple9" : has(familyApple8) ? "Apple8" : "Apple7";
  info.kind = hal::DeviceKind::Integrated;
  info.memoryBytes = api.call<Integer>(device, "recommendedMaxWorkingSetSize");
  info.bufferAddresses = true;
  info.kinds = {executable::VariantKind::Msl};
  info.versionMajor = 1; // the Vulkan whose features it has
  info.versionMinor = 2;
  describeFeatures(info);
  describeLimits(api, device, info);
  nameLimits(info);
  if (info.limits.maxBufferBytes == 0 || info.limits.maxWorkgroupMemoryBytes == 0)
    return Status(StatusCode::Internal, "'" + info.name + "' does not state its limits");
  return info;
}

} // namespace pumice::metal_driver
