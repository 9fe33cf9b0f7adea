//===- EnabledFeaturesTest.cpp - what an application's device offers --------===//
#include "runtime/drivers/vulkan/EnabledFeatures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pumice::vulkan {
namespace {

DeviceFacts someFacts() {
  DeviceFacts facts;
  facts.version = VK_API_VERSION_1_3;
  facts.properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 4, 300);
  facts.extensions = {"VK_KHR_external_memory_fd", "VK_EXT_external_memory_host"};
  facts.features = {"shaderInt64",         "timelineSemaphore",   "bufferDeviceAddress",
                    "scalarBlockLayout",   "subgroupSizeControl", "computeFullSubgroups",
                    "storagePushConstant8"};
  VkQueueFamilyProperties family{VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT, 1, 64, {}};
  facts.queueFamilies = {family, family};
  facts.memory.memoryHeapCount = facts.memory.memoryTypeCount = 1;
  facts.memory.memoryHeaps[0].size = 1u << 30;
  facts.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  facts.properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
  return facts;
}

TEST(EnabledFeatures, AreReadFromEveryKindOfStructure) {
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  timelines.timelineSemaphore = VK_TRUE;
  VkPhysicalDeviceVulkan13Features newer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                         &timelines};
  newer.subgroupSizeControl = VK_TRUE;
  VkPhysicalDeviceFeatures core{};
  core.shaderInt64 = VK_TRUE;
  const char *extension = "VK_KHR_external_memory_fd";
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &newer};
  create.pEnabledFeatures = &core;
  create.enabledExtensionCount = 1;
  create.ppEnabledExtensionNames = &extension;
  EnabledParts enabled = enabledBy(create);
  EXPECT_EQ(enabled.extensions, NameSet{"VK_KHR_external_memory_fd"});
  EXPECT_EQ(enabled.features, (NameSet{"shaderInt64", "subgroupSizeControl", "timelineSemaphore"}));

  DeviceFacts facts = restrictFacts(someFacts(), enabled, 1);
  EXPECT_EQ(facts.features, enabled.features); // computeFullSubgroups and others are off
  EXPECT_EQ(facts.extensions, enabled.extensions);
  EXPECT_EQ(describe(facts).versionMinor,
            3u); // the version that the program requested, not the device's 1.4
  Result<DevicePlan> plan = planDevice(facts);
  ASSERT_TRUE(plan.isOk()) << plan.status().toString();
  EXPECT_EQ(plan->queueFamily, 1u);
  EXPECT_TRUE(plan->memoryFd);
  EXPECT_FALSE(plan->hostImport);
  EXPECT_FALSE(plan->bufferAddresses);
}

TEST(EnabledFeatures, WithoutNeededOnesAreDropped) {
  DeviceFacts facts = restrictFacts(someFacts(), {{}, {"computeFullSubgroups"}}, 0);
  EXPECT_EQ(facts.features, NameSet{});
}

TEST(EnabledFeatures, WishesExtendTheCallersStructures) {
  Result<DevicePlan> plan = planDevice(someFacts());
  ASSERT_TRUE(plan.isOk()) << plan.status().toString();
  VkPhysicalDeviceScalarBlockLayoutFeatures scalar{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES};
  VkPhysicalDeviceVulkan13Features newer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                         &scalar};
  Wishes wishes = wishesOf(*plan, &newer);
  EXPECT_TRUE(scalar.scalarBlockLayout && newer.subgroupSizeControl && newer.computeFullSubgroups);
  EXPECT_FALSE(newer.maintenance4); // the device lacks it
  std::vector<VkStructureType> rest;
  for (auto *at = static_cast<VkBaseOutStructure *>(wishes.features->first()); at; at = at->pNext)
    rest.push_back(at->sType);
  EXPECT_EQ(rest, (std::vector<VkStructureType>{
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES}));
  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, wishes.features->first()};
  EXPECT_TRUE(enabledBy(create).features.contains("storagePushConstant8"));
  EXPECT_EQ(wishesOf(*plan, nullptr).extensions, plan->extensions);
}

} // namespace
} // namespace pumice::vulkan
