//===- TestDevice.h - the device that this folder's tests run on ------------===//
// Chooses the first usable Vulkan device whose name contains PUMICE_TEST_DEVICE. If there is none,
// tests are skipped, with the reason.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Device.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace pumice::vulkan::test {

struct Found {
  Ref<Instance> instance;
  DeviceFacts facts;
  DevicePlan plan;
  hal::DeviceInfo info;
};

inline Result<Found> findTestDevice() {
  PUMICE_TRY(InstanceOptions options, InstanceOptions::fromEnvironment());
  PUMICE_TRY(Ref<Instance> instance, Instance::create(options));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  const char *wanted = std::getenv("PUMICE_TEST_DEVICE");
  for (VkPhysicalDevice device : devices) {
    Result<DeviceFacts> facts = readFacts(*instance, device);
    if (!facts.isOk() ||
        std::string_view(facts->properties.deviceName).find(wanted ? wanted : "") ==
            std::string_view::npos)
      continue;
    Result<DevicePlan> plan = planDevice(*facts);
    if (!plan.isOk())
      continue;
    hal::DeviceInfo info = describe(*facts);
    info.id = "vulkan:0";
    return Found{instance, std::move(*facts), std::move(*plan), std::move(info)};
  }
  return Status(StatusCode::NotFound, "no Vulkan device");
}

} // namespace pumice::vulkan::test
