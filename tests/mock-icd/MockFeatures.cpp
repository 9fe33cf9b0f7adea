//===- MockFeatures.cpp - Vulkan's structures, filled in by name ------------===//
#include "MockDevices.h"

#include <algorithm>
#include <cstring>

namespace mock {
namespace {

/// Calls `each(name, place)` for every flag of a structure, for reading or writing.
template <typename Each> bool visitFeatures(VkStructureType type, void *structure, Each each) {
#define FLAG(member) each(#member, s.member)
#define STRUCTURE(TYPE, Name, ...)                                                                 \
  case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##TYPE: {                                                 \
    auto &s = *static_cast<VkPhysicalDevice##Name *>(structure);                                   \
    __VA_ARGS__;                                                                                   \
    return true;                                                                                   \
  }
  switch (static_cast<uint32_t>(type)) {
    STRUCTURE(16BIT_STORAGE_FEATURES, 16BitStorageFeatures, FLAG(storageBuffer16BitAccess),
              FLAG(uniformAndStorageBuffer16BitAccess), FLAG(storagePushConstant16))
    STRUCTURE(8BIT_STORAGE_FEATURES, 8BitStorageFeatures, FLAG(storageBuffer8BitAccess),
              FLAG(uniformAndStorageBuffer8BitAccess), FLAG(storagePushConstant8))
    STRUCTURE(VARIABLE_POINTERS_FEATURES, VariablePointersFeatures,
              FLAG(variablePointersStorageBuffer), FLAG(variablePointers))
    STRUCTURE(SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features, FLAG(shaderFloat16),
              FLAG(shaderInt8))
    STRUCTURE(SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayoutFeatures, FLAG(scalarBlockLayout))
    STRUCTURE(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, UniformBufferStandardLayoutFeatures,
              FLAG(uniformBufferStandardLayout))
    STRUCTURE(BUFFER_DEVICE_ADDRESS_FEATURES, BufferDeviceAddressFeatures,
              FLAG(bufferDeviceAddress))
    STRUCTURE(VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures, FLAG(vulkanMemoryModel),
              FLAG(vulkanMemoryModelDeviceScope))
    STRUCTURE(DESCRIPTOR_INDEXING_FEATURES, DescriptorIndexingFeatures,
              FLAG(shaderStorageBufferArrayNonUniformIndexing), FLAG(runtimeDescriptorArray))
    STRUCTURE(SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features,
              FLAG(shaderBufferInt64Atomics), FLAG(shaderSharedInt64Atomics))
    STRUCTURE(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypesFeatures,
              FLAG(shaderSubgroupExtendedTypes))
    STRUCTURE(TIMELINE_SEMAPHORE_FEATURES, TimelineSemaphoreFeatures, FLAG(timelineSemaphore))
    STRUCTURE(HOST_QUERY_RESET_FEATURES, HostQueryResetFeatures, FLAG(hostQueryReset))
    STRUCTURE(SHADER_INTEGER_DOT_PRODUCT_FEATURES, ShaderIntegerDotProductFeatures,
              FLAG(shaderIntegerDotProduct))
    STRUCTURE(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, ZeroInitializeWorkgroupMemoryFeatures,
              FLAG(shaderZeroInitializeWorkgroupMemory))
    STRUCTURE(SUBGROUP_SIZE_CONTROL_FEATURES, SubgroupSizeControlFeatures,
              FLAG(subgroupSizeControl), FLAG(computeFullSubgroups))
    STRUCTURE(MAINTENANCE_4_FEATURES, Maintenance4Features, FLAG(maintenance4))
    STRUCTURE(SYNCHRONIZATION_2_FEATURES, Synchronization2Features, FLAG(synchronization2))
    STRUCTURE(PIPELINE_CREATION_CACHE_CONTROL_FEATURES, PipelineCreationCacheControlFeatures,
              FLAG(pipelineCreationCacheControl))
    STRUCTURE(WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
              WorkgroupMemoryExplicitLayoutFeaturesKHR, FLAG(workgroupMemoryExplicitLayout),
              FLAG(workgroupMemoryExplicitLayoutScalarBlockLayout),
              FLAG(workgroupMemoryExplicitLayout8BitAccess),
              FLAG(workgroupMemoryExplicitLayout16BitAccess))
    STRUCTURE(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
              ShaderSubgroupUniformControlFlowFeaturesKHR, FLAG(shaderSubgroupUniformControlFlow))
    STRUCTURE(SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR, FLAG(shaderSubgroupClock),
              FLAG(shaderDeviceClock))
    STRUCTURE(PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, PipelineExecutablePropertiesFeaturesKHR,
              FLAG(pipelineExecutableInfo))
    STRUCTURE(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT,
              FLAG(shaderBufferFloat32Atomics), FLAG(shaderBufferFloat32AtomicAdd),
              FLAG(shaderBufferFloat64Atomics), FLAG(shaderBufferFloat64AtomicAdd),
              FLAG(shaderSharedFloat32Atomics), FLAG(shaderSharedFloat32AtomicAdd),
              FLAG(shaderSharedFloat64Atomics), FLAG(shaderSharedFloat64AtomicAdd))
    STRUCTURE(FAULT_FEATURES_EXT, FaultFeaturesEXT, FLAG(deviceFault))
    STRUCTURE(COOPERATIVE_MATRIX_FEATURES_NV, CooperativeMatrixFeaturesNV,
              each("cooperativeMatrixNV", s.cooperativeMatrix))
  case 1000163000: { // VkPhysicalDevicePortabilitySubsetFeaturesKHR
    auto &s = *static_cast<VkPhysicalDevicePortabilitySubsetFeaturesKHR *>(structure);
    FLAG(events), FLAG(samplerMipLodBias), FLAG(triangleFans);
    return true;
  }
  default:
    return false;
  }
}

/// Structures that the installed headers lack. The values are those of the specification.
struct NewerStructure {
  uint32_t type;
  std::vector<const char *> members;
};
const std::vector<NewerStructure> newerStructures = {
    {1000506000, {"cooperativeMatrix", "cooperativeMatrixRobustBufferAccess"}},
    {1000141000,
     {"shaderBFloat16Type", "shaderBFloat16DotProduct", "shaderBFloat16CooperativeMatrix"}},
    {1000416000, {"shaderSubgroupRotate", "shaderSubgroupRotateClustered"}},
    {1000434000, {"shaderMaximalReconvergence"}},
    {1000528000, {"shaderFloatControls2"}},
    {1000544000, {"shaderExpectAssume"}},
    {1000470000, {"maintenance5"}},
    {1000564000, {"shaderReplicatedComposites"}},
};

template <typename Each> bool visitAny(VkBaseOutStructure *structure, Each each) {
  for (const NewerStructure &newer : newerStructures)
    if (newer.type == static_cast<uint32_t>(structure->sType)) {
      auto *flags = reinterpret_cast<VkBool32 *>(structure + 1);
      for (size_t i = 0; i < newer.members.size(); ++i)
        each(newer.members[i], flags[i]);
      return true;
    }
  return visitFeatures(structure->sType, structure, each);
}

template <typename Each> void visitCore(VkPhysicalDeviceFeatures &s, Each each) {
  FLAG(shaderFloat64), FLAG(shaderInt64), FLAG(shaderInt16), FLAG(robustBufferAccess),
      FLAG(shaderUniformBufferArrayDynamicIndexing), FLAG(shaderStorageBufferArrayDynamicIndexing);
}

template <typename T, size_t N> void copyText(T (&to)[N], const std::string &from) {
  std::strncpy(to, from.c_str(), N - 1);
}

void writeFloatControls(const Device &device, VkPhysicalDeviceFloatControlsProperties &s) {
  auto each = [&](const char *name, VkBool32 &flag) { flag = device.features.contains(name); };
#define WIDTHS(member)                                                                             \
  FLAG(shader##member##Float16), FLAG(shader##member##Float32), FLAG(shader##member##Float64)
  WIDTHS(SignedZeroInfNanPreserve), WIDTHS(DenormPreserve), WIDTHS(DenormFlushToZero),
      WIDTHS(RoundingModeRTE), WIDTHS(RoundingModeRTZ);
  s.denormBehaviorIndependence = s.roundingModeIndependence =
      static_cast<VkShaderFloatControlsIndependence>(device.independence);
}

void writeDotProducts(const Device &device, VkPhysicalDeviceShaderIntegerDotProductProperties &s) {
  auto each = [&](const char *name, VkBool32 &flag) { flag = device.features.contains(name); };
  FLAG(integerDotProduct8BitUnsignedAccelerated), FLAG(integerDotProduct8BitSignedAccelerated),
      FLAG(integerDotProduct8BitMixedSignednessAccelerated),
      FLAG(integerDotProduct4x8BitPackedUnsignedAccelerated),
      FLAG(integerDotProduct4x8BitPackedSignedAccelerated),
      FLAG(integerDotProduct4x8BitPackedMixedSignednessAccelerated);
}

} // namespace

void writeCoreFeatures(const Device &device, VkPhysicalDeviceFeatures &features) {
  visitCore(features,
            [&](const char *name, VkBool32 &flag) { flag = device.features.contains(name); });
}

void writeFeatures(const Device &device, void *chain) {
  for (auto *s = static_cast<VkBaseOutStructure *>(chain); s; s = s->pNext)
    visitAny(s, [&](const char *name, VkBool32 &flag) { flag = device.features.contains(name); });
}

void writeProperties(const Device &device, void *chain) {
  for (auto *s = static_cast<VkBaseOutStructure *>(chain); s; s = s->pNext) {
    void *next = s->pNext;
    switch (static_cast<uint32_t>(s->sType)) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES:
      *reinterpret_cast<VkPhysicalDeviceSubgroupProperties *>(s) = device.subgroup;
      break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES:
      *reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlProperties *>(s) = device.sizes;
      break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES:
      reinterpret_cast<VkPhysicalDeviceMaintenance3Properties *>(s)->maxMemoryAllocationSize =
          device.maxMemoryAllocationSize;
      reinterpret_cast<VkPhysicalDeviceMaintenance3Properties *>(s)->maxPerSetDescriptors = 1024;
      continue;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES:
      reinterpret_cast<VkPhysicalDeviceMaintenance4Properties *>(s)->maxBufferSize =
          device.maxBufferSize;
      continue;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
      reinterpret_cast<VkPhysicalDeviceExternalMemoryHostPropertiesEXT *>(s)
          ->minImportedHostPointerAlignment = device.hostImportAlignment;
      continue;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES:
      copyText(reinterpret_cast<VkPhysicalDeviceDriverProperties *>(s)->driverName,
               device.driverName);
      copyText(reinterpret_cast<VkPhysicalDeviceDriverProperties *>(s)->driverInfo,
               device.driverInfo);
      continue;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES:
      writeFloatControls(device, *reinterpret_cast<VkPhysicalDeviceFloatControlsProperties *>(s));
      continue;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES:
      writeDotProducts(device,
                       *reinterpret_cast<VkPhysicalDeviceShaderIntegerDotProductProperties *>(s));
      continue;
    default:
      continue;
    }
    // The copy overwrote pNext, so restore the caller's.
    s->pNext = static_cast<VkBaseOutStructure *>(next);
  }
}

VkResult checkFeatures(const Device &device, const void *chain) {
  bool known = true;
  auto each = [&](const char *name, VkBool32 flag) {
    known = known && (!flag || device.features.contains(name));
  };
  for (auto *s = static_cast<VkBaseOutStructure *>(const_cast<void *>(chain)); s; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
      visitCore(reinterpret_cast<VkPhysicalDeviceFeatures2 *>(s)->features, each);
    else if (s->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && !visitAny(s, each))
      return VK_ERROR_UNKNOWN; // not a structure of features
  }
  return known ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

} // namespace mock
