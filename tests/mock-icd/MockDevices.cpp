//===- MockDevices.cpp - the devices that the mock Vulkan driver plays ------===//
#include "MockDevices.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace mock {
namespace {

constexpr uint32_t compute = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr uint32_t f16 = 0, f32 = 1, s8 = 3, s32 = 5, u8 = 7, u32 = 9, bf16 = 1000141000;

void addWords(std::set<std::string> &features, const char *words) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;)
    features.insert(word);
}

void addExtensions(Device &device, const char *words) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;)
    device.extensions[word] = 1;
}

void addMemory(Device &device, uint64_t heapBytes, bool local,
               std::initializer_list<VkMemoryPropertyFlags> types) {
  VkPhysicalDeviceMemoryProperties &memory = device.memory;
  uint32_t heap = memory.memoryHeapCount++;
  memory.memoryHeaps[heap] = {heapBytes, local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0u};
  for (VkMemoryPropertyFlags flags : types)
    memory.memoryTypes[memory.memoryTypeCount++] = {flags, heap};
}

/// The minimum limits of Vulkan 1.1.
Device basic(const char *name, const char *deviceName, uint32_t vendor, uint32_t minor,
             uint32_t patch, VkPhysicalDeviceType type) {
  Device device{};
  device.name = name;
  VkPhysicalDeviceProperties &properties = device.properties;
  std::snprintf(properties.deviceName, sizeof properties.deviceName, "%s", deviceName);
  properties.apiVersion = VK_MAKE_API_VERSION(0, 1, minor, patch);
  properties.driverVersion = VK_MAKE_API_VERSION(0, 1, 2, 3);
  properties.vendorID = vendor;
  properties.deviceType = type;
  VkPhysicalDeviceLimits &limits = properties.limits;
  limits.maxComputeSharedMemorySize = 16384;
  limits.maxComputeWorkGroupInvocations = 128;
  std::ranges::copy(std::initializer_list<uint32_t>{128, 128, 64}, limits.maxComputeWorkGroupSize);
  std::ranges::fill(limits.maxComputeWorkGroupCount, 65535u);
  limits.maxPushConstantsSize = 128;
  limits.maxStorageBufferRange = 1u << 27;
  limits.maxUniformBufferRange = 16384;
  limits.maxBoundDescriptorSets = 4;
  limits.maxPerStageDescriptorStorageBuffers = 4;
  limits.maxDescriptorSetStorageBuffers = 24;
  limits.maxPerStageDescriptorUniformBuffers = 12;
  limits.maxDescriptorSetUniformBuffers = 72;
  limits.maxPerStageResources = 128;
  limits.minStorageBufferOffsetAlignment = limits.minUniformBufferOffsetAlignment = 256;
  limits.timestampPeriod = 1;
  limits.maxMemoryAllocationCount = 4096;
  device.subgroup.subgroupSize = 32;
  device.subgroup.supportedStages = compute;
  device.subgroup.supportedOperations = 1;
  device.maxMemoryAllocationSize = 1u << 30;
  device.independence = 2;
  device.families = {{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1, 64, {1, 1, 1}}};
  return device;
}

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

/// An NVIDIA H200 as driver 580.159.04 reported it.
Device h200() {
  Device device =
      basic("h200", "NVIDIA H200", 0x10de, 4, 312, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  device.properties.driverVersion = (580u << 22) | (159u << 14) | (4u << 6);
  device.driverName = "NVIDIA";
  device.driverInfo = "580.159.04";
#define PUMICE_MOCK_EXTENSION(name, revision) device.extensions[#name] = revision;
#include "H200Extensions.def"
  addWords(device.features,
#include "H200Features.inc"
  );
  VkPhysicalDeviceLimits &limits = device.properties.limits;
  limits.maxComputeSharedMemorySize = 49152;
  limits.maxComputeWorkGroupInvocations = 1024;
  std::ranges::copy(std::initializer_list<uint32_t>{1024, 1024, 64},
                    limits.maxComputeWorkGroupSize);
  limits.maxComputeWorkGroupCount[0] = 2147483647;
  limits.maxPushConstantsSize = 256;
  limits.maxStorageBufferRange = 4294967295;
  limits.maxUniformBufferRange = 65536;
  limits.maxBoundDescriptorSets = 32;
  limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 1048576;
  limits.minStorageBufferOffsetAlignment = 16;
  limits.minUniformBufferOffsetAlignment = 64;
  // All stages, as the driver reports them; only compute matters.
  device.subgroup.supportedStages = VK_SHADER_STAGE_ALL;
  device.subgroup.supportedOperations = 2047;
  device.sizes.minSubgroupSize = device.sizes.maxSubgroupSize = 32;
  device.sizes.maxComputeWorkgroupSubgroups = 32;
  device.sizes.requiredSubgroupSizeStages = VK_SHADER_STAGE_ALL;
  device.maxMemoryAllocationSize = 4292870144;
  device.maxBufferSize = 1ull << 40;
  device.hostImportAlignment = 4096;
  device.independence = 1;
  constexpr VkQueueFlags sparse = VK_QUEUE_SPARSE_BINDING_BIT, move = VK_QUEUE_TRANSFER_BIT;
  device.families = {
      {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | move | sparse, 16, 64, {1, 1, 1}},
      {move | sparse, 2, 64, {1, 1, 1}},
      {VK_QUEUE_COMPUTE_BIT | move | sparse, 8, 64, {1, 1, 1}},
      {0x20 /* video decoding */ | move | sparse, 7, 32, {1, 1, 1}},
      {0x100 /* optical flow */ | move | sparse, 1, 64, {1, 1, 1}}};
  addMemory(device, 150754820096, true, {local, local | visible | coherent});
  addMemory(device, 101361423360, false, {0, visible | coherent, visible | coherent | cached});
  for (uint32_t accumulator : {f16, f32})
    for (Shape shape : {Shape{16, 16, 16, f16, f16, accumulator, accumulator},
                        Shape{16, 8, 16, f16, f16, accumulator, accumulator},
                        Shape{16, 8, 8, f16, f16, accumulator, accumulator}})
      device.shapes.push_back(shape);
  for (uint32_t width : {16, 8}) {
    device.shapes.push_back({16, width, 32, u8, u8, u32, u32});
    device.shapes.push_back({16, width, 32, s8, s8, s32, s32});
  }
  device.shapes.push_back({16, 16, 16, bf16, bf16, f32, f32});
  // Adds 8-bit floats, which the H200 lacks, as an example of types that are newer than this code.
  device.shapes.push_back({16, 16, 32, 1000491002, 1000491002, f32, f32});
  return device;
}

/// Apple's GPUs through MoltenVK: a portability driver, without events here.
Device moltenvk() {
  Device device =
      basic("moltenvk", "Apple M2", 0x106b, 2, 290, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  device.driverName = "MoltenVK";
  device.driverInfo = "1.2.10";
  addExtensions(device, "VK_KHR_portability_subset VK_KHR_16bit_storage VK_KHR_8bit_storage "
                        "VK_KHR_buffer_device_address VK_KHR_shader_float16_int8 "
                        "VK_KHR_timeline_semaphore VK_EXT_scalar_block_layout "
                        "VK_EXT_shader_atomic_float VK_EXT_host_query_reset VK_EXT_memory_budget "
                        "VK_EXT_external_memory_host VK_KHR_push_descriptor VK_KHR_swapchain "
                        "VK_EXT_metal_objects");
  addWords(device.features,
           "shaderInt16 shaderInt64 shaderFloat16 shaderInt8 storageBuffer8BitAccess "
           "uniformAndStorageBuffer8BitAccess storageBuffer16BitAccess scalarBlockLayout "
           "variablePointers variablePointersStorageBuffer robustBufferAccess timelineSemaphore "
           "bufferDeviceAddress uniformBufferStandardLayout shaderSubgroupExtendedTypes "
           "shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd hostQueryReset "
           "samplerMipLodBias triangleFans");
  VkPhysicalDeviceLimits &limits = device.properties.limits;
  limits.maxComputeSharedMemorySize = 32768;
  limits.maxComputeWorkGroupInvocations = 1024;
  std::ranges::fill(limits.maxComputeWorkGroupSize, 1024u);
  limits.maxPushConstantsSize = 4096;
  device.subgroup.supportedOperations = 191;
  device.hostImportAlignment = 16384;
  device.families = {
      {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}}};
  addMemory(device, 16ull << 30, true,
            {local, local | visible | coherent | cached,
             local | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT});
  return device;
}

/// A phone of Vulkan 1.1: no timeline semaphores, no addresses, no driver properties.
Device mobile() {
  Device device = basic("mobile", "PowerVR Rogue GE8320", 0x1010, 1, 131,
                        VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  addExtensions(device, "VK_KHR_storage_buffer_storage_class VK_KHR_swapchain");
  addWords(device.features, "robustBufferAccess variablePointersStorageBuffer");
  device.families[0].timestampValidBits = 0;
  addMemory(device, 2ull << 30, true, {local | visible | coherent, local | visible | cached});
  return device;
}

std::vector<Device> makeDevices() {
  std::vector<Device> devices = {h200(), moltenvk(), mobile()};
  Device idle = basic("no-compute", "Display adapter", 0x1234, 3, 0, VK_PHYSICAL_DEVICE_TYPE_OTHER);
  idle.families = {{VK_QUEUE_GRAPHICS_BIT, 1, 64, {1, 1, 1}}};
  addMemory(idle, 1u << 28, true, {local, visible | coherent});
  devices.push_back(idle);
  Device old = basic("vulkan10", "Old GPU", 0x1002, 0, 3, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  addMemory(old, 1u << 28, true, {local, visible | coherent});
  devices.push_back(old);
  return devices;
}

} // namespace

const Device *findDevice(const std::string &name) {
  static const std::vector<Device> devices = makeDevices();
  auto found = std::ranges::find(devices, name, &Device::name);
  return found == devices.end() ? nullptr : &*found;
}

} // namespace mock
