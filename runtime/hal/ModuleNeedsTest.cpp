//===- ModuleNeedsTest.cpp - modules that a device may not be given ---------===//
#include "runtime/hal/ModuleNeeds.h"

#include "executable/FieldPath.h"
#include "executable/SpirvNeeds.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace pumice;
using namespace pumice::hal;

namespace {

struct Declarations {
  uint32_t minor = 3;
  std::vector<uint32_t> capabilities;
  std::vector<std::string> extensions;
};

Status askWords(const DeviceInfo &device, const std::vector<uint32_t> &words) {
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  const executable::FieldPath path;
  Result<executable::SpirvWords> module = executable::SpirvWords::of(bytes, path);
  return module.isOk() ? meetsModule(device, *module) : module.status();
}

Status ask(const DeviceInfo &device, const Declarations &declared) {
  std::vector<uint32_t> words{0x07230203, 0x10000 | declared.minor << 8, 0, 1, 0};
  for (uint32_t capability : declared.capabilities)
    words.insert(words.end(), {2u << 16 | executable::spirv::OpCapability, capability});
  for (const std::string &name : declared.extensions) {
    size_t count = executable::SpirvInstruction::textOperands(name);
    words.push_back(static_cast<uint32_t>(count + 1) << 16 | executable::spirv::OpExtension);
    words.resize(words.size() + count);
    std::memcpy(words.data() + words.size() - count, name.data(), name.size());
  }
  return askWords(device, words);
}

DeviceInfo phone() {
  DeviceInfo info;
  info.id = "vulkan:0";
  info.name = "Phone";
  info.versionMinor = 1;
  info.subgroupOperations = 1;
  return info;
}

constexpr uint32_t shader = 1, float64 = 10, int64Atomics = 12, imageQuery = 50, groupBasic = 61,
                   groupVote = 62, ballotKhr = 4423, deviceGroup = 4437, rayQuery = 4472;

} // namespace

TEST(ModuleNeeds, CommonCapabilitiesAreAccepted) {
  EXPECT_TRUE(ask(phone(), {3, {shader, imageQuery, groupBasic, deviceGroup}, {}}).isOk());
  EXPECT_TRUE(ask(phone(), {0, {shader}, {"SPV_KHR_storage_buffer_storage_class"}}).isOk());
}

TEST(ModuleNeeds, ErrorsNameCapabilityAndFeature) {
  Status status = ask(phone(), {3, {shader, float64, int64Atomics, groupVote}, {}});
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(),
            "the module needs what Phone (vulkan:0) lacks: the capability Float64 "
            "(shaderFloat64); the capability Int64Atomics (shaderBufferInt64Atomics or "
            "shaderSharedInt64Atomics); the capability GroupNonUniformVote (subgroup operation "
            "'vote' (subgroupFeatures bit 1))");
  DeviceInfo device = phone();
  device.features = {"shaderFloat64", "shaderSharedInt64Atomics"};
  device.subgroupOperations = 3;
  EXPECT_TRUE(ask(device, {3, {shader, float64, int64Atomics, groupVote}, {}}).isOk());
}

TEST(ModuleNeeds, ExtensionsComeFromExtensionsAndVersions) {
  const Declarations declared{
      3, {shader, ballotKhr}, {"SPV_KHR_shader_ballot", "SPV_KHR_8bit_storage"}};
  EXPECT_EQ(ask(phone(), declared).message(),
            "the module needs what Phone (vulkan:0) lacks: the capability SubgroupBallotKHR "
            "(VK_EXT_shader_subgroup_ballot); the SPIR-V extension SPV_KHR_shader_ballot "
            "(VK_EXT_shader_subgroup_ballot); the SPIR-V extension SPV_KHR_8bit_storage "
            "(VK_KHR_8bit_storage or Vulkan 1.2)");
  DeviceInfo device = phone();
  device.extensions = {"VK_EXT_shader_subgroup_ballot"};
  device.versionMinor = 2;
  EXPECT_TRUE(ask(device, declared).isOk());
}

TEST(ModuleNeeds, VersionsOfSpirv) {
  EXPECT_EQ(ask(phone(), {6, {shader}, {}}).message(),
            "the module needs what Phone (vulkan:0) lacks: SPIR-V 1.6 (Vulkan 1.1 takes up to "
            "1.3)");
  DeviceInfo device = phone();
  device.extensions = {"VK_KHR_spirv_1_4"};
  EXPECT_TRUE(ask(device, {4, {shader}, {}}).isOk());
  EXPECT_FALSE(ask(device, {5, {shader}, {}}).isOk());
}

TEST(ModuleNeeds, UnsupportedCapabilitiesAreRejected) {
  EXPECT_NE(ask(phone(), {3, {shader, rayQuery}, {}}).message().find("the capability RayQueryKHR"),
            std::string::npos);
  EXPECT_NE(ask(phone(), {3, {shader, 60000}, {}}).message().find("the capability 60000"),
            std::string::npos);
}

TEST(ModuleNeeds, RuntimeDescriptorArraysNeedTheirFeatureOnlyIfUsed) {
  // %1 is a runtime array, and %2 is a pointer to it. The only variable, %4, has type %3.
  auto words = [](uint32_t variableType) {
    return std::vector<uint32_t>{0x07230203,
                                 0x10300,
                                 0,
                                 5,
                                 0,
                                 2u << 16 | executable::spirv::OpCapability,
                                 5302,
                                 3u << 16 | executable::spirv::OpTypeRuntimeArray,
                                 1,
                                 9,
                                 4u << 16 | executable::spirv::OpTypePointer,
                                 2,
                                 12,
                                 1,
                                 4u << 16 | executable::spirv::OpVariable,
                                 variableType,
                                 4,
                                 12};
  };
  EXPECT_TRUE(askWords(phone(), words(3)).isOk()) << "as glslang declares it";
  EXPECT_EQ(askWords(phone(), words(2)).message(),
            "the module needs what Phone (vulkan:0) lacks: the capability RuntimeDescriptorArray "
            "(runtimeDescriptorArray)");
}

TEST(ModuleNeeds, EveryCapabilityOfTheTablesHasANumber) {
  std::set<std::string_view> numbered;
  for (uint32_t number = 0; number < 10000; ++number)
    numbered.insert(executable::capabilityName(number));
  auto expectAll = [&](std::string_view words) {
    for (std::string_view word : executable::splitWords(words))
      EXPECT_TRUE(numbered.contains(word)) << word << " is missing in Capabilities.def";
  };
  for (const auto &info : executable::allFeatures())
    expectAll(info.capabilities);
  for (const auto &info : executable::allExtensions())
    expectAll(info.capabilities);
  for (const auto &info : executable::allSubgroupOperations())
    expectAll(info.capability);
}
