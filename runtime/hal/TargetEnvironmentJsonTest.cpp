//===- TargetEnvironmentJsonTest.cpp - a device as the compiler takes targets -===//
#include "runtime/hal/DeviceInfo.h"

#include <gtest/gtest.h>

using namespace pumice::hal;

TEST(TargetEnvironmentJson, HoldsTheDescriptionOfTheDevice) {
  DeviceInfo info;
  info.name = "A \"GPU\"";
  info.versionMajor = 1;
  info.versionMinor = 3;
  info.versionPatch = 230;
  info.extensions = {"VK_KHR_b", "VK_KHR_a"};
  info.features = {"shaderInt64"};
  info.cooperativeMatrices = {"16x16x16 f16 f16 f32 f32 subgroup"};
  info.workarounds = {"noPointerCasts"};
  info.architecture = "x86-64-v3";
  info.namedLimits = {{"subgroupSize", {8}}, {"maxComputeWorkGroupSize", {1024, 1024, 64}}};
  EXPECT_EQ(targetEnvironmentJson(info), R"({
  "architecture": "x86-64-v3",
  "cooperativeMatrixPropertiesKHR": [
    "16x16x16 f16 f16 f32 f32 subgroup"
  ],
  "deviceName": "A \"GPU\"",
  "extensions": [
    "VK_KHR_a",
    "VK_KHR_b"
  ],
  "features": [
    "shaderInt64"
  ],
  "limits": {
    "maxComputeWorkGroupSize": [
      1024,
      1024,
      64
    ],
    "subgroupSize": 8
  },
  "pumiceTargetEnv": 1,
  "version": "1.3.230",
  "workarounds": [
    "noPointerCasts"
  ]
})");
}

TEST(TargetEnvironmentJson, SaysThatADeviceIsOpenCls) {
  DeviceInfo info;
  info.kinds = {pumice::executable::VariantKind::OpenclSpirv};
  info.versionMajor = info.openClMajor = 3;
  info.openClSpirvMinor = 4;
  info.extensions = {"cl_khr_fp16"};
  EXPECT_EQ(targetEnvironmentJson(info), R"({
  "addressBits": 64,
  "api": "OpenCL",
  "extensions": [
    "cl_khr_fp16"
  ],
  "features": [],
  "limits": {},
  "pumiceTargetEnv": 1,
  "spirvMinor": 4,
  "version": "3.0.0"
})");
}

TEST(TargetEnvironmentJson, EmptyListsStayOnOneLine) {
  EXPECT_EQ(targetEnvironmentJson(DeviceInfo()), R"({
  "extensions": [],
  "features": [],
  "limits": {},
  "pumiceTargetEnv": 1,
  "version": "1.0.0"
})");
}

static std::string nameAsJson(std::string name) {
  DeviceInfo info;
  info.name = std::move(name);
  std::string text = targetEnvironmentJson(info);
  size_t begin = text.find("\"deviceName\": ") + 14;
  return text.substr(begin, text.find(",\n", begin) - begin);
}

// Drivers may put any bytes into names, and the JSON must still be valid.
TEST(TargetEnvironmentJson, NamesOfAnyBytesAreValidJson) {
  EXPECT_EQ(nameAsJson("tab\there\\"), "\"tab\\there\\\\\"");
  EXPECT_EQ(nameAsJson("Adreno\xe2\x84\xa2 750"), "\"Adreno\xe2\x84\xa2 750\"");
  EXPECT_EQ(nameAsJson("a\xff\xfe z"), "\"a\xef\xbf\xbd\xef\xbf\xbd z\"");
  EXPECT_EQ(nameAsJson("cut\xe2\x84"), "\"cut\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(nameAsJson("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); // surrogate
}
