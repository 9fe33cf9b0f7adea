//===- RegistryTest.cpp - drivers and devices of a process ------------------===//
#include "runtime/hal/Registry.h"

#include "runtime/hal/testing/FakeDevice.h"
#include "support/testing/Environment.h"

#include <gtest/gtest.h>
#include <thread>

using namespace pumice;
using namespace pumice::hal;
using testing_support::setVariable;

namespace {

DeviceInfo device(const char *id, DeviceKind kind = DeviceKind::Discrete) {
  DeviceInfo info = FakeDevice::defaultInfo();
  info.id = id;
  info.driver = info.id.substr(0, info.id.find(':'));
  info.kind = kind;
  return info;
}

class RegistryTest : public ::testing::Test {
protected:
  RegistryTest() { setVariable("PUMICE_DEVICE", nullptr); }
  ~RegistryTest() override { setVariable("PUMICE_DEVICE", nullptr); }

  Ref<FakeDriver> add(const char *name, std::vector<DeviceInfo> listed) {
    Ref<FakeDriver> driver = makeRef<FakeDriver>(name, std::move(listed));
    Status added = registry.add(name, [this, driver]() -> Result<Ref<Driver>> {
      ++started;
      return Ref<Driver>(driver);
    });
    EXPECT_TRUE(added.isOk()) << added.toString();
    return driver;
  }
  std::string opened(std::string_view request = {}) {
    Result<Ref<Device>> device = registry.open(request);
    return device.isOk() ? (*device)->info().id : device.status().toString();
  }

  Registry registry;
  size_t started = 0;
};

} // namespace

TEST_F(RegistryTest, StartsDriversWhenAsked) {
  add("a", {device("a:0", DeviceKind::Integrated), device("a:1")});
  add("b", {device("b:0")});
  EXPECT_EQ(started, 0u);
  std::vector<DeviceInfo> listed = registry.devices();
  EXPECT_EQ(started, 2u);
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[1].id, "a:1");
  EXPECT_EQ(listed[2].id, "b:0");
  EXPECT_EQ(opened(), "a:1");
  EXPECT_EQ(opened("b"), "b:0");
  EXPECT_EQ(started, 2u);
  EXPECT_EQ(registry.add("a", {}).message(), "a driver called 'a' is registered already");
  EXPECT_EQ(registry.add("", {}).code(), StatusCode::InvalidArgument);
}

TEST_F(RegistryTest, TheEnvironmentNamesADevice) {
  add("a", {device("a:0"), device("a:1")});
  setVariable("PUMICE_DEVICE", "a:1");
  EXPECT_EQ(opened(), "a:1");
  EXPECT_EQ(opened("a:0"), "a:0"); // the caller's request takes precedence
  setVariable("PUMICE_DEVICE", "c");
  EXPECT_EQ(opened(), "not found: PUMICE_DEVICE: no device is called 'c'; there are:\n"
                      "  a:0 (Fake)\n  a:1 (Fake)");
  setVariable("PUMICE_DEVICE", "");
  EXPECT_EQ(opened(), "a:0");
}

TEST_F(RegistryTest, FailingDriversAreLeftOutAndNamed) {
  Ref<FakeDriver> broken = add("broken", {device("broken:0")});
  broken->listing = Status(StatusCode::Internal, "vkEnumeratePhysicalDevices failed");
  bool missing = true;
  ASSERT_TRUE(registry
                  .add("absent",
                       [&]() -> Result<Ref<Driver>> {
                         if (missing)
                           return Status(StatusCode::Unsupported, "no such library");
                         return Ref<Driver>(makeRef<FakeDriver>(
                             "absent", std::vector<DeviceInfo>{device("absent:0")}));
                       })
                  .isOk());
  EXPECT_EQ(opened(), "not found: there is no device\n"
                      "driver broken: vkEnumeratePhysicalDevices failed\n"
                      "driver absent: no such library");
  add("good", {device("good:0")});
  EXPECT_EQ(opened(), "good:0");
  auto failures = registry.failures();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].first, "broken");
  EXPECT_EQ(failures[1].second.toString(), "unsupported: no such library");

  broken->listing = Status::ok();
  missing = false;
  EXPECT_EQ(registry.devices().size(), 3u);
  EXPECT_TRUE(registry.failures().empty());
  broken->opening = Status(StatusCode::ResourceExhausted, "no memory");
  EXPECT_EQ(opened("broken"), "resource exhausted: broken:0 (Fake): no memory");
}

TEST_F(RegistryTest, ADeviceIsOpenedOnce) {
  Ref<FakeDriver> driver = add("a", {device("a:0"), device("a:1")});
  Ref<Device> first = registry.open("a:0").value();
  EXPECT_EQ(first, registry.open("a:0").value());
  (void)registry.open("a:1").value();
  EXPECT_EQ(driver->opens, 2u);
  registry.closeUnused(); // closes only a:1
  EXPECT_EQ(first, registry.open("a:0").value());
  (void)registry.open("a:1").value();
  EXPECT_EQ(driver->opens, 3u);

  static_cast<FakeDevice &>(*first).lose("it hung");
  Ref<Device> second = registry.open("a:0").value();
  EXPECT_NE(first, second);
  EXPECT_TRUE(second->health().isOk());
  EXPECT_EQ(first->health().code(), StatusCode::DeviceLost);
}

TEST_F(RegistryTest, ForAnExecutable) {
  DeviceInfo able = device("b:0", DeviceKind::Integrated);
  able.features = {"shaderInt8"};
  add("a", {device("a:0")});
  add("b", {able});
  executable::Executable contents;
  contents.entryPoints = {{.name = "k", .workgroupSize = {1, 1, 1}}};
  contents.variants = {{.requirements = {.features = {"shaderInt8"}},
                        .interfaces = {{.entryPoint = "k", .symbol = "k"}}}};
  EXPECT_EQ(registry.openFor(contents).value()->info().id, "b:0");
  EXPECT_EQ(registry.openFor(contents, "a").value()->info().id, "a:0"); // loading rejects it later
  setVariable("PUMICE_DEVICE", "a:0");
  EXPECT_EQ(registry.openFor(contents).value()->info().id, "a:0");
  setVariable("PUMICE_DEVICE", nullptr);
  contents.variants[0].requirements.features = {"other"};
  EXPECT_EQ(registry.openFor(contents).status().code(), StatusCode::Unsupported);
}

TEST_F(RegistryTest, ManyThreads) {
  Ref<FakeDriver> driver = add("a", {device("a:0"), device("a:1")});
  std::vector<std::thread> threads;
  std::atomic<size_t> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Result<Ref<Device>> device = registry.open(t % 2 ? "a:0" : "a:1");
        failures += !device.isOk();
        registry.closeUnused();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0u);
  EXPECT_EQ(started, 1u);
}
