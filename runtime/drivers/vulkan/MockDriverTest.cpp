//===- MockDriverTest.cpp - devices that a mock driver plays ----------------===//
#include "runtime/drivers/vulkan/Driver.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Device.h"
#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/drivers/vulkan/MockDriver.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/Graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

Ref<VulkanDriver> startDriver() {
  Result<Ref<hal::Driver>> driver = VulkanDriver::create();
  EXPECT_TRUE(driver.isOk()) << driver.status().toString();
  return driver.isOk() ? Ref<VulkanDriver>(static_cast<VulkanDriver *>(driver->get()))
                       : Ref<VulkanDriver>();
}

std::vector<hal::DeviceInfo> listDevices() {
  Ref<VulkanDriver> driver = startDriver();
  if (!driver)
    return {};
  Result<std::vector<hal::DeviceInfo>> devices = driver->devices();
  EXPECT_TRUE(devices.isOk()) << devices.status().toString();
  return devices.isOk() ? *devices : std::vector<hal::DeviceInfo>();
}

/// Opens the first device that the mock driver simulates.
Result<LogicalDevice> openFirst(const InstanceOptions &options = {}) {
  PUMICE_TRY(Ref<Instance> instance, Instance::create(options));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  PUMICE_TRY(DeviceFacts facts, readFacts(*instance, devices.at(0)));
  PUMICE_TRY(DevicePlan plan, planDevice(facts));
  return LogicalDevice::create(instance, facts, plan);
}

/// Opens the same device as the HAL does, but returns the type to which work can be submitted.
Result<Ref<VulkanDevice>> openToWork(bool timelineSemaphores, const DeviceOptions &options) {
  PUMICE_TRY(Ref<Instance> instance, Instance::create({}));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  PUMICE_TRY(DeviceFacts facts, readFacts(*instance, devices.at(0)));
  PUMICE_TRY(DevicePlan plan, planDevice(facts));
  plan.timelineSemaphores = timelineSemaphores;
  hal::DeviceInfo info = describe(facts);
  info.id = "vulkan:0";
  return openPlanned(instance, facts, plan, std::move(info), options);
}

std::vector<int64_t> limit(const hal::DeviceInfo &info, std::string_view name) {
  auto found = info.namedLimits.find(name);
  return found == info.namedLimits.end() ? std::vector<int64_t>() : found->second;
}

} // namespace

TEST(VulkanDriver, DescribesAnH200) {
  playDevices("h200");
  std::vector<hal::DeviceInfo> devices = listDevices();
  ASSERT_EQ(devices.size(), 1u);
  const hal::DeviceInfo &info = devices[0];
  EXPECT_EQ(info.id, "vulkan:0");
  EXPECT_EQ(info.driver, "vulkan");
  EXPECT_EQ(info.name, "NVIDIA H200");
  EXPECT_EQ(info.vendor, "NVIDIA");
  EXPECT_EQ(info.driverVersion, "580.159.04");
  EXPECT_EQ(info.kind, hal::DeviceKind::Discrete);
  EXPECT_EQ(info.memoryBytes, 150754820096u);
  EXPECT_TRUE(info.bufferAddresses);
  EXPECT_EQ(info.versionMinor, 4u);
  EXPECT_EQ(info.versionPatch, 312u);
  EXPECT_EQ(info.limits.subgroupSize, 32u);
  EXPECT_TRUE(info.limits.subgroupSizeControl && info.limits.fullSubgroups);
  EXPECT_EQ(info.limits.maxWorkgroupMemoryBytes, 49152u);
  EXPECT_EQ(info.limits.maxWorkgroupInvocations, 1024u);
  EXPECT_EQ(info.limits.maxGroups[0], 2147483647u);
  EXPECT_EQ(info.limits.maxBufferBytes, 150754820096u)
      << "all of its memory, although maxMemoryAllocationSize says 4 GiB: it takes more";
  EXPECT_EQ(info.limits.hostImportAlignment, 4096u);
  EXPECT_EQ(info.limits.timestampNanoseconds, 1.0);
  EXPECT_EQ(info.subgroupOperations, 2047u);
  EXPECT_EQ(limit(info, "maxBufferSize"), std::vector<int64_t>{1ll << 40});
  EXPECT_EQ(limit(info, "requiredSubgroupSizeStages"), std::vector<int64_t>{32})
      << "compute, of all the stages the driver names";
  for (const char *name : {"cooperativeMatrix", "cooperativeMatrixNV", "shaderBFloat16Type",
                           "shaderSubgroupRotateClustered", "shaderRoundingModeRTZFloat32",
                           "integerDotProduct4x8BitPackedSignedAccelerated"})
    EXPECT_TRUE(info.features.contains(name)) << name;
  EXPECT_FALSE(info.features.contains("hostQueryReset")) << "the driver's own business";
  EXPECT_FALSE(info.features.contains("shaderDenormFlushToZeroFloat32"));
  EXPECT_TRUE(info.extensions.contains("VK_NV_cooperative_matrix2"));
  EXPECT_FALSE(info.features.contains("shaderRoundingModeRTZFloat16"));
  EXPECT_FALSE(info.extensions.contains("VK_KHR_swapchain"));
  EXPECT_FALSE(info.extensions.contains("VK_KHR_driver_properties"));
}

TEST(VulkanDriver, NamesTheMatrixShapesOfAnH200) {
  playDevices("h200");
  std::vector<hal::DeviceInfo> devices = listDevices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].cooperativeMatrices,
            (std::vector<std::string>{
                "16x16x16 f16 f16 f16 f16 subgroup", "16x8x16 f16 f16 f16 f16 subgroup",
                "16x8x8 f16 f16 f16 f16 subgroup", "16x16x16 f16 f16 f32 f32 subgroup",
                "16x8x16 f16 f16 f32 f32 subgroup", "16x8x8 f16 f16 f32 f32 subgroup",
                "16x16x32 u8 u8 u32 u32 subgroup", "16x16x32 s8 s8 s32 s32 subgroup",
                "16x8x32 u8 u8 u32 u32 subgroup", "16x8x32 s8 s8 s32 s32 subgroup",
                // Shapes of 8-bit floats have no name and are left out.
                "16x16x16 bf16 bf16 f32 f32 subgroup"}));
}

TEST(VulkanDriver, OpensEveryDeviceAsPlanned) {
  for (const char *name : {"h200", "mobile"}) {
    playDevices(name);
    Result<LogicalDevice> device = openFirst();
    ASSERT_TRUE(device.isOk()) << name << ": " << device.status().toString();
    EXPECT_EQ(device->queues.size(), std::string_view(name) == "h200" ? 2u : 1u);
    EXPECT_TRUE(device->queues[0]);
  }
}

TEST(VulkanDriver, TheNumberOfQueuesIsSetByVariable) {
  playDevices("h200");
  Ref<VulkanDriver> driver = startDriver();
  ASSERT_TRUE(driver);
  ASSERT_TRUE(driver->devices().isOk());
  for (const char *wrong : {"0", "17", "two", "2x", "-1", " 2"}) {
    setenv("PUMICE_VULKAN_QUEUES", wrong, 1);
    Result<Ref<hal::Device>> device = driver->open(0);
    ASSERT_FALSE(device.isOk()) << wrong;
    EXPECT_EQ(device.status().toString(), "invalid argument: PUMICE_VULKAN_QUEUES is '" +
                                              std::string(wrong) +
                                              "'; expected a number from 1 to 16");
  }
  for (auto [value, queues] : {std::pair("", 2u), {"1", 1u}, {"16", 16u}}) {
    setenv("PUMICE_VULKAN_QUEUES", value, 1);
    Result<uint32_t> wanted = queuesWanted();
    ASSERT_TRUE(wanted.isOk()) << wanted.status().toString();
    EXPECT_EQ(*wanted, queues);
  }
  unsetenv("PUMICE_VULKAN_QUEUES");
}

// The loader hides portability drivers from applications that do not ask for them. Such a device
// may be opened only with its subset extension. The mock driver rejects anything else.
TEST(VulkanDriver, FindsAndOpensMoltenVK) {
  playDevices("moltenvk", "portability");
  ASSERT_EQ(volkInitialize(), VK_SUCCESS);
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo unasked{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  unasked.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateInstance(&unasked, nullptr, &instance), VK_ERROR_INCOMPATIBLE_DRIVER)
      << "the loader must hide it, or this tests nothing";

  std::vector<hal::DeviceInfo> devices = listDevices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].name, "Apple M2");
  EXPECT_EQ(devices[0].vendor, "Apple");
  EXPECT_EQ(devices[0].driverName, "MoltenVK");
  EXPECT_TRUE(devices[0].extensions.contains("VK_KHR_portability_subset"));
  EXPECT_FALSE(devices[0].features.contains("events"));
  EXPECT_EQ(devices[0].limits.hostImportAlignment, 16384u);
  Result<LogicalDevice> device = openFirst();
  EXPECT_TRUE(device.isOk()) << device.status().toString();
}

TEST(VulkanDriver, DescribesAPhoneOfVulkan11) {
  playDevices("mobile");
  std::vector<hal::DeviceInfo> devices = listDevices();
  ASSERT_EQ(devices.size(), 1u);
  const hal::DeviceInfo &info = devices[0];
  EXPECT_EQ(info.vendor, "Imagination");
  EXPECT_EQ(info.driverName, "");
  EXPECT_EQ(info.driverVersion, "1.2.3") << "from the number: it does not say more";
  EXPECT_EQ(info.versionMinor, 1u);
  EXPECT_FALSE(info.bufferAddresses);
  EXPECT_EQ(info.limits.minSubgroupSize, 32u);
  EXPECT_EQ(info.limits.maxSubgroupSize, 32u);
  EXPECT_FALSE(info.limits.subgroupSizeControl || info.limits.fullSubgroups);
  EXPECT_EQ(info.limits.hostImportAlignment, 0u);
  EXPECT_EQ(info.limits.timestampNanoseconds, 0.0) << "its queue takes no timestamps";
  EXPECT_EQ(info.limits.maxBufferBytes, 1u << 30);
  EXPECT_EQ(info.features, (NameSet{"robustBufferAccess", "variablePointersStorageBuffer"}));
}

TEST(VulkanDriver, LeavesOutUnusableDevicesWithAReason) {
  playDevices("no-compute,mobile,vulkan10");
  Ref<VulkanDriver> driver = startDriver();
  ASSERT_TRUE(driver);
  Result<std::vector<hal::DeviceInfo>> devices = driver->devices();
  ASSERT_TRUE(devices.isOk()) << devices.status().toString();
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ((*devices)[0].id, "vulkan:0");
  EXPECT_EQ((*devices)[0].name, "PowerVR Rogue GE8320");
  std::set<std::string> reasons; // the loader chooses the order
  for (const Status &reason : driver->leftOut())
    reasons.insert(reason.toString());
  EXPECT_EQ(reasons,
            (std::set<std::string>{
                "unsupported: Display adapter: none of its queues supports compute "
                "(VK_QUEUE_COMPUTE_BIT)",
                "unsupported: Old GPU: its driver has Vulkan 1.0; 1.1 or newer is needed"}));
}

TEST(VulkanDriver, ADeviceThatFailsDoesNotHideTheOthers) {
  playDevices("h200!vkEnumerateDeviceExtensionProperties,mobile");
  Ref<VulkanDriver> driver = startDriver();
  ASSERT_TRUE(driver);
  Result<std::vector<hal::DeviceInfo>> devices = driver->devices();
  ASSERT_TRUE(devices.isOk()) << devices.status().toString();
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ((*devices)[0].name, "PowerVR Rogue GE8320");
  ASSERT_EQ(driver->leftOut().size(), 1u);
  EXPECT_EQ(driver->leftOut()[0].message(),
            "NVIDIA H200: vkEnumerateDeviceExtensionProperties returned "
            "VK_ERROR_INITIALIZATION_FAILED (the driver failed to start)");
}

TEST(VulkanDriver, ReportsTheErrorIfAllDevicesFail) {
  playDevices("h200!vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR,no-compute");
  Ref<VulkanDriver> driver = startDriver();
  ASSERT_TRUE(driver);
  Result<std::vector<hal::DeviceInfo>> devices = driver->devices();
  ASSERT_FALSE(devices.isOk());
  EXPECT_EQ(devices.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(devices.status().message().find("NVIDIA H200: vkGetPhysicalDeviceCooperativeMatrix"),
            std::string::npos);

  playDevices("!vkEnumeratePhysicalDevices,mobile");
  driver = startDriver();
  ASSERT_TRUE(driver);
  EXPECT_FALSE(driver->devices().isOk());
}

TEST(VulkanDriver, SaysWhichDeviceDidNotOpen) {
  playDevices("mobile!vkCreateDevice");
  Result<LogicalDevice> device = openFirst();
  ASSERT_FALSE(device.isOk());
  EXPECT_EQ(device.status().toString(),
            "resource exhausted: PowerVR Rogue GE8320: vkCreateDevice returned "
            "VK_ERROR_OUT_OF_DEVICE_MEMORY (out of device memory)");
}

TEST(VulkanDriver, WithoutAnyDriverNothingIsFound) {
  playDevices("");
  setenv("VK_DRIVER_FILES", "/nowhere.json", 1);
  setenv("VK_ICD_FILENAMES", "/nowhere.json", 1);
  Result<Ref<hal::Driver>> driver = VulkanDriver::create();
  ASSERT_FALSE(driver.isOk());
  EXPECT_EQ(driver.status().code(), StatusCode::NotFound);
  EXPECT_NE(driver.status().message().find("found no driver that starts"), std::string::npos);
}

TEST(VulkanDriver, ValidationIsAskedForByVariable) {
  playDevices("mobile");
  setenv("PUMICE_VULKAN_VALIDATION", "yes", 1);
  Result<Ref<hal::Driver>> driver = VulkanDriver::create();
  ASSERT_FALSE(driver.isOk());
  EXPECT_EQ(driver.status().toString(),
            "invalid argument: PUMICE_VULKAN_VALIDATION is 'yes'; expected 0 or 1");

  setenv("PUMICE_VULKAN_VALIDATION", "1", 1);
  const char *layers = std::getenv("VK_LAYER_PATH");
  std::string before = layers ? layers : "";
  setenv("VK_LAYER_PATH", "/nowhere", 1); // hides the layer, if it is installed
  driver = VulkanDriver::create();
  ASSERT_FALSE(driver.isOk());
  EXPECT_EQ(driver.status().code(), StatusCode::Unsupported);
  EXPECT_NE(driver.status().message().find("vulkan-validationlayers"), std::string::npos)
      << driver.status().message();
  before.empty() ? unsetenv("VK_LAYER_PATH") : setenv("VK_LAYER_PATH", before.c_str(), 1);
  unsetenv("PUMICE_VULKAN_VALIDATION");
}

// The validation layer reports nothing while devices of every kind are queried, planned and opened.
TEST(VulkanDriver, ValidationHasNothingToSay) {
  for (auto [devices, kind] :
       {std::pair("h200", "plain"), {"mobile", "plain"}, {"moltenvk", "portability"}}) {
    playDevices(devices, kind);
    Result<Ref<Instance>> instance = Instance::create({.validation = true});
    if (!instance.isOk() && instance.status().code() == StatusCode::Unsupported)
      GTEST_SKIP() << instance.status().message();
    ASSERT_TRUE(instance.isOk()) << instance.status().toString();
    Result<LogicalDevice> device = openFirst({.validation = true});
    EXPECT_TRUE(device.isOk()) << device.status().toString();
    EXPECT_EQ(Instance::validationMessages(), 0u) << devices;
  }
}

TEST(VulkanDriver, ThreadsHaveInstancesOfTheirOwn) {
  playDevices("h200,mobile");
  std::vector<std::thread> threads;
  std::atomic<int> opened{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round)
        opened += openFirst().isOk();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(opened, 12);
}

// The mock driver describes devices, and runs nothing.
TEST(VulkanDriver, DevicesWithoutNeededFunctionsAreNotOpened) {
  playDevices("h200");
  Ref<VulkanDriver> driver = startDriver();
  ASSERT_TRUE(driver);
  Status status = driver->open(0).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("lacks vk"), std::string::npos) << status.message();
}

// On this mock driver, a wait for a lost device never ends. So Pumice waits in slices, and checks
// for a loss after each slice.
TEST(VulkanDriver, WaitsEndWhenTheDeviceIsLost) {
  for (bool timelineSemaphores : {true, false})
    for (bool byTimeline : {true, false}) {
      SCOPED_TRACE(timelineSemaphores ? "timeline semaphores" : "fences");
      SCOPED_TRACE(byTimeline ? "a timeline's wait" : "a queue's wait");
      playDevices("h200!work");
      DeviceOptions options;
      options.lossCheck = std::chrono::milliseconds(200);
      Result<Ref<VulkanDevice>> device = openToWork(timelineSemaphores, options);
      ASSERT_TRUE(device.isOk()) << device.status().toString();
      Result<Ref<hal::Queue>> queue = (*device)->createQueue({});
      Result<Ref<hal::Buffer>> buffer = (*device)->allocate(400, hal::MemoryKind::Device);
      Result<Ref<hal::Timeline>> timeline = (*device)->createTimeline(0);
      ASSERT_TRUE(queue.isOk()) << queue.status().toString();
      ASSERT_TRUE(buffer.isOk()) << buffer.status().toString();
      ASSERT_TRUE(timeline.isOk()) << timeline.status().toString();
      ASSERT_TRUE((*queue)->fill({buffer->get()}, 7, 4).isOk());
      if (byTimeline) {
        // On a slow machine, the signal is submitted separately, and this call may already report
        // the loss.
        (void)(*queue)->signal({timeline->get(), 1});
      } else {
        // The wait is shorter than the interval between checks.
        Status soon = (*queue)->finish(std::chrono::milliseconds(1));
        EXPECT_EQ(soon.code(), StatusCode::DeadlineExceeded) << soon.toString();
        EXPECT_TRUE((*device)->health().isOk());
      }
      Status lost = byTimeline ? (*timeline)->wait(1, hal::Timeout::max())
                               : (*queue)->finish(hal::Timeout::max());
      EXPECT_EQ(lost.code(), StatusCode::DeviceLost);
      EXPECT_NE(lost.message().find("a mock's page fault; it wrote at 0x12345000 to 0x12345fff"),
                std::string::npos)
          << lost.message();
      EXPECT_EQ((*queue)->finish(hal::Timeout::max()).code(), StatusCode::DeviceLost);
      EXPECT_EQ((*device)->health().code(), StatusCode::DeviceLost);
      EXPECT_EQ((*device)->allocate(400, hal::MemoryKind::Device).status().code(),
                StatusCode::DeviceLost);
    }
}

// After the loss, nobody waits for the device to finish, and nobody frees memory that it may still
// write. The mock driver would end the process.
TEST(VulkanDriver, EndlessWorkLosesTheDeviceAtTheTimeLimit) {
  for (bool timelineSemaphores : {true, false}) {
    SCOPED_TRACE(timelineSemaphores ? "timeline semaphores" : "fences");
    playDevices("h200!hang");
    DeviceOptions options;
    options.timeout = std::chrono::milliseconds(300);
    Result<Ref<VulkanDevice>> device = openToWork(timelineSemaphores, options);
    ASSERT_TRUE(device.isOk()) << device.status().toString();
    Ref<hal::Queue> queue = (*device)->createQueue({}).value();
    Ref<hal::Queue> other = (*device)->createQueue({}).value();
    Ref<hal::Timeline> timeline = (*device)->createTimeline(0).value();
    Ref<hal::Buffer> buffer = (*device)->allocate(400, hal::MemoryKind::Device).value();
    ASSERT_TRUE(queue->fill({buffer.get()}, 7, 4).isOk());
    ASSERT_TRUE(queue->signal({timeline.get(), 1}).isOk());
    ASSERT_TRUE(other->wait({timeline.get(), 1}).isOk());
    ASSERT_TRUE(other->fill({buffer.get()}, 8, 4).isOk());
    auto begin = std::chrono::steady_clock::now();
    // A short wait does not report the loss before the device's time limit.
    Status soon = other->finish(std::chrono::milliseconds(1));
    EXPECT_EQ(soon.code(), StatusCode::DeadlineExceeded) << soon.toString();
    Status lost = other->finish(hal::Timeout::max());
    EXPECT_EQ(lost.code(), StatusCode::DeviceLost);
    EXPECT_NE(lost.message().find("none of its work finished for 300 ms (PUMICE_VULKAN_TIMEOUT_MS"),
              std::string::npos)
        << lost.message();
    auto taken = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(taken, std::chrono::milliseconds(250));
    EXPECT_EQ(queue->finish(hal::Timeout::max()).code(), StatusCode::DeviceLost);
    EXPECT_EQ(timeline->wait(1, hal::Timeout::max()).code(), StatusCode::DeviceLost);
    EXPECT_EQ((*device)->allocate(400, hal::MemoryKind::Device).status().code(),
              StatusCode::DeviceLost);
    buffer = nullptr, timeline = nullptr, queue = nullptr, other = nullptr;
  }
}

TEST(VulkanDriver, TheTimeLimitIsAnOption) {
  playDevices("h200!hang");
  Result<Ref<VulkanDevice>> device = openToWork(true, {});
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  EXPECT_EQ((*device)->setOption("timeout", 1).code(), StatusCode::NotFound);
  EXPECT_EQ((*device)->setOption("timeout_ms", -1).code(), StatusCode::InvalidArgument);
  Ref<hal::Queue> queue = (*device)->createQueue({}).value();
  Ref<hal::Buffer> buffer = (*device)->allocate(400, hal::MemoryKind::Device).value();
  ASSERT_TRUE(queue->fill({buffer.get()}, 7, 4).isOk());
  EXPECT_EQ(queue->finish(std::chrono::milliseconds(50)).code(), StatusCode::DeadlineExceeded);
  ASSERT_TRUE((*device)->setOption("timeout_ms", 20).isOk());
  // The device's time limit has passed, so even a short wait checks for the loss.
  EXPECT_EQ(queue->finish(std::chrono::milliseconds(50)).code(), StatusCode::DeviceLost);
}

namespace {

std::atomic<int> submits, recordings;
VkResult submitted; // the answer to submits

VkResult countSubmits(const CallSite &site) {
  std::string_view name(site.function);
  recordings += name == "vkBeginCommandBuffer";
  if (name != "vkQueueSubmit")
    return VK_SUCCESS;
  ++submits;
  return submitted;
}

} // namespace

// A graph is recorded when its capture ends. Work before a replay is submitted together with it.
TEST(VulkanDriver, AReplayIsOneSubmit) {
  playDevices("h200!hang"); // nothing ends, so only these calls submit
  Result<Ref<VulkanDevice>> device = openToWork(true, {});
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  Ref<hal::Queue> queue = (*device)->createQueue({}).value();
  Ref<hal::Buffer> buffer = (*device)->allocate(400, hal::MemoryKind::Device).value();
  ASSERT_TRUE(queue->fill({buffer.get()}, 7, 4).isOk());
  ASSERT_TRUE(queue->flush().isOk());
  submits = recordings = 0;
  submitted = VK_SUCCESS;
  faultHook = countSubmits;
  ASSERT_TRUE(queue->beginCapture().isOk());
  for (uint32_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(queue->fill({buffer.get()}, i, 4).isOk());
  Result<Ref<hal::Graph>> graph = queue->endCapture();
  ASSERT_TRUE(graph.isOk()) << graph.status().toString();
  EXPECT_EQ(recordings, 1);
  EXPECT_EQ(submits, 0);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_TRUE(queue->replay(**graph).isOk());
    EXPECT_EQ(submits, i);
  }
  EXPECT_EQ(recordings, 1);
  ASSERT_TRUE(queue->fill({buffer.get()}, 7, 4).isOk());
  EXPECT_TRUE(queue->replay(**graph).isOk());
  EXPECT_EQ(submits, 6);
  EXPECT_EQ(recordings, 2) << "the fill's";

  submitted = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  (void)queue->replay(**graph);
  faultHook = nullptr;
  EXPECT_EQ(submits, 7);
  ASSERT_TRUE((*device)->setOption("timeout_ms", 20).isOk());
  Status status = queue->finish(hal::Timeout::max());
  EXPECT_EQ(status.code(), StatusCode::DeviceLost) << "the earlier work never ends";
}

// The next wait reports a replay that could not be submitted.
TEST(VulkanDriver, AReplayThatFailsIsReported) {
  playDevices("h200!work");
  DeviceOptions options;
  options.lossCheck = std::chrono::seconds(100);
  Result<Ref<VulkanDevice>> device = openToWork(true, options);
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  Ref<hal::Queue> queue = (*device)->createQueue({}).value();
  Ref<hal::Buffer> buffer = (*device)->allocate(400, hal::MemoryKind::Device).value();
  // Work that never ends must not be submitted before, as happens on a slow machine.
  submitted = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  faultHook = countSubmits;
  ASSERT_TRUE(queue->beginCapture().isOk());
  ASSERT_TRUE(queue->fill({buffer.get()}, 3, 4).isOk());
  Result<Ref<hal::Graph>> graph = queue->endCapture();
  ASSERT_TRUE(graph.isOk()) << graph.status().toString();
  (void)queue->replay(**graph);
  Status status = queue->finish(std::chrono::seconds(1));
  faultHook = nullptr;
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.toString();
  EXPECT_NE(status.message().find("vkQueueSubmit"), std::string::npos) << status.message();
}
