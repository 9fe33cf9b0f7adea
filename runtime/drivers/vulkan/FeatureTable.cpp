//===- FeatureTable.cpp - the structures of Vulkan's boolean features -------===//
#include "runtime/drivers/vulkan/FeatureTable.h"

#include <algorithm>
#include <cstring>

namespace pumice::vulkan {
namespace {

/// A structure with consecutive flags that the installed headers lack.
struct NewerFeatures {
  VkStructureType sType;
  void *pNext;
  VkBool32 flags[4];
};

#define FLAG(structure, member) {#member, offsetof(VkPhysicalDevice##structure, member)}
#define CORE(member) {#member, offsetof(VkPhysicalDeviceFeatures2, features.member)}
#define NEWER(name, index) {name, offsetof(NewerFeatures, flags) + (index) * sizeof(VkBool32)}

constexpr FeatureFlag core[] = {CORE(shaderFloat64),
                                CORE(shaderInt64),
                                CORE(shaderInt16),
                                CORE(robustBufferAccess),
                                CORE(shaderUniformBufferArrayDynamicIndexing),
                                CORE(shaderStorageBufferArrayDynamicIndexing)};
constexpr FeatureFlag storage16[] = {FLAG(16BitStorageFeatures, storageBuffer16BitAccess),
                                     FLAG(16BitStorageFeatures, uniformAndStorageBuffer16BitAccess),
                                     FLAG(16BitStorageFeatures, storagePushConstant16)};
constexpr FeatureFlag variablePointers[] = {
    FLAG(VariablePointersFeatures, variablePointersStorageBuffer),
    FLAG(VariablePointersFeatures, variablePointers)};
constexpr FeatureFlag float16Int8[] = {FLAG(ShaderFloat16Int8Features, shaderFloat16),
                                       FLAG(ShaderFloat16Int8Features, shaderInt8)};
constexpr FeatureFlag storage8[] = {FLAG(8BitStorageFeatures, storageBuffer8BitAccess),
                                    FLAG(8BitStorageFeatures, uniformAndStorageBuffer8BitAccess),
                                    FLAG(8BitStorageFeatures, storagePushConstant8)};
constexpr FeatureFlag scalarLayout[] = {FLAG(ScalarBlockLayoutFeatures, scalarBlockLayout)};
constexpr FeatureFlag uniformLayout[] = {
    FLAG(UniformBufferStandardLayoutFeatures, uniformBufferStandardLayout)};
constexpr FeatureFlag addresses[] = {FLAG(BufferDeviceAddressFeatures, bufferDeviceAddress)};
constexpr FeatureFlag memoryModel[] = {
    FLAG(VulkanMemoryModelFeatures, vulkanMemoryModel),
    FLAG(VulkanMemoryModelFeatures, vulkanMemoryModelDeviceScope)};
constexpr FeatureFlag indexing[] = {
    FLAG(DescriptorIndexingFeatures, shaderStorageBufferArrayNonUniformIndexing),
    FLAG(DescriptorIndexingFeatures, runtimeDescriptorArray)};
constexpr FeatureFlag atomicInt64[] = {FLAG(ShaderAtomicInt64Features, shaderBufferInt64Atomics),
                                       FLAG(ShaderAtomicInt64Features, shaderSharedInt64Atomics)};
constexpr FeatureFlag extendedTypes[] = {
    FLAG(ShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes)};
constexpr FeatureFlag timeline[] = {FLAG(TimelineSemaphoreFeatures, timelineSemaphore)};
constexpr FeatureFlag hostReset[] = {FLAG(HostQueryResetFeatures, hostQueryReset)};
constexpr FeatureFlag dotProduct[] = {
    FLAG(ShaderIntegerDotProductFeatures, shaderIntegerDotProduct)};
constexpr FeatureFlag zeroWorkgroup[] = {
    FLAG(ZeroInitializeWorkgroupMemoryFeatures, shaderZeroInitializeWorkgroupMemory)};
constexpr FeatureFlag subgroupSizes[] = {FLAG(SubgroupSizeControlFeatures, subgroupSizeControl),
                                         FLAG(SubgroupSizeControlFeatures, computeFullSubgroups)};
constexpr FeatureFlag maintenance4[] = {FLAG(Maintenance4Features, maintenance4)};
constexpr FeatureFlag synchronization2[] = {FLAG(Synchronization2Features, synchronization2)};
constexpr FeatureFlag cacheControl[] = {
    FLAG(PipelineCreationCacheControlFeatures, pipelineCreationCacheControl)};
constexpr FeatureFlag workgroupLayout[] = {
    FLAG(WorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayout),
    FLAG(WorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayoutScalarBlockLayout),
    FLAG(WorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayout8BitAccess),
    FLAG(WorkgroupMemoryExplicitLayoutFeaturesKHR, workgroupMemoryExplicitLayout16BitAccess)};
constexpr FeatureFlag uniformFlow[] = {
    FLAG(ShaderSubgroupUniformControlFlowFeaturesKHR, shaderSubgroupUniformControlFlow)};
constexpr FeatureFlag clocks[] = {FLAG(ShaderClockFeaturesKHR, shaderSubgroupClock),
                                  FLAG(ShaderClockFeaturesKHR, shaderDeviceClock)};
constexpr FeatureFlag executables[] = {
    FLAG(PipelineExecutablePropertiesFeaturesKHR, pipelineExecutableInfo)};
constexpr FeatureFlag atomicFloat[] = {
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderBufferFloat64Atomics),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderBufferFloat64AtomicAdd),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderSharedFloat32Atomics),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderSharedFloat32AtomicAdd),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderSharedFloat64Atomics),
    FLAG(ShaderAtomicFloatFeaturesEXT, shaderSharedFloat64AtomicAdd)};
constexpr FeatureFlag atomicFloat2[] = {
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16Atomics),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16AtomicAdd),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderBufferFloat16AtomicMinMax),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderBufferFloat32AtomicMinMax),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderBufferFloat64AtomicMinMax),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16Atomics),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16AtomicAdd),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderSharedFloat16AtomicMinMax),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderSharedFloat32AtomicMinMax),
    FLAG(ShaderAtomicFloat2FeaturesEXT, shaderSharedFloat64AtomicMinMax)};
constexpr FeatureFlag fault[] = {
    {"deviceFault", offsetof(VkPhysicalDeviceFaultFeaturesEXT, deviceFault)}};
constexpr FeatureFlag portability[] = {FLAG(PortabilitySubsetFeaturesKHR, events)};
// VK_NV_cooperative_matrix and VK_KHR_cooperative_matrix use the same name for this feature.
constexpr FeatureFlag matrixNV[] = {
    {"cooperativeMatrixNV",
     offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix)}};
constexpr FeatureFlag matrix[] = {NEWER("cooperativeMatrix", 0),
                                  NEWER("cooperativeMatrixRobustBufferAccess", 1)};
constexpr FeatureFlag bfloat16[] = {NEWER("shaderBFloat16Type", 0),
                                    NEWER("shaderBFloat16DotProduct", 1),
                                    NEWER("shaderBFloat16CooperativeMatrix", 2)};
constexpr FeatureFlag rotate[] = {NEWER("shaderSubgroupRotate", 0),
                                  NEWER("shaderSubgroupRotateClustered", 1)};
constexpr FeatureFlag reconvergence[] = {NEWER("shaderMaximalReconvergence", 0)};
constexpr FeatureFlag floatControls2[] = {NEWER("shaderFloatControls2", 0)};
constexpr FeatureFlag expectAssume[] = {NEWER("shaderExpectAssume", 0)};
constexpr FeatureFlag maintenance5[] = {NEWER("maintenance5", 0)};
constexpr FeatureFlag replicated[] = {NEWER("shaderReplicatedComposites", 0)};

#define DOT(member) FLAG(ShaderIntegerDotProductProperties, integerDotProduct##member##Accelerated)
constexpr FeatureFlag dotAccelerated[] = {
    DOT(8BitUnsigned),         DOT(8BitSigned),         DOT(8BitMixedSignedness),
    DOT(4x8BitPackedUnsigned), DOT(4x8BitPackedSigned), DOT(4x8BitPackedMixedSignedness)};
#define WIDTHS(member)                                                                             \
  FLAG(FloatControlsProperties, shader##member##Float16),                                          \
      FLAG(FloatControlsProperties, shader##member##Float32),                                      \
      FLAG(FloatControlsProperties, shader##member##Float64)
constexpr FeatureFlag floatControls[] = {WIDTHS(SignedZeroInfNanPreserve), WIDTHS(DenormPreserve),
                                         WIDTHS(DenormFlushToZero), WIDTHS(RoundingModeRTE),
                                         WIDTHS(RoundingModeRTZ)};

#define FEATURES(name) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name
constexpr bool property = true, ours = true;
constexpr FeatureStructure structures[] = {
    // This entry must be the first, because the chain for vkGetPhysicalDeviceFeatures2 must begin
    // with this structure.
    {FEATURES(FEATURES_2), nullptr, 0, false, false, core},
    {FEATURES(16BIT_STORAGE_FEATURES), "VK_KHR_16bit_storage", 1, false, false, storage16},
    {FEATURES(VARIABLE_POINTERS_FEATURES), "VK_KHR_variable_pointers", 1, false, false,
     variablePointers},
    {FEATURES(SHADER_FLOAT16_INT8_FEATURES), "VK_KHR_shader_float16_int8", 2, false, false,
     float16Int8},
    {FEATURES(8BIT_STORAGE_FEATURES), "VK_KHR_8bit_storage", 2, false, false, storage8},
    {FEATURES(SCALAR_BLOCK_LAYOUT_FEATURES), "VK_EXT_scalar_block_layout", 2, false, false,
     scalarLayout},
    {FEATURES(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES), "VK_KHR_uniform_buffer_standard_layout", 2,
     false, false, uniformLayout},
    {FEATURES(BUFFER_DEVICE_ADDRESS_FEATURES), "VK_KHR_buffer_device_address", 2, false, false,
     addresses},
    {FEATURES(VULKAN_MEMORY_MODEL_FEATURES), "VK_KHR_vulkan_memory_model", 2, false, false,
     memoryModel},
    {FEATURES(DESCRIPTOR_INDEXING_FEATURES), "VK_EXT_descriptor_indexing", 2, false, false,
     indexing},
    {FEATURES(SHADER_ATOMIC_INT64_FEATURES), "VK_KHR_shader_atomic_int64", 2, false, false,
     atomicInt64},
    {FEATURES(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES), "VK_KHR_shader_subgroup_extended_types", 2,
     false, false, extendedTypes},
    {FEATURES(TIMELINE_SEMAPHORE_FEATURES), "VK_KHR_timeline_semaphore", 2, false, false, timeline},
    {FEATURES(HOST_QUERY_RESET_FEATURES), "VK_EXT_host_query_reset", 2, false, ours, hostReset},
    {FEATURES(SHADER_INTEGER_DOT_PRODUCT_FEATURES), "VK_KHR_shader_integer_dot_product", 3, false,
     false, dotProduct},
    {FEATURES(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES), "VK_KHR_zero_initialize_workgroup_memory",
     3, false, false, zeroWorkgroup},
    {FEATURES(SUBGROUP_SIZE_CONTROL_FEATURES), "VK_EXT_subgroup_size_control", 3, false, false,
     subgroupSizes},
    {FEATURES(MAINTENANCE_4_FEATURES), "VK_KHR_maintenance4", 3, false, false, maintenance4},
    {FEATURES(SYNCHRONIZATION_2_FEATURES), "VK_KHR_synchronization2", 3, false, false,
     synchronization2},
    {FEATURES(PIPELINE_CREATION_CACHE_CONTROL_FEATURES), "VK_EXT_pipeline_creation_cache_control",
     3, false, ours, cacheControl},
    {newerStructureType(subgroupRotateNumber), "VK_KHR_shader_subgroup_rotate", 4, false, false,
     rotate},
    {newerStructureType(floatControls2Number), "VK_KHR_shader_float_controls2", 4, false, false,
     floatControls2},
    {newerStructureType(expectAssumeNumber), "VK_KHR_shader_expect_assume", 4, false, false,
     expectAssume},
    {newerStructureType(maintenance5Number), "VK_KHR_maintenance5", 4, false, false, maintenance5},
    {FEATURES(WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR),
     "VK_KHR_workgroup_memory_explicit_layout", executable::never, false, false, workgroupLayout},
    {FEATURES(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR),
     "VK_KHR_shader_subgroup_uniform_control_flow", executable::never, false, false, uniformFlow},
    {FEATURES(SHADER_CLOCK_FEATURES_KHR), "VK_KHR_shader_clock", executable::never, false, false,
     clocks},
    {FEATURES(PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR), "VK_KHR_pipeline_executable_properties",
     executable::never, false, false, executables},
    {FEATURES(SHADER_ATOMIC_FLOAT_FEATURES_EXT), "VK_EXT_shader_atomic_float", executable::never,
     false, false, atomicFloat},
    {FEATURES(SHADER_ATOMIC_FLOAT_2_FEATURES_EXT), "VK_EXT_shader_atomic_float2", executable::never,
     false, false, atomicFloat2},
    {FEATURES(FAULT_FEATURES_EXT), "VK_EXT_device_fault", executable::never, false, ours, fault},
    {newerStructureType(portabilitySubsetNumber), "VK_KHR_portability_subset", executable::never,
     false, false, portability},
    {FEATURES(COOPERATIVE_MATRIX_FEATURES_NV), "VK_NV_cooperative_matrix", executable::never, false,
     false, matrixNV},
    {newerStructureType(cooperativeMatrixNumber), "VK_KHR_cooperative_matrix", executable::never,
     false, false, matrix},
    {newerStructureType(shaderBfloat16Number), "VK_KHR_shader_bfloat16", executable::never, false,
     false, bfloat16},
    {newerStructureType(maximalReconvergenceNumber), "VK_KHR_shader_maximal_reconvergence",
     executable::never, false, false, reconvergence},
    {newerStructureType(replicatedCompositesNumber), "VK_EXT_shader_replicated_composites",
     executable::never, false, false, replicated},
    {FEATURES(SHADER_INTEGER_DOT_PRODUCT_PROPERTIES), "VK_KHR_shader_integer_dot_product", 3,
     property, false, dotAccelerated},
    {FEATURES(FLOAT_CONTROLS_PROPERTIES), "VK_KHR_shader_float_controls", 2, property, false,
     floatControls},
};

constexpr FeatureFlag vulkan11[] = {FLAG(Vulkan11Features, storageBuffer16BitAccess),
                                    FLAG(Vulkan11Features, uniformAndStorageBuffer16BitAccess),
                                    FLAG(Vulkan11Features, storagePushConstant16),
                                    FLAG(Vulkan11Features, variablePointersStorageBuffer),
                                    FLAG(Vulkan11Features, variablePointers)};
constexpr FeatureFlag vulkan12[] = {
    FLAG(Vulkan12Features, storageBuffer8BitAccess),
    FLAG(Vulkan12Features, uniformAndStorageBuffer8BitAccess),
    FLAG(Vulkan12Features, storagePushConstant8),
    FLAG(Vulkan12Features, shaderBufferInt64Atomics),
    FLAG(Vulkan12Features, shaderSharedInt64Atomics),
    FLAG(Vulkan12Features, shaderFloat16),
    FLAG(Vulkan12Features, shaderInt8),
    FLAG(Vulkan12Features, shaderStorageBufferArrayNonUniformIndexing),
    FLAG(Vulkan12Features, runtimeDescriptorArray),
    FLAG(Vulkan12Features, scalarBlockLayout),
    FLAG(Vulkan12Features, uniformBufferStandardLayout),
    FLAG(Vulkan12Features, shaderSubgroupExtendedTypes),
    FLAG(Vulkan12Features, hostQueryReset),
    FLAG(Vulkan12Features, timelineSemaphore),
    FLAG(Vulkan12Features, bufferDeviceAddress),
    FLAG(Vulkan12Features, vulkanMemoryModel),
    FLAG(Vulkan12Features, vulkanMemoryModelDeviceScope)};
constexpr FeatureFlag vulkan13[] = {FLAG(Vulkan13Features, pipelineCreationCacheControl),
                                    FLAG(Vulkan13Features, subgroupSizeControl),
                                    FLAG(Vulkan13Features, computeFullSubgroups),
                                    FLAG(Vulkan13Features, synchronization2),
                                    FLAG(Vulkan13Features, shaderZeroInitializeWorkgroupMemory),
                                    FLAG(Vulkan13Features, shaderIntegerDotProduct),
                                    FLAG(Vulkan13Features, maintenance4)};
// The installed headers lack this structure, whose flags are consecutive.
constexpr FeatureFlag vulkan14[] = {
    NEWER("shaderSubgroupRotate", 1), NEWER("shaderSubgroupRotateClustered", 2),
    NEWER("shaderFloatControls2", 3), NEWER("shaderExpectAssume", 4), NEWER("maintenance5", 15)};
constexpr FeatureStructure wholeVersions[] = {
    {FEATURES(VULKAN_1_1_FEATURES), nullptr, 1, false, false, vulkan11},
    {FEATURES(VULKAN_1_2_FEATURES), nullptr, 2, false, false, vulkan12},
    {FEATURES(VULKAN_1_3_FEATURES), nullptr, 3, false, false, vulkan13},
    {static_cast<VkStructureType>(55), nullptr, 4, false, false, vulkan14},
};

// compiler/target/Verify.cpp has the same list, and rejects environments that contradict it.
constexpr FeatureNeed needs[] = {
    {"variablePointers", "variablePointersStorageBuffer"},
    {"vulkanMemoryModelDeviceScope", "vulkanMemoryModel"},
    {"computeFullSubgroups", "subgroupSizeControl"},
    {"shaderSubgroupRotateClustered", "shaderSubgroupRotate"},
    {"shaderBFloat16DotProduct", "shaderBFloat16Type"},
    {"cooperativeMatrix", "vulkanMemoryModel"},
    {"cooperativeMatrixRobustBufferAccess", "cooperativeMatrix"},
    {"shaderBFloat16CooperativeMatrix", "shaderBFloat16Type"},
    {"shaderBFloat16CooperativeMatrix", "cooperativeMatrix"},
    {"workgroupMemoryExplicitLayout8BitAccess", "workgroupMemoryExplicitLayout"},
    {"workgroupMemoryExplicitLayout16BitAccess", "workgroupMemoryExplicitLayout"},
};

// Extensions without features.
constexpr const char *plain[] = {
    "VK_AMD_shader_core_properties",
    "VK_EXT_calibrated_timestamps",
    "VK_EXT_device_fault",
    "VK_EXT_external_memory_dma_buf",
    "VK_EXT_external_memory_host",
    "VK_EXT_memory_budget",
    "VK_EXT_pci_bus_info",
    "VK_EXT_shader_subgroup_ballot",
    "VK_EXT_shader_subgroup_vote",
    "VK_GOOGLE_decorate_string",
    "VK_GOOGLE_hlsl_functionality1",
    "VK_GOOGLE_user_type",
    "VK_KHR_calibrated_timestamps",
    "VK_KHR_copy_commands2",
    "VK_KHR_dedicated_allocation",
    "VK_KHR_device_group",
    "VK_KHR_external_memory",
    "VK_KHR_external_memory_fd",
    "VK_KHR_maintenance3",
    "VK_KHR_push_descriptor",
    "VK_KHR_relaxed_block_layout",
    "VK_KHR_shader_non_semantic_info",
    "VK_KHR_spirv_1_4",
    "VK_KHR_storage_buffer_storage_class",
    "VK_NV_cooperative_matrix2",
};

constexpr DriverWorkaround workarounds[] = {
    {"fewLoopTurns", VK_DRIVER_ID_MESA_LLVMPIPE},
    {"noFloatBitsInAtomics", VK_DRIVER_ID_MESA_LLVMPIPE},
    {"noIntegerVectors", VK_DRIVER_ID_NVIDIA_PROPRIETARY},
    {"noLongDivisions", VK_DRIVER_ID_NVIDIA_PROPRIETARY},
    {"noNegativeIndices", VK_DRIVER_ID_NVIDIA_PROPRIETARY},
    {"noOrderedNotEqual", VK_DRIVER_ID_MOLTENVK},
    {"noPointerCasts", VK_DRIVER_ID_GOOGLE_SWIFTSHADER},
    {"noSignedLongOrders", VK_DRIVER_ID_MESA_LLVMPIPE},
};

} // namespace

std::span<const FeatureStructure> featureStructures() { return structures; }
std::span<const FeatureStructure> versionStructures() { return wholeVersions; }
std::span<const FeatureNeed> featureNeeds() { return needs; }
std::span<const DriverWorkaround> driverWorkarounds() { return workarounds; }

static bool isBroughtBy(std::string_view name, bool ours) {
  return std::ranges::any_of(structures, [&](const FeatureStructure &structure) {
    return structure.extension && name == structure.extension && structure.ours == ours;
  });
}

bool isTargetExtension(std::string_view name) {
  return std::ranges::any_of(plain, [&](const char *known) { return name == known; }) ||
         isBroughtBy(name, /*ours=*/false);
}

bool isUsedExtension(std::string_view name) {
  return isTargetExtension(name) || isBroughtBy(name, /*ours=*/true) ||
         name == "VK_KHR_driver_properties";
}

FeatureChain::FeatureChain(const std::function<bool(const FeatureStructure &)> &wanted) {
  for (const FeatureStructure &structure : featureStructures())
    if (wanted(structure))
      structures.push_back(&structure);
  blocks.resize(structures.size()); // never resized again; pNext links point into it
  for (size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].type = structures[i]->type;
    blocks[i].next = i + 1 < blocks.size() ? &blocks[i + 1] : nullptr;
  }
}

void FeatureChain::addTo(NameSet &names) const {
  for (size_t i = 0; i < blocks.size(); ++i)
    for (const FeatureFlag &flag : structures[i]->flags) {
      VkBool32 on;
      std::memcpy(&on, reinterpret_cast<const std::byte *>(&blocks[i]) + flag.offset, sizeof on);
      if (on)
        names.insert(flag.name);
    }
}

void FeatureChain::set(const NameSet &names) {
  for (size_t i = 0; i < blocks.size(); ++i)
    for (const FeatureFlag &flag : structures[i]->flags)
      if (names.contains(flag.name)) {
        VkBool32 on = VK_TRUE;
        std::memcpy(reinterpret_cast<std::byte *>(&blocks[i]) + flag.offset, &on, sizeof on);
      }
}

} // namespace pumice::vulkan
