//===- JsonTargetTest.cpp - environments from JSON --------------------------===//
#include "compiler/dialect/vk/JsonTarget.h"

#include "compiler/dialect/vk/SelectTarget.h"
#include "compiler/target/Triples.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

using namespace pumice;
using namespace pumice::target;
using namespace pumice::vk;

static std::string inputFile(const std::string &name) {
  std::ifstream file(PUMICE_SOURCE_DIR "/compiler/dialect/vk/test/inputs/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static std::string messageOf(std::string_view text, std::string_view profile = {}) {
  Result<TargetEnv> env = readTargetJson(text, profile);
  return env.isOk() ? "ok" : env.status().message();
}

TEST(VulkanInfo, LavapipesOutputIsTheTriple) {
  Result<TargetEnv> env = readTargetJson(inputFile("vulkaninfo-lavapipe22.json"));
  ASSERT_TRUE(env.isOk()) << env.status().message();
  EXPECT_EQ(env->name, "llvmpipe (LLVM 15.0.6, 256 bits)");
  Result<TargetEnv> triple = lookupTriple("lavapipe22");
  ASSERT_TRUE(triple.isOk());
  // A device lists the extensions of features that its version has built in, too.
  EXPECT_TRUE(std::includes(env->extensions.begin(), env->extensions.end(),
                            triple->extensions.begin(), triple->extensions.end()));
  env->extensions = triple->extensions;
  env->name = triple->name;
  EXPECT_EQ(env->features, triple->features) << (env->features ^ triple->features);
  EXPECT_EQ(env->limits, triple->limits);
  EXPECT_EQ(*env, *triple);
}

// The reader finds a driver's workarounds by the driver's identity. Every format that describes a
// device contains this identity.
TEST(VulkanInfo, DriversImplyWorkarounds) {
  for (
      const char *text :
      {R"({"VkPhysicalDeviceDriverProperties": {"driverID": "VK_DRIVER_ID_GOOGLE_SWIFTSHADER"}})",
       R"({"VkPhysicalDeviceDriverPropertiesKHR": {"driverID": 10}})",
       R"({"VkPhysicalDeviceVulkan12Properties": {"driverID": "VK_DRIVER_ID_GOOGLE_SWIFTSHADER"}})",
       R"({"pumiceTargetEnv": 1, "workarounds": ["noPointerCasts"]})"}) {
    Result<TargetEnv> env = readTargetJson(text);
    ASSERT_TRUE(env.isOk()) << text << ": " << env.status().message();
    EXPECT_TRUE(env->needs(Workaround::noPointerCasts)) << text;
    Result<TargetEnv> again = readTargetJson(toJson(*env));
    ASSERT_TRUE(again.isOk()) << again.status().message();
    EXPECT_EQ(*env, *again);
  }
  Result<TargetEnv> other =
      readTargetJson(R"({"VkPhysicalDeviceDriverProperties": {"driverID": 3}})");
  ASSERT_TRUE(other.isOk()) << other.status().message();
  EXPECT_TRUE(other->workarounds.none());
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 1, "workarounds": ["noLuck"]})"),
            "workarounds[0]: \"noLuck\" is not a known name");
}

TEST(VulkanInfo, OlderOutputHasStructuresAtTheTop) {
  Result<TargetEnv> env = readTargetJson(R"({
    "VkPhysicalDeviceProperties": {"apiVersion": 4198528, "deviceName": "old",
      "limits": {"maxComputeSharedMemorySize": 32768, "maxComputeWorkGroupSize": [1024, 8, 4]}},
    "VkPhysicalDeviceFeatures": {"shaderInt64": 1, "shaderFloat64": 0},
    "VkPhysicalDeviceFloat16Int8FeaturesKHR": {"shaderFloat16": 1},
    "VkPhysicalDevice8BitStorageFeaturesKHR": {"storageBuffer8BitAccess": "VK_TRUE"},
    "VkPhysicalDeviceSubgroupProperties": {"subgroupSize": 32, "supportedStages": 63,
                                           "supportedOperations": 7},
    "ArrayOfVkExtensionProperties": [{"extensionName": "VK_KHR_8bit_storage", "specVersion": 1},
                                     {"extensionName": "VK_KHR_swapchain", "specVersion": 70}]})");
  ASSERT_TRUE(env.isOk()) << env.status().message();
  EXPECT_EQ(env->versionMinor, 1u);
  EXPECT_TRUE(env->has(Feature::shaderInt64));
  EXPECT_FALSE(env->has(Feature::shaderFloat64));
  EXPECT_TRUE(env->has(Feature::storageBuffer8BitAccess));
  EXPECT_FALSE(env->has(Feature::shaderFloat16)); // no listed extension provides it
  EXPECT_EQ(env->limits.subgroupFeatures, 7u);
  EXPECT_EQ(env->limits.maxComputeWorkGroupSize, (Size3{1024, 8, 4}));
  EXPECT_EQ(env->extensions.size(), 1u); // compute needs no swapchain
}

static constexpr const char *profiles = R"({
  "capabilities": {
    "base": {"extensions": {"VK_KHR_8bit_storage": 1},
             "features": {"VkPhysicalDeviceVulkan12Features": {"shaderInt8": true}},
             "properties": {"VkPhysicalDeviceProperties": {"limits": {"maxPushConstantsSize": 256}}}},
    "more": {"properties": {"VkPhysicalDeviceProperties": {"limits": {"maxPushConstantsSize": 128}}}},
    "one": {"features": {"VkPhysicalDeviceFeatures": {"shaderInt16": true}}},
    "other": {"features": {"VkPhysicalDeviceFeatures": {"shaderInt64": true}}}},
  "profiles": {
    "VP_A": {"version": 1, "api-version": "1.2.198", "capabilities": ["base", "more", ["one", "other"]]},
    "VP_B": {"version": 1, "api-version": "1.3.0", "profiles": ["VP_A"], "capabilities": [["one"]]}}})";

TEST(Profile, OneOfSeveralIsChosenByName) {
  EXPECT_EQ(messageOf(profiles),
            "profiles: there are several (VP_A, VP_B); name one as FILE:PROFILE");
  EXPECT_EQ(messageOf(profiles, "VP_C"), "profiles: no 'VP_C'; there is VP_A, VP_B");
}

TEST(Profile, AllBlocksHoldAndAlternativesPromiseNothing) {
  Result<TargetEnv> a = readTargetJson(profiles, "VP_A");
  ASSERT_TRUE(a.isOk()) << a.status().message();
  EXPECT_EQ(a->name, "VP_A");
  EXPECT_EQ(a->versionMinor, 2u);
  EXPECT_EQ(a->limits.maxPushConstantsSize, 256u);
  EXPECT_TRUE(a->has(Feature::shaderInt8));
  EXPECT_FALSE(a->has(Feature::shaderInt16));
  EXPECT_FALSE(a->has(Feature::shaderInt64));
  Result<TargetEnv> b = readTargetJson(profiles, "VP_B");
  ASSERT_TRUE(b.isOk()) << b.status().message();
  EXPECT_EQ(b->versionMinor, 3u);
  EXPECT_TRUE(b->has(Feature::shaderInt8)); // from the profile it requires
  EXPECT_TRUE(b->has(Feature::shaderInt16));
}

TEST(Json, ErrorsNameThePlace) {
  EXPECT_NE(messageOf("{").find("not JSON"), std::string::npos);
  EXPECT_EQ(messageOf("[]"), "the top of the JSON must be an object");
  EXPECT_NE(messageOf("{}").find("neither vulkaninfo's output"), std::string::npos);
  EXPECT_EQ(messageOf(R"({"VkPhysicalDeviceFeatures": {"shaderInt64": "yes"}})"),
            "VkPhysicalDeviceFeatures.shaderInt64: \"yes\" must be true or false");
  EXPECT_EQ(messageOf(R"({"VkPhysicalDeviceFeatures": 3})"),
            "VkPhysicalDeviceFeatures: must be an object");
  EXPECT_EQ(
      messageOf(R"({"VkPhysicalDeviceProperties": {"limits": {"maxPushConstantsSize": -4}}})"),
      "VkPhysicalDeviceProperties.limits.maxPushConstantsSize: -4 must be a whole number "
      "from 0 to 4294967295");
  EXPECT_EQ(messageOf(R"({"profiles": {"VP_X": {"capabilities": ["gone"]}}, "capabilities": {}})"),
            "capabilities.gone: the profile names this block, which is not an object in the file");
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 2})"),
            "pumiceTargetEnv: only form 1 is known; a newer pumice wrote this file");
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 1, "features": ["shaderInt64", "teapot"]})"),
            "features[1]: \"teapot\" is not a known name");
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 1, "limits": {"teapot": 1}})"),
            "limits.teapot: no limit has this name");
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 1, "version": "new"})"),
            "version: \"new\" is not a version such as \"1.3.230\"");
  EXPECT_EQ(messageOf(std::string(100000, '[')), "brackets nest more than 64 deep");
}

TEST(Json, MatrixShapesAreOptional) {
  EXPECT_EQ(messageOf(R"({"pumiceTargetEnv": 1, "cooperativeMatrixPropertiesKHR": ["16x16x16"]})")
                .substr(0, 33),
            "cooperativeMatrixPropertiesKHR[0]");
  Result<TargetEnv> h200 = lookupTriple("h200");
  ASSERT_TRUE(h200.isOk());
  FragmentMap map{MatrixUse::Accumulator, 2,        2,       ComponentType::f32,
                  MatrixScope::Subgroup,  {{0, 1}}, {{1, 0}}};
  h200->fragmentMaps.push_back(map);
  h200->architecture = "x86-64-v4"; // as if it were a CPU
  Result<TargetEnv> read = readTargetJson(toJson(*h200));
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_EQ(*read, *h200);
}

/// Edits good inputs at random. A reader must return a result for any of them. The trace of a
/// failure has the seed. After a crash, the last line printed has it.
TEST(Json, MutatedInputsNeverCrash) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> inputs = {profiles, toJson(*lookupTriple("h200"))};
  for (const char *name : {"h200", "lavapipe22", "vulkan1.0"}) {
    std::string text;
    llvm::raw_string_ostream(text)
        << vk::toAttr((context.getOrLoadDialect<vk::VkDialect>(), &context), *lookupTriple(name));
    inputs.push_back(text);
  }
  unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  constexpr std::string_view pieces =
      std::string_view("{}[]()<>\",:=-0123456789xv.e \n\\\0\xff", 32);
  for (int round = 0; round < 3000; ++round) {
    std::string text = inputs[random() % inputs.size()];
    for (unsigned edits = 1 + random() % 4; edits; --edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = pieces[random() % pieces.size()];
        break;
      case 1:
        text.insert(at, 1, pieces[random() % pieces.size()]);
        break;
      case 2:
        text.erase(at, 1 + random() % 20);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
        break;
      }
      if (text.empty())
        text = " ";
    }
    (void)readTargetJson(text, random() % 2 ? "VP_A" : "");
    (void)vk::parseTargetEnv(&context, text);
    (void)lookupTriple(text);
  }
}
