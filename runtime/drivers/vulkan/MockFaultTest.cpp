//===- MockFaultTest.cpp - every call fails once ----------------------------===//
// Makes each call fail in turn, from loading Vulkan to opening the device. Each error must be a
// Status that names the call. AddressSanitizer detects leaks.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/drivers/vulkan/MockDriver.h"
#include "runtime/drivers/vulkan/Patience.h"

#include <gtest/gtest.h>

#include <set>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

int callsLeft; // the number of calls that succeed first; some hooks count otherwise
VkResult answer;
std::string failed;            // the function whose call failed
std::set<std::string> *called; // the functions that were called

/// Returns the name without the `::` of volk's globals.
std::string plainName(const CallSite &site) {
  std::string name(site.function);
  return name.substr(name.rfind(':') + 1);
}

VkResult hook(const CallSite &site) {
  called->insert(plainName(site));
  if (callsLeft-- != 0)
    return VK_SUCCESS;
  failed = plainName(site);
  return answer;
}

Status openAll() {
  PUMICE_TRY(Ref<Instance> instance, Instance::create({}));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  for (VkPhysicalDevice physical : devices) {
    PUMICE_TRY(DeviceFacts facts, readFacts(*instance, physical));
    PUMICE_TRY(DevicePlan plan, planDevice(facts));
    Result<LogicalDevice> device = LogicalDevice::create(instance, facts, plan);
    PUMICE_RETURN_IF_ERROR(device.status());
  }
  return Status::ok();
}

} // namespace

TEST(VulkanFaults, EveryCallUpToTheOpenDevice) {
  openPatience = std::chrono::milliseconds(0);
  std::set<std::string> seen;
  called = &seen;
  faultHook = hook;
  struct {
    VkResult result;
    StatusCode code;
  } faults[] = {{VK_ERROR_OUT_OF_HOST_MEMORY, StatusCode::ResourceExhausted},
                {VK_ERROR_OUT_OF_DEVICE_MEMORY, StatusCode::ResourceExhausted},
                {VK_ERROR_DEVICE_LOST, StatusCode::DeviceLost},
                {VK_ERROR_INITIALIZATION_FAILED, StatusCode::Unsupported},
                {VK_ERROR_UNKNOWN, StatusCode::Internal}};
  playDevices("h200,mobile");
  for (auto [result, code] : faults) {
    int call = 0;
    for (;; ++call) {
      callsLeft = call;
      answer = result;
      failed.clear();
      Status status = openAll();
      if (failed.empty()) {
        EXPECT_TRUE(status.isOk()) << status.toString();
        break; // there are no more such calls
      }
      EXPECT_EQ(status.code(), code) << status.toString();
      EXPECT_NE(status.message().find(failed), std::string::npos)
          << failed << " failed, and the message is: " << status.message();
    }
    EXPECT_GE(call, 10);
  }
  faultHook = nullptr;
  EXPECT_EQ(seen, (std::set<std::string>{
                      "vkEnumerateInstanceVersion", "vkCreateInstance",
                      "vkEnumeratePhysicalDevices", "vkEnumerateDeviceExtensionProperties",
                      "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "vkCreateDevice"}));
  EXPECT_TRUE(openAll().isOk()) << "the process goes on";
}

// Drivers return this error while another process is opening the device.
TEST(VulkanFaults, ADeviceThatDoesNotStartAtOnceIsTriedAgain) {
  openPatience = std::chrono::milliseconds(5000);
  playDevices("h200");
  callsLeft = 3; // the first three calls of vkCreateDevice fail
  faultHook = [](const CallSite &site) {
    bool fails = plainName(site) == "vkCreateDevice" && callsLeft-- > 0;
    return fails ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
  };
  Status status = openAll();
  faultHook = nullptr;
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(callsLeft, -1) << "three that fail, one that does not";
  openPatience = std::chrono::milliseconds(100);
  faultHook = [](const CallSite &site) {
    return plainName(site) == "vkCreateDevice" ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
  };
  status = openAll();
  faultHook = nullptr;
  EXPECT_NE(status.message().find("while other processes open the device"), std::string::npos)
      << status.toString();
}

// Loaders from before 2022 do not know the portability extension, so the second attempt creates the
// instance without it.
TEST(VulkanFaults, LoadersWithoutPortabilityWillDo) {
  std::set<std::string> seen;
  called = &seen;
  playDevices("h200");
  faultHook = [](const CallSite &site) {
    called->insert(plainName(site));
    bool first = plainName(site) == "vkCreateInstance" && callsLeft-- == 0;
    return first ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS;
  };
  callsLeft = 0; // counts calls of vkCreateInstance; the first one fails
  Status once = openAll();
  int calls = -callsLeft;
  faultHook = [](const CallSite &site) { // the second attempt fails as well
    return plainName(site) == "vkCreateInstance" ? VK_ERROR_EXTENSION_NOT_PRESENT : VK_SUCCESS;
  };
  Status always = openAll();
  faultHook = nullptr;
  EXPECT_TRUE(once.isOk()) << once.toString();
  EXPECT_EQ(calls, 2) << "one that fails, one that does not";
  EXPECT_FALSE(always.isOk());
  EXPECT_NE(always.message().find("vkCreateInstance"), std::string::npos) << always.toString();
}
