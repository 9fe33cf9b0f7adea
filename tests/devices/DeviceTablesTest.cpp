//===- DeviceTablesTest.cpp - compiler and driver know the same features ----===//
// The features of targets (compiler/target/*.def) and of devices (the driver's FeatureTable) are
// two tables, since the runtime includes nothing of the compiler. They must not drift apart.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/JsonTarget.h"
#include "compiler/target/Tables.h"
#include "runtime/drivers/vulkan/Driver.h"
#include "runtime/drivers/vulkan/FeatureTable.h"
#include "runtime/drivers/vulkan/MockDriver.h"

#include <gtest/gtest.h>

#include <map>

using namespace pumice;

namespace {

/// The entry of a feature, which both tables must agree on.
struct Place {
  std::string extension;
  uint32_t core;
  friend bool operator==(const Place &, const Place &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Place &place) {
    return out << place.extension << " or Vulkan 1." << place.core;
  }
};

std::vector<hal::DeviceInfo> mockDevices(const std::string &names, const std::string &kind) {
  vulkan::playDevices(names, kind);
  Result<Ref<hal::Driver>> driver = vulkan::VulkanDriver::create();
  if (!driver.isOk())
    return {};
  Result<std::vector<hal::DeviceInfo>> devices = (*driver)->devices();
  return devices.isOk() ? *devices : std::vector<hal::DeviceInfo>();
}

} // namespace

TEST(DeviceTables, HoldTheSameFeatures) {
  std::map<std::string, Place> compiler, driver;
  for (const target::FeatureInfo &info : target::allFeatures())
    compiler[std::string(info.name)] = {std::string(info.extensions), info.core};
  for (const vulkan::FeatureStructure &structure : vulkan::featureStructures())
    for (const vulkan::FeatureFlag &flag : structure.flags)
      if (!structure.ours)
        EXPECT_TRUE(driver
                        .emplace(flag.name, Place{structure.extension ? structure.extension : "",
                                                  structure.core})
                        .second)
            << flag.name << " occurs twice in the driver's table";
  EXPECT_EQ(compiler, driver);
}

TEST(DeviceTables, HoldTheSameWorkarounds) {
  std::map<std::string, uint32_t> compiler, driver;
  for (const target::WorkaroundInfo &info : target::allWorkarounds())
    compiler.emplace(info.name, info.driverId);
  for (const vulkan::DriverWorkaround &known : vulkan::driverWorkarounds())
    driver.emplace(known.name, known.driver);
  EXPECT_EQ(compiler, driver);
}

TEST(DeviceTables, KnowTheSameExtensions) {
  for (const target::ExtensionInfo &info : target::allExtensions())
    EXPECT_TRUE(vulkan::isTargetExtension(info.name)) << info.name << ": not in the driver's table";
  // An H200 lists 238 extensions, most of which are irrelevant here. The driver keeps only those of
  // its table, and the compiler must know all that it keeps.
  for (const hal::DeviceInfo &info : mockDevices("h200", "plain"))
    for (const std::string &name : info.extensions)
      EXPECT_TRUE(target::isKnownExtension(name)) << name << ": not in the compiler's table";
}

TEST(DeviceTables, DescriptionsHoldEveryLimitAndNoOther) {
  std::vector<hal::DeviceInfo> devices = mockDevices("mobile", "plain");
  ASSERT_EQ(devices.size(), 1u);
  std::set<std::string> compiler, driver;
  for (const target::LimitInfo &info : target::allLimits())
    compiler.insert(std::string(info.name));
  for (const auto &[name, values] : devices[0].namedLimits) {
    driver.insert(name);
    if (const target::LimitInfo *info = target::findLimit(name))
      EXPECT_EQ(values.size(),
                std::holds_alternative<target::Size3 target::Limits::*>(info->member) ? 3u : 1u)
          << name;
  }
  EXPECT_EQ(compiler, driver);
}

// The compiler accepts the features of any device. Each comes with the features that it requires.
TEST(DeviceTables, TheCompilerReadsEveryMockDevice) {
  for (auto [names, kind] :
       {std::pair("h200,mobile,no-compute", "plain"), {"moltenvk", "portability"}})
    for (const hal::DeviceInfo &info : mockDevices(names, kind)) {
      Result<target::TargetEnv> env = vk::readTargetJson(hal::targetEnvironmentJson(info));
      ASSERT_TRUE(env.isOk()) << info.name << ": " << env.status().toString();
      EXPECT_EQ(env->name, info.name);
      EXPECT_EQ(env->limits.subgroupSize, info.limits.subgroupSize);
      EXPECT_EQ(env->features.count(), info.features.size());
      EXPECT_EQ(env->cooperativeMatrices.size(), info.cooperativeMatrices.size());
      // The text equals the compiler's, except for the order of features.
      EXPECT_EQ(vk::toJson(*env).size(), hal::targetEnvironmentJson(info).size());
    }
}
