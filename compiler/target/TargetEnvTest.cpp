//===- TargetEnvTest.cpp - tests tables, checks and SPIR-V declarations -----===//
#include "compiler/target/Spirv.h"
#include "compiler/target/Tables.h"

#include <gtest/gtest.h>

#include <set>

using namespace pumice;
using namespace pumice::target;

static TargetEnv completeEnv(uint32_t minor) {
  TargetEnv env;
  env.versionMinor = minor;
  env.complete();
  return env;
}

static std::string messageOf(const TargetEnv &env) {
  Status status = verify(env);
  return status.isOk() ? "ok" : status.message();
}

TEST(Tables, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const FeatureInfo &info : allFeatures())
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  for (const LimitInfo &info : allLimits())
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
}

TEST(Tables, FeaturesThatNoVersionHasNameAnExtension) {
  for (const FeatureInfo &info : allFeatures())
    EXPECT_EQ(info.core == 0, info.extensions.empty()) << info.name;
}

TEST(Verify, TheLeastEnvironmentIsFine) {
  EXPECT_EQ(messageOf(completeEnv(0)), "ok");
  EXPECT_EQ(messageOf(completeEnv(4)), "ok");
}

TEST(Verify, FeaturesNeedTheirVersionOrExtension) {
  TargetEnv env = completeEnv(1);
  env.set(Feature::shaderFloat16);
  EXPECT_EQ(messageOf(env), "shaderFloat16: this feature needs VK_KHR_shader_float16_int8 or "
                            "Vulkan 1.2; add that, or leave the feature out");
  env.extensions.insert("VK_KHR_shader_float16_int8");
  EXPECT_EQ(messageOf(env), "ok");
  env.extensions.clear();
  env.versionMinor = 2;
  EXPECT_EQ(messageOf(env), "ok");
  env.set(Feature::variablePointers);
  EXPECT_EQ(messageOf(env), "variablePointers: this feature needs variablePointersStorageBuffer; "
                            "add that, or leave the feature out");
  dropUnsupportedFeatures(env);
  EXPECT_EQ(messageOf(env), "ok");
}

TEST(Verify, SubgroupSizesArePowersOfTwoInOrder) {
  TargetEnv env = completeEnv(1);
  env.limits.subgroupSize = 24;
  EXPECT_EQ(messageOf(env), "subgroupSize = 24: must be a power of two from 1 to 128");
  env.limits.subgroupSize = 0;
  EXPECT_EQ(messageOf(env), "subgroupSize = 0: must be a power of two from 1 to 128");
  env.api = Api::OpenCl;
  env.limits.subgroupSize = env.limits.maxSubgroupSize = 8192;
  EXPECT_EQ(messageOf(env), "subgroupSize = 8192: must be a power of two from 1 to 4096");
  env.api = Api::Vulkan;
  env.limits.subgroupSize = 32;
  env.limits.minSubgroupSize = 64;
  env.limits.maxSubgroupSize = 64;
  EXPECT_EQ(messageOf(env), "subgroupSize = 32: must lie within minSubgroupSize = 64 and "
                            "maxSubgroupSize = 64");
}

TEST(Verify, SizesAndOperationsMustBePossible) {
  TargetEnv env = completeEnv(1);
  env.limits.maxComputeWorkGroupSize[1] = 0;
  EXPECT_NE(messageOf(env).find("maxComputeWorkGroupSize"), std::string::npos);
  env = completeEnv(1);
  env.limits.subgroupFeatures = 1u << 20;
  EXPECT_NE(messageOf(env).find("1048576"), std::string::npos);
  env = completeEnv(0);
  env.limits.subgroupFeatures = 1;
  EXPECT_NE(messageOf(env).find("need Vulkan 1.1"), std::string::npos);
  env = completeEnv(1);
  env.versionMajor = 2;
  EXPECT_EQ(messageOf(env), "version 2.1: only Vulkan 1.x is known");
}

TEST(Verify, NoSizeIsZero) {
  for (const LimitInfo &info : allLimits()) {
    TargetEnv env = completeEnv(1);
    std::visit([&](auto member) { env.limits.*member = {}; }, info.member);
    env.complete();
    std::string message = messageOf(env);
    if (info.mayBeZero)
      EXPECT_EQ(message, "ok") << info.name;
    else
      EXPECT_EQ(message.find(std::string(info.name) + " = "), 0u) << message;
  }
  EXPECT_FALSE(findLimit("maxBufferSize")->mayBeZero);
}

TEST(Verify, ProcessorsAreKnownAndDifferent) {
  TargetEnv env = completeEnv(3);
  env.nativeCode = {"x86-64-v2", "aarch64"};
  EXPECT_EQ(messageOf(env), "ok");
  env.nativeCode.emplace_back("z80");
  EXPECT_EQ(messageOf(env), "nativeCode: there is no processor 'z80'; there are x86-64-v2, "
                            "x86-64-v3, x86-64-v4, aarch64, x86-64-v2-windows, "
                            "x86-64-v3-windows, x86-64-v4-windows and aarch64-macos");
  env.nativeCode.back() = "x86-64-v2";
  EXPECT_EQ(messageOf(env), "nativeCode: 'x86-64-v2' occurs twice; remove one");
}

TEST(Needs, NamesTheLackInOneWay) {
  TargetEnv env = completeEnv(1);
  EXPECT_EQ(needs(env, Feature::shaderInt64),
            "needs the feature shaderInt64, which the target lacks");
  env.name = "small";
  EXPECT_EQ(needs(env, "shaderInt64"), "needs the feature shaderInt64, which target 'small' lacks");
  EXPECT_EQ(needs(env, "VK_KHR_8bit_storage or Vulkan 1.2"),
            "needs VK_KHR_8bit_storage or Vulkan 1.2, which target 'small' lacks");
}

TEST(Verify, ExtensionNamesHaveTheirShape) {
  for (const char *name :
       {"VK_KHR_8bit_storage", "VK_NVX_binary_import", "VK_EXT_4444_formats", "VK_FUTURE_thing"}) {
    TargetEnv env = completeEnv(1);
    env.extensions.insert(name);
    EXPECT_EQ(messageOf(env), "ok") << name;
  }
  for (const char *name :
       {"KHR_8bit", "VK_", "VK_KHR", "VK_KHR_", "VK_khr_x", "VK__x", "VK_KHR_a-b"}) {
    TargetEnv env = completeEnv(1);
    env.extensions.insert(name);
    EXPECT_NE(messageOf(env).find("is not the name of a Vulkan extension"), std::string::npos)
        << name;
  }
}

TEST(Spirv, VersionFollowsVulkan) {
  EXPECT_EQ(completeEnv(0).spirvMinorVersion(), 0u);
  EXPECT_EQ(completeEnv(1).spirvMinorVersion(), 3u);
  EXPECT_EQ(completeEnv(2).spirvMinorVersion(), 5u);
  EXPECT_EQ(completeEnv(4).spirvMinorVersion(), 6u);
  TargetEnv env = completeEnv(1);
  env.extensions.insert("VK_KHR_spirv_1_4");
  EXPECT_EQ(env.spirvMinorVersion(), 4u);
}

TEST(Spirv, CapabilitiesComeFromFeaturesAndOperations) {
  TargetEnv env = completeEnv(2);
  EXPECT_EQ(spirvCapabilities(env), (std::vector<std::string_view>{"Matrix", "Shader"}));
  env.set(Feature::shaderFloat64);
  env.limits.subgroupFeatures = SubgroupBasic | SubgroupBallot;
  EXPECT_EQ(spirvCapabilities(env),
            (std::vector<std::string_view>{"Float64", "GroupNonUniform", "GroupNonUniformBallot",
                                           "Matrix", "Shader"}));
  EXPECT_TRUE(allowsCapability(env, "Float64"));
  EXPECT_FALSE(allowsCapability(env, "Int64"));
  env.limits.subgroupSupportedStages = 0; // only stages other than compute have subgroups
  EXPECT_FALSE(allowsCapability(env, "GroupNonUniform"));
}

TEST(Spirv, ExtensionsComeFromExtensionsAndVersions) {
  TargetEnv env = completeEnv(0);
  EXPECT_FALSE(allowsSpirvExtension(env, "SPV_KHR_storage_buffer_storage_class"));
  env.extensions.insert("VK_KHR_storage_buffer_storage_class");
  EXPECT_TRUE(allowsSpirvExtension(env, "SPV_KHR_storage_buffer_storage_class"));
  EXPECT_TRUE(allowsSpirvExtension(completeEnv(1), "SPV_KHR_storage_buffer_storage_class"));
  EXPECT_FALSE(allowsSpirvExtension(completeEnv(4), "SPV_KHR_cooperative_matrix"));
}

TEST(Spirv, CapabilitiesNameTheirFeatures) {
  EXPECT_EQ(featureFor("Float64"), Feature::shaderFloat64);
  EXPECT_EQ(featureFor("Shader"), std::nullopt);
  const TargetEnv vulkan = completeEnv(0);
  EXPECT_EQ(whatBringsCapability(vulkan, "Float64"), "shaderFloat64");
  EXPECT_EQ(whatBringsCapability(vulkan, "Int64Atomics"),
            "shaderBufferInt64Atomics or shaderSharedInt64Atomics");
  EXPECT_EQ(whatBringsCapability(vulkan, "GroupNonUniformBallot"),
            "subgroup operation 'ballot' (subgroupFeatures bit 3)");
  EXPECT_EQ(whatBringsCapability(vulkan, "Kernel"), "");
  EXPECT_EQ(whatBringsSpirvExtension(vulkan, "SPV_KHR_8bit_storage"),
            "VK_KHR_8bit_storage or Vulkan 1.2");
  EXPECT_EQ(whatBringsSpirvExtension(vulkan, "SPV_INTEL_subgroups"), "");
  TargetEnv openCl;
  openCl.api = Api::OpenCl;
  EXPECT_EQ(whatBringsCapability(openCl, "Float64"), "cl_khr_fp64 or __opencl_c_fp64");
  EXPECT_EQ(whatBringsSubgroupOperation(openCl, SubgroupShuffle), "cl_khr_subgroup_shuffle");
  EXPECT_EQ(whatBringsSpirvExtension(openCl, "SPV_INTEL_subgroups"), "cl_intel_spirv_subgroups");
  EXPECT_EQ(needs(openCl, Feature::cooperativeMatrix),
            "needs cooperativeMatrix, which OpenCL does not have");
}
