//===- TriplesTest.cpp - the named targets ----------------------------------===//
#include "compiler/target/Triples.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace pumice;
using namespace pumice::target;

TEST(Triples, AreManyAndUnique) {
  std::set<std::string_view> names;
  for (const TripleInfo &info : allTriples())
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  EXPECT_GE(names.size(), 24u);
}

TEST(Triples, AllAreSound) {
  for (const TripleInfo &info : allTriples()) {
    Result<TargetEnv> env = lookupTriple(info.name); // also verifies the environment
    ASSERT_TRUE(env.isOk()) << env.status().message();
    EXPECT_EQ(env->name, info.name);
  }
}

TEST(Triples, NoneNamesAnotherVendorsExtension) {
  for (const TripleInfo &info : allTriples()) {
    Result<TargetEnv> env = lookupTriple(info.name);
    ASSERT_TRUE(env.isOk());
    bool isNvidia = info.description.find("NVIDIA") != std::string_view::npos;
    bool isIntel = info.description.find("Intel") != std::string_view::npos;
    for (const std::string &extension : env->extensions)
      EXPECT_TRUE(info.api == Api::OpenCl
                      ? !extension.starts_with("cl_intel_") || isIntel ||
                            extension == "cl_intel_unified_shared_memory" // PoCL has it too
                      : extension.starts_with("VK_KHR_") || extension.starts_with("VK_EXT_") ||
                            (isNvidia && extension.starts_with("VK_NV_")))
          << info.name << ": " << extension;
  }
}

TEST(Triples, TakeLongerSpellings) {
  EXPECT_EQ(*lookupTriple("rdna3-unknown-linux"), *lookupTriple("rdna3"));
  EXPECT_EQ(*lookupTriple("adreno-740-unknown-android"), *lookupTriple("adreno-740"));
}

TEST(Triples, HaveOtherNames) {
  EXPECT_EQ(*lookupTriple("xe2"), *lookupTriple("intel-xe2"));
  EXPECT_EQ(lookupTriple("arm64")->name, "aarch64");
  EXPECT_EQ(lookupTriple("aarch64-unknown-linux-gnu")->name, "aarch64");
  EXPECT_EQ(lookupTriple("aarch64-apple-darwin")->name, "aarch64-macos");
  EXPECT_EQ(lookupTriple("x86_64-v3-windows")->name, "x86-64-v3-windows");
  std::set<std::string_view> names;
  for (const TripleInfo &info : allTriples())
    names.insert(info.name);
  for (const TripleAlias &alias : allAliases()) {
    EXPECT_TRUE(names.contains(alias.triple)) << alias.name;
    EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
    EXPECT_EQ(lookupTriple(alias.name)->name, alias.triple);
  }
}

TEST(Triples, OfCpusAreForTheirSystemAlone) {
  for (const char *name : {"aarch64-windows", "x86-64-v3-macos", "x86-64-v3-pc-freebsd",
                           "arm64-android", "aarch64-macos-ios", "cpu-windows"}) {
    Result<TargetEnv> env = lookupTriple(name);
    EXPECT_FALSE(env.isOk()) << name << " is " << env->name;
  }
}

TEST(Triples, UnknownOnesGetNearNames) {
  for (auto [name, near] : {std::pair("rdna", "rdna3"),
                            {"lavapip", "lavapipe22"},
                            {"adreno-741", "adreno-740"},
                            {"amper", "ampere"}}) {
    Result<TargetEnv> env = lookupTriple(name);
    ASSERT_FALSE(env.isOk()) << name;
    EXPECT_EQ(env.status().code(), StatusCode::NotFound);
    EXPECT_NE(env.status().message().find(near), std::string::npos) << env.status().message();
    EXPECT_NE(env.status().message().find("--list"), std::string::npos);
  }
  EXPECT_FALSE(lookupTriple("").isOk());
  EXPECT_FALSE(lookupTriple(std::string(100000, 'x')).isOk());
}

TEST(Triples, ProbedDevicesAreAsTheyAnswered) {
  Result<TargetEnv> h200 = lookupTriple("h200");
  ASSERT_TRUE(h200.isOk());
  EXPECT_EQ(h200->limits.maxComputeSharedMemorySize, 49152u);
  EXPECT_EQ(h200->cooperativeMatrices.size(), 11u);
  EXPECT_TRUE(h200->has(Feature::shaderBFloat16CooperativeMatrix));
  EXPECT_FALSE(h200->has(Feature::shaderBFloat16DotProduct));
  Result<TargetEnv> lavapipe = lookupTriple("lavapipe22");
  ASSERT_TRUE(lavapipe.isOk());
  EXPECT_EQ(lavapipe->limits.subgroupSize, 8u);
  EXPECT_FALSE(lavapipe->hasSubgroup(SubgroupClustered));
  EXPECT_TRUE(lavapipe->cooperativeMatrices.empty());
  Result<TargetEnv> apple = lookupTriple("apple-m1");
  ASSERT_TRUE(apple.isOk());
  EXPECT_FALSE(apple->has(Feature::shaderFloat64));
  EXPECT_TRUE(apple->hasExtension("VK_KHR_portability_subset"));
  Result<TargetEnv> krisp = lookupTriple("kosmickrisp");
  ASSERT_TRUE(krisp.isOk()) << krisp.status().message();
  EXPECT_TRUE(krisp->has(Feature::bufferDeviceAddress));
  EXPECT_FALSE(krisp->hasExtension("VK_KHR_portability_subset")); // it is a conformant driver
}

TEST(Triples, OpenClHasTheFeaturesOfItsExtensions) {
  Result<TargetEnv> least = lookupTriple("opencl-3.0");
  ASSERT_TRUE(least.isOk()) << least.status().message();
  EXPECT_TRUE(least->isOpenCl());
  EXPECT_EQ(least->spirvMinorVersion(), 0u);
  EXPECT_TRUE(least->has(Feature::shaderInt64));
  EXPECT_TRUE(least->has(Feature::bufferDeviceAddress));
  EXPECT_FALSE(least->has(Feature::shaderFloat16));
  EXPECT_FALSE(least->hasSubgroup(SubgroupBasic));
  Result<TargetEnv> intel = lookupTriple("intel-cpu");
  ASSERT_TRUE(intel.isOk()) << intel.status().message();
  EXPECT_TRUE(intel->isCpu());
  EXPECT_TRUE(intel->has(Feature::shaderFloat64));
  EXPECT_TRUE(intel->hasSubgroup(SubgroupClustered));
  EXPECT_TRUE(intel->canRequireSubgroupSize());
}

TEST(Triples, TheManualListsThemAll) {
  std::ifstream file(PUMICE_SOURCE_DIR "/docs/targets.md");
  std::stringstream manual;
  manual << file.rdbuf();
  ASSERT_FALSE(manual.str().empty());
  for (const TripleInfo &info : allTriples()) {
    std::string version =
        std::to_string(info.majorVersion) + "." + std::to_string(info.minorVersion);
    if (info.api == Api::OpenCl)
      version += " | 1." + std::to_string(info.spirvMinor);
    std::string row = "| `" + std::string(info.name) + "` | " + version + " | " +
                      std::string(info.description) + " |";
    EXPECT_NE(manual.str().find(row), std::string::npos) << "docs/targets.md lacks: " << row;
  }
  for (const TripleAlias &alias : allAliases())
    EXPECT_NE(manual.str().find("`" + std::string(alias.name) + "`"), std::string::npos)
        << "docs/targets.md lacks: " << alias.name;
}
