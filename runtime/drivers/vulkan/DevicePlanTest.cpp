//===- DevicePlanTest.cpp - plans for devices of every kind -----------------===//
#include "runtime/drivers/vulkan/DevicePlan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkQueueFlags graphics = VK_QUEUE_GRAPHICS_BIT, compute = VK_QUEUE_COMPUTE_BIT,
                       move = VK_QUEUE_TRANSFER_BIT;

void addHeap(DeviceFacts &facts, uint64_t bytes, bool onDevice,
             std::initializer_list<VkMemoryPropertyFlags> types) {
  uint32_t heap = facts.memory.memoryHeapCount++;
  facts.memory.memoryHeaps[heap] = {bytes, onDevice ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT : 0u};
  for (VkMemoryPropertyFlags flags : types)
    facts.memory.memoryTypes[facts.memory.memoryTypeCount++] = {flags, heap};
}

DeviceFacts basic(uint32_t minor, VkPhysicalDeviceType type) {
  DeviceFacts facts;
  facts.version = facts.properties.apiVersion = VK_MAKE_API_VERSION(0, 1, minor, 0);
  facts.properties.deviceType = type;
  facts.properties.limits.timestampPeriod = 1;
  facts.queueFamilies = {{graphics | compute | move, 1, 64, {1, 1, 1}}};
  return facts;
}

DeviceFacts h200Like() {
  DeviceFacts facts = basic(4, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  facts.extensions = {"VK_KHR_cooperative_matrix",
                      "VK_NV_cooperative_matrix2",
                      "VK_EXT_external_memory_host",
                      "VK_KHR_push_descriptor",
                      "VK_KHR_swapchain",
                      "VK_KHR_maintenance5",
                      "VK_EXT_memory_budget",
                      "VK_EXT_device_fault",
                      "VK_KHR_pipeline_executable_properties",
                      "VK_KHR_device_group",
                      "VK_NV_mesh_shader"};
  facts.features = {
      "cooperativeMatrix",    "vulkanMemoryModel",      "bufferDeviceAddress",
      "timelineSemaphore",    "synchronization2",       "subgroupSizeControl",
      "computeFullSubgroups", "hostQueryReset",         "pipelineCreationCacheControl",
      "robustBufferAccess",   "pipelineExecutableInfo", "maintenance5",
      "deviceFault",          "shaderFloat64",          "shaderDenormPreserveFloat32"};
  facts.requiredSubgroupSizeStages = VK_SHADER_STAGE_ALL;
  facts.hostImportAlignment = 4096;
  facts.queueFamilies = {{graphics | compute | move, 16, 64, {1, 1, 1}},
                         {move, 2, 64, {1, 1, 1}},
                         {compute | move, 8, 64, {1, 1, 1}}};
  addHeap(facts, 141ull << 30, true, {local, local | visible | coherent});
  addHeap(facts, 96ull << 30, false, {0, visible | coherent, visible | coherent | cached});
  return facts;
}

bool enables(const DevicePlan &plan, std::string_view extension) {
  return std::ranges::find(plan.extensions, extension) != plan.extensions.end();
}

DevicePlan planOf(const DeviceFacts &facts) {
  Result<DevicePlan> plan = planDevice(facts);
  EXPECT_TRUE(plan.isOk()) << plan.status().toString();
  return plan.isOk() ? *plan : DevicePlan();
}

using Types = std::vector<uint32_t>;

} // namespace

TEST(DevicePlan, UsesAllFeaturesOfADiscreteGpu) {
  DevicePlan plan = planOf(h200Like());
  EXPECT_EQ(plan.queueFamily, 2u) << "compute without graphics";
  EXPECT_EQ(plan.queueCount, 2u) << "of eight: each costs time to open";
  EXPECT_TRUE(plan.timelineSemaphores && plan.bufferAddresses && plan.synchronization2);
  EXPECT_TRUE(plan.subgroupSizeControl && plan.fullSubgroups);
  EXPECT_TRUE(plan.hostImport && plan.hostQueryReset && plan.timestamps && plan.pushDescriptors);
  EXPECT_TRUE(plan.pipelineStatistics && plan.cacheControl && plan.memoryBudget);
  EXPECT_TRUE(plan.deviceFault && plan.events);
  EXPECT_FALSE(plan.portability || plan.deviceMemoryIsMapped);
}

TEST(DevicePlan, HasAsManyQueuesAsAskedForAndThere) {
  for (auto [asked, got] : {std::pair(1u, 1u), {5u, 5u}, {16u, 8u}}) {
    Result<DevicePlan> plan = planDevice(h200Like(), asked);
    ASSERT_TRUE(plan.isOk()) << plan.status().toString();
    EXPECT_EQ(plan->queueCount, got);
  }
}

TEST(DevicePlan, EnablesOnlyFeaturesOfCompute) {
  DevicePlan plan = planOf(h200Like());
  EXPECT_TRUE(enables(plan, "VK_KHR_cooperative_matrix"));
  EXPECT_TRUE(enables(plan, "VK_NV_cooperative_matrix2"));
  EXPECT_FALSE(enables(plan, "VK_KHR_swapchain"));
  EXPECT_FALSE(enables(plan, "VK_NV_mesh_shader"));
  EXPECT_FALSE(enables(plan, "VK_KHR_device_group")) << "Vulkan 1.1 has it";
  EXPECT_TRUE(plan.features.contains("cooperativeMatrix"));
  EXPECT_FALSE(plan.features.contains("robustBufferAccess")) << "it costs";
  EXPECT_FALSE(plan.features.contains("shaderDenormPreserveFloat32")) << "a property";
}

TEST(DevicePlan, PrefersLocalMemoryAndStagesInHostMemory) {
  DevicePlan plan = planOf(h200Like());
  // Memory types: 0 local; 1 local and visible (behind the bus); 2 plain; 3 visible; 4 visible and
  // cached.
  EXPECT_EQ(plan.types(MemoryUse::Device), (Types{0, 1}))
      << "what does not fit is refused, not put behind the bus";
  EXPECT_EQ(plan.types(MemoryUse::Host), (Types{4, 3, 1}));
  EXPECT_EQ(plan.types(MemoryUse::Upload), (Types{3, 4, 1}));
  EXPECT_EQ(plan.types(MemoryUse::Download), (Types{4, 3, 1}));
}

TEST(DevicePlan, MapsTheMemoryOfLavapipe) {
  DeviceFacts facts = basic(3, VK_PHYSICAL_DEVICE_TYPE_CPU);
  facts.features = {"timelineSemaphore",   "bufferDeviceAddress",  "synchronization2",
                    "subgroupSizeControl", "computeFullSubgroups", "hostQueryReset"};
  facts.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
  addHeap(facts, 16ull << 30, true, {local | visible | coherent | cached});
  DevicePlan plan = planOf(facts);
  EXPECT_TRUE(plan.deviceMemoryIsMapped);
  for (MemoryUse use : {MemoryUse::Device, MemoryUse::Host, MemoryUse::Upload, MemoryUse::Download})
    EXPECT_EQ(plan.types(use), Types{0});
  EXPECT_EQ(plan.queueCount, 1u);
  EXPECT_FALSE(plan.hostImport || plan.pushDescriptors || plan.pipelineStatistics);
}

TEST(Describe, DriversImplyWorkarounds) {
  DeviceFacts facts = basic(3, VK_PHYSICAL_DEVICE_TYPE_CPU);
  EXPECT_EQ(describe(facts).workarounds, std::vector<std::string>());
  facts.driver = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  EXPECT_EQ(describe(facts).workarounds, std::vector<std::string>{"noPointerCasts"});
  facts.driver = VK_DRIVER_ID_MESA_LLVMPIPE;
  EXPECT_EQ(
      describe(facts).workarounds,
      (std::vector<std::string>{"fewLoopTurns", "noFloatBitsInAtomics", "noSignedLongOrders"}));
  facts.driver = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  EXPECT_EQ(describe(facts).workarounds,
            (std::vector<std::string>{"noIntegerVectors", "noLongDivisions", "noNegativeIndices"}));
}

TEST(DevicePlan, UsesTheHostHeapOfAnIntegratedGpuToo) {
  DeviceFacts facts = basic(3, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  // Adds the integrated GPU's own small heap.
  addHeap(facts, 1ull << 29, true, {local, local | visible | coherent});
  addHeap(facts, 16ull << 30, false, {visible | coherent, visible | coherent | cached});
  DevicePlan plan = planOf(facts);
  EXPECT_EQ(plan.types(MemoryUse::Device), (Types{1, 0, 2, 3}));
  EXPECT_TRUE(plan.deviceMemoryIsMapped);
  EXPECT_EQ(plan.types(MemoryUse::Download).front(), 3u);
}

TEST(DevicePlan, EnablesThePortabilitySubsetOfMoltenVK) {
  DeviceFacts facts = basic(2, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  facts.extensions = {"VK_KHR_portability_subset", "VK_EXT_external_memory_host"};
  facts.features = {"timelineSemaphore", "bufferDeviceAddress", "hostQueryReset"};
  facts.hostImportAlignment = 16384;
  addHeap(facts, 16ull << 30, true,
          {local, local | visible | coherent | cached,
           local | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT});
  DevicePlan plan = planOf(facts);
  EXPECT_TRUE(plan.portability);
  EXPECT_TRUE(enables(plan, "VK_KHR_portability_subset")) << "must be, where it is listed";
  EXPECT_FALSE(plan.events) << "the subset leaves them out";
  EXPECT_TRUE(plan.deviceMemoryIsMapped);
  EXPECT_EQ(plan.types(MemoryUse::Device), (Types{1, 0})) << "never the lazily allocated one";

  facts.features.insert("events");
  EXPECT_TRUE(planOf(facts).events);
}

TEST(DevicePlan, UsesEveryFallbackOnAPhoneOfVulkan11) {
  DeviceFacts facts = basic(1, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  facts.queueFamilies[0].timestampValidBits = 0;
  facts.features = {"robustBufferAccess"};
  addHeap(facts, 2ull << 30, true, {local | visible | coherent, local | visible | cached});
  DevicePlan plan = planOf(facts);
  EXPECT_FALSE(plan.timelineSemaphores || plan.bufferAddresses || plan.synchronization2);
  EXPECT_FALSE(plan.subgroupSizeControl || plan.fullSubgroups || plan.hostImport);
  EXPECT_FALSE(plan.hostQueryReset || plan.timestamps || plan.pushDescriptors);
  EXPECT_TRUE(plan.features.empty() && plan.extensions.empty());
  EXPECT_EQ(plan.types(MemoryUse::Host), Types{0}) << "the other needs flushes";
}

TEST(DevicePlan, TakesAnyQueueThatComputesBeforeNone) {
  DeviceFacts facts = basic(1, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  addHeap(facts, 1u << 30, true, {local | visible | coherent});
  facts.queueFamilies = {{graphics, 1, 64, {1, 1, 1}},
                         {compute, 1, 0, {1, 1, 1}},
                         {graphics | compute, 1, 36, {1, 1, 1}}};
  EXPECT_EQ(planOf(facts).queueFamily, 2u) << "with timestamps before one without graphics";
  facts.queueFamilies.pop_back();
  EXPECT_EQ(planOf(facts).queueFamily, 1u);
  facts.queueFamilies[1].queueCount = 0;
  Result<DevicePlan> none = planDevice(facts);
  ASSERT_FALSE(none.isOk());
  EXPECT_EQ(none.status().code(), StatusCode::Unsupported);
  EXPECT_NE(none.status().message().find("none of its queues supports compute"), std::string::npos);
}

// RADV's null devices are like this. They compile, but they have no memory, and their
// timestampPeriod is infinite.
TEST(DevicePlan, RefusesADeviceWithoutMemory) {
  DeviceFacts facts = h200Like();
  facts.properties.limits.timestampPeriod = INFINITY;
  EXPECT_FALSE(planOf(facts).timestamps);
  facts.memory = {};
  Result<DevicePlan> plan = planDevice(facts);
  ASSERT_FALSE(plan.isOk());
  EXPECT_EQ(plan.status().code(), StatusCode::Unsupported);
  EXPECT_NE(plan.status().message().find("it has no memory for buffers"), std::string::npos);
  addHeap(facts, 1 << 20, true, {local, visible | cached}); // not coherent
  plan = planDevice(facts);
  ASSERT_FALSE(plan.isOk());
  EXPECT_NE(plan.status().message().find("that the host can reach"), std::string::npos);
}

TEST(DevicePlan, DisablesExtensionsWithoutTheirDependencies) {
  DeviceFacts facts = basic(2, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
  addHeap(facts, 1u << 30, true, {local | visible | coherent});
  facts.extensions = {"VK_KHR_maintenance5", "VK_EXT_shader_atomic_float2"};
  facts.features = {"maintenance5", "shaderBufferFloat32AtomicMinMax"};
  DevicePlan plan = planOf(facts);
  EXPECT_TRUE(plan.extensions.empty() && plan.features.empty());
}

TEST(DevicePlan, DropsFeaturesWithoutTheirDependencies) {
  NameSet features = {"shaderBFloat16CooperativeMatrix", "shaderBFloat16Type", "cooperativeMatrix",
                      "cooperativeMatrixRobustBufferAccess", "shaderInt64"};
  dropUnmetFeatures(features); // the others depend on vulkanMemoryModel
  EXPECT_EQ(features, (NameSet{"shaderBFloat16Type", "shaderInt64"}));
}

TEST(DevicePlan, RefusesMemoryThatNoTypeServes) {
  DevicePlan plan = planOf(h200Like());
  Result<uint32_t> upload = chooseMemoryType(plan, MemoryUse::Upload, 0b10011);
  ASSERT_TRUE(upload.isOk());
  EXPECT_EQ(*upload, 4u);
  Result<uint32_t> none = chooseMemoryType(plan, MemoryUse::Download, 0b00001);
  ASSERT_FALSE(none.isOk());
  EXPECT_EQ(none.status().code(), StatusCode::Unsupported);
  EXPECT_NE(none.status().message().find("download memory"), std::string::npos);
}
