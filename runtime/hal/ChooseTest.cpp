//===- ChooseTest.cpp - which variant, on which device ----------------------===//
#include "runtime/hal/Choose.h"

#include "executable/SpirvWords.h"
#include "executable/test/Samples.h"
#include "runtime/hal/testing/FakeDevice.h"

#include <gtest/gtest.h>
#include <random>

using namespace pumice;
using namespace pumice::hal;
using executable::Interface;
using executable::Variant;
using executable::VariantKind;

namespace {

DeviceInfo gpu(const char *id, DeviceKind kind = DeviceKind::Discrete) {
  DeviceInfo info = FakeDevice::defaultInfo();
  info.id = id;
  info.driver = info.id.substr(0, info.id.find(':'));
  info.name = "device " + info.id;
  info.kind = kind;
  return info;
}

/// Describes Pumice's CPU device, which prefers native code to SPIR-V.
DeviceInfo cpu(const char *architecture = "x86-64-v4") {
  DeviceInfo info = gpu("cpu:0", DeviceKind::Cpu);
  info.kinds = {VariantKind::Native, VariantKind::VulkanSpirv};
  info.architecture = architecture;
  return info;
}

Variant spirv(std::vector<std::string> features = {}) {
  Variant variant;
  variant.requirements.features = std::move(features);
  variant.interfaces = {{.entryPoint = "k", .symbol = "k"}};
  return variant;
}

Variant native(const char *architecture) {
  Variant variant = spirv();
  variant.kind = VariantKind::Native;
  variant.requirements.architecture = architecture;
  return variant;
}

executable::Executable file(std::vector<Variant> variants) {
  return {.entryPoints = {{.name = "k", .workgroupSize = {64, 1, 1}}},
          .variants = std::move(variants)};
}

size_t chosen(const DeviceInfo &device, const executable::Executable &contents) {
  Result<Choice> choice = chooseVariant(device, contents, 0);
  EXPECT_TRUE(choice.isOk()) << choice.status().toString();
  return choice.isOk() ? choice->variant : SIZE_MAX;
}

size_t chosenOf(std::span<const DeviceInfo> devices, const executable::Executable &contents) {
  Result<size_t> index = chooseDevice(devices, contents);
  EXPECT_TRUE(index.isOk()) << index.status().toString();
  return index.isOk() ? *index : SIZE_MAX;
}

std::string refusal(const DeviceInfo &device, const Variant &variant,
                    const executable::EntryPoint &entry = {.name = "k",
                                                           .workgroupSize = {64, 1, 1}}) {
  Status status = meets(device, variant, entry, variant.interfaces[0]);
  EXPECT_EQ(status.code(), status.isOk() ? StatusCode::Ok : StatusCode::Unsupported);
  return status.message();
}

} // namespace

//===-------------------------------------------------------------------------===//
// meets
//===-------------------------------------------------------------------------===//

TEST(VariantRequirements, AllMissingRequirementsAreNamed) {
  Variant variant = spirv({"shaderFloat16", "shaderInt8"});
  variant.requirements.versionMinor = 4;
  variant.requirements.extensions = {"VK_KHR_cooperative_matrix"};
  variant.requirements.subgroupOperations = 0x14;
  variant.requirements.cooperativeMatrices = {"16x16x16 f16 f16 f32 f32 subgroup"};
  variant.requirements.measuredMaps = "one; two";
  Interface &interface = variant.interfaces[0];
  interface.requiredSubgroupSize = 64;
  interface.workgroupMemoryBytes = 65536;
  interface.place = executable::ParameterPlace::PushConstants;
  interface.parameterBytes = 512;
  interface.fields = {{executable::FieldSource::BufferAddress, 0, 0, 0, 8}};
  DeviceInfo device = gpu("gpu:0");
  device.bufferAddresses = false;
  device.subgroupOperations = 4;
  device.fragmentMaps = std::vector<std::string>{"two"};
  EXPECT_EQ(refusal(device, variant, {.name = "k", .workgroupSize = {2048, 1, 128}}),
            "it lacks Vulkan 1.4 (it has 1.3); extension VK_KHR_cooperative_matrix; "
            "features shaderFloat16, shaderInt8; subgroup operations shuffle; "
            "matrix shape 16x16x16 f16 f16 f32 f32 subgroup; "
            "fragment map one; "
            "subgroups of 64 lanes (it has 32 to 32); "
            "workgroups of 2048 along x (maxComputeWorkGroupSize is 1024); "
            "workgroups of 128 along z (maxComputeWorkGroupSize is 64); "
            "workgroups of 262144 invocations (maxComputeWorkGroupInvocations is 1024); "
            "65536 bytes of workgroup memory (maxComputeSharedMemorySize is 32768); "
            "the feature bufferDeviceAddress; "
            "512 bytes of push constants (maxPushConstantsSize is 256)");
}

TEST(VariantRequirements, PresentRequirementsAreAccepted) {
  Variant variant = spirv({"shaderFloat16"});
  variant.requirements.extensions = {"VK_A"};
  variant.requirements.cooperativeMatrices = {"8x8x8"};
  variant.requirements.measuredMaps = "ab";
  variant.requirements.subgroupOperations = 1;
  variant.interfaces[0].requiredSubgroupSize = 32;
  variant.interfaces[0].fullSubgroups = true;
  DeviceInfo device = gpu("gpu:0");
  device.features = {"shaderFloat16", "shaderInt8"};
  device.extensions = {"VK_A", "VK_B"};
  device.cooperativeMatrices = {"16x16x16", "8x8x8"};
  device.fragmentMaps = std::vector<std::string>{"zz", "ab"};
  device.subgroupOperations = 3;
  EXPECT_EQ(refusal(device, variant), "");
  device.fragmentMaps = std::vector<std::string>{"cd"};
  EXPECT_EQ(refusal(device, variant), "it lacks fragment map ab");
  device.fragmentMaps.reset(); // the device is not open, so its maps are unknown
  EXPECT_EQ(refusal(device, variant), "");
}

TEST(VariantRequirements, VersionsIncludeTheirExtensions) {
  Variant variant = spirv();
  variant.requirements.extensions = {"VK_KHR_storage_buffer_storage_class", "VK_KHR_8bit_storage",
                                     "VK_KHR_shader_float16_int8", "VK_KHR_cooperative_matrix"};
  DeviceInfo device = gpu("gpu:0");
  device.extensions.clear();
  device.versionMinor = 0;
  EXPECT_EQ(refusal(device, variant),
            "it lacks extensions VK_KHR_storage_buffer_storage_class or Vulkan 1.1, "
            "VK_KHR_8bit_storage or Vulkan 1.2, VK_KHR_shader_float16_int8 or Vulkan 1.2, "
            "VK_KHR_cooperative_matrix");
  device.versionMinor = 1;
  EXPECT_EQ(refusal(device, variant),
            "it lacks extensions VK_KHR_8bit_storage or Vulkan 1.2, "
            "VK_KHR_shader_float16_int8 or Vulkan 1.2, VK_KHR_cooperative_matrix");
  device.versionMinor = 3;
  EXPECT_EQ(refusal(device, variant), "it lacks extension VK_KHR_cooperative_matrix");
  device.versionMajor = 2; // includes 1.x, but not what no version includes
  device.versionMinor = 0;
  EXPECT_EQ(refusal(device, variant), "it lacks extension VK_KHR_cooperative_matrix");
}

TEST(VariantRequirements, Descriptors) {
  Variant variant = spirv();
  for (uint32_t i = 0; i < 40; ++i)
    variant.interfaces[0].bindings.push_back({.set = i % 2, .binding = i, .uniform = i >= 30});
  DeviceInfo device = gpu("gpu:0");
  EXPECT_EQ(refusal(device, variant), "");
  device.limits.descriptors = {.sets = 1,
                               .stageStorageBuffers = 16,
                               .stageUniformBuffers = 9,
                               .stageResources = 39,
                               .layoutStorageBuffers = 24,
                               .layoutUniformBuffers = 10,
                               .perSet = 19};
  const std::string hint = "; code compiled for buffer addresses needs none)";
  EXPECT_EQ(refusal(device, variant),
            "it lacks descriptor set 1 (maxBoundDescriptorSets is 1); "
            "30 storage buffers' descriptors (maxPerStageDescriptorStorageBuffers is 16" +
                hint + "; 30 storage buffers' descriptors (maxDescriptorSetStorageBuffers is 24" +
                hint +
                "; 10 uniform buffers' descriptors (maxPerStageDescriptorUniformBuffers is 9" +
                hint + "; 40 descriptors (maxPerStageResources is 39" + hint +
                "; 20 descriptors in set 0 (maxPerSetDescriptors is 19" + hint +
                "; 20 descriptors in set 1 (maxPerSetDescriptors is 19" + hint);
}

TEST(VariantRequirements, Subgroups) {
  DeviceInfo device = gpu("gpu:0");
  device.limits.minSubgroupSize = 32;
  device.limits.maxSubgroupSize = 64;
  Variant variant = spirv();
  Interface &interface = variant.interfaces[0];
  interface.requiredSubgroupSize = 64;
  EXPECT_EQ(refusal(device, variant),
            "it lacks the feature subgroupSizeControl, to have subgroups of 64 lanes");
  device.limits.subgroupSizeControl = true;
  EXPECT_EQ(refusal(device, variant), "");
  interface.requiredSubgroupSize = 0;
  interface.leastSubgroupSize = 64;
  EXPECT_EQ(refusal(device, variant), "it lacks subgroups of 64 lanes or more (it may choose 32)");
  interface.leastSubgroupSize = 32;
  EXPECT_EQ(refusal(device, variant), "");
  interface.fullSubgroups = true;
  EXPECT_EQ(refusal(device, variant), "it lacks the feature computeFullSubgroups");
  device.limits.fullSubgroups = true;
  EXPECT_EQ(refusal(device, variant), "");
  EXPECT_EQ(refusal(device, variant, {.name = "k", .workgroupSize = {96, 1, 1}}),
            "it lacks full subgroups: 96 invocations along x are not a multiple of 64");
}

TEST(VariantRequirements, KindsAndArchitectures) {
  EXPECT_EQ(refusal(gpu("gpu:0"), native("x86-64-v3")), "it does not run native");
  EXPECT_EQ(refusal(cpu("x86-64-v2"), native("x86-64-v3")),
            "it lacks the architecture x86-64-v3 (it is x86-64-v2)");
  EXPECT_EQ(refusal(cpu("x86-64-v4"), native("x86-64-v3")), "");
  EXPECT_TRUE(runsArchitecture("x86-64-v3", "x86-64"));
  EXPECT_TRUE(runsArchitecture("aarch64", "aarch64"));
  EXPECT_FALSE(runsArchitecture("aarch64", "x86-64"));
  EXPECT_FALSE(runsArchitecture("x86-64", "x86-64-v2"));
  EXPECT_FALSE(runsArchitecture("", ""));
  // Each system has its own libraries.
  EXPECT_TRUE(runsArchitecture("x86-64-v4-windows", "x86-64-v3-windows"));
  EXPECT_FALSE(runsArchitecture("x86-64-v2-windows", "x86-64-v3-windows"));
  EXPECT_FALSE(runsArchitecture("x86-64-v4", "x86-64-v3-windows"));
  EXPECT_FALSE(runsArchitecture("x86-64-v4-windows", "x86-64-v3"));
  EXPECT_FALSE(runsArchitecture("x86-64-v4-windows", "x86-64"));
  EXPECT_FALSE(runsArchitecture("aarch64", "aarch64-macos"));
  EXPECT_TRUE(runsArchitecture("aarch64-macos", "aarch64-macos"));
  EXPECT_EQ(architectureLevel("x86-64-v3-windows"), 3);
  EXPECT_EQ(architectureLevel("x86-64-v3"), 3);
  EXPECT_EQ(architectureLevel("aarch64-version"), 0);
}

//===-------------------------------------------------------------------------===//
// chooseVariant
//===-------------------------------------------------------------------------===//

TEST(ChooseVariant, UsesMostOfTheDevice) {
  DeviceInfo device = gpu("gpu:0");
  device.features = {"a", "b", "c"};
  EXPECT_EQ(chosen(device, file({spirv(), spirv({"a", "b"}), spirv({"c"})})), 1u);
  EXPECT_EQ(chosen(device, file({spirv(), spirv({"a", "d", "b"}), spirv({"c"})})), 2u);
  Variant matrices = spirv({"a"});
  matrices.requirements.cooperativeMatrices = {"m"};
  matrices.requirements.measuredMaps = "maps";
  device.cooperativeMatrices = {"m"};
  device.fragmentMaps = std::vector<std::string>{"maps"};
  EXPECT_EQ(chosen(device, file({spirv({"a", "b"}), matrices})), 1u);
  device.fragmentMaps.emplace();
  EXPECT_EQ(chosen(device, file({spirv({"a", "b"}), matrices})), 0u);
}

TEST(ChooseVariant, ThenVersionThenKindThenOrder) {
  DeviceInfo device = gpu("gpu:0");
  Variant newer = spirv();
  newer.requirements.versionMinor = 2;
  EXPECT_EQ(chosen(device, file({spirv(), newer, spirv()})), 1u);
  Variant opencl = spirv();
  opencl.kind = VariantKind::OpenclSpirv;
  device.kinds = {VariantKind::VulkanSpirv, VariantKind::OpenclSpirv};
  EXPECT_EQ(chosen(device, file({opencl, spirv()})), 1u);
  device.kinds = {VariantKind::OpenclSpirv, VariantKind::VulkanSpirv};
  EXPECT_EQ(chosen(device, file({spirv(), opencl})), 1u);
  EXPECT_EQ(chosen(device, file({spirv(), spirv()})), 0u);
}

/// Returns the header of a module, and no instructions.
std::vector<uint8_t> emptyModule(uint32_t spirvMinor) {
  uint32_t words[] = {0x07230203, 0x10000 | spirvMinor << 8, 0, 1, 0};
  auto bytes = reinterpret_cast<const uint8_t *>(words);
  return {bytes, bytes + sizeof words};
}

Variant openCl(std::vector<std::string> features, uint32_t spirvMinor = 0) {
  Variant variant = spirv(std::move(features));
  variant.kind = VariantKind::OpenclSpirv;
  variant.targetEnv = "#vk.target_env<opencl v3.0, r(0), [], {}>";
  variant.requirements.versionMajor = 3;
  variant.code = emptyModule(spirvMinor);
  return variant;
}

TEST(ChooseVariant, OpenClDevicesRunOpenClCode) {
  DeviceInfo device = gpu("opencl:0");
  device.kinds = {VariantKind::OpenclSpirv};
  device.versionMajor = device.openClMajor = 3;
  device.versionMinor = 0;
  device.openClSpirvMinor = 2;
  device.bufferAddresses = false;
  device.features = {"shaderInt64", "shaderFloat16"};
  device.extensions = {"cl_khr_fp16", "cl_intel_subgroup_2d_block_io"};
  Variant half = openCl({"shaderFloat16"}), plain = openCl({});
  EXPECT_EQ(chosen(device, file({spirv(), plain, half})), 2u);
  half.interfaces[0].fields = {{executable::FieldSource::BufferAddress, 0, 0, 0, 8}};
  EXPECT_EQ(refusal(device, half), "");
  half.requirements.extensions = {"cl_intel_subgroup_2d_block_io"};
  EXPECT_EQ(refusal(device, half), "");
  EXPECT_EQ(refusal(device, spirv()), "it does not run vulkan-spirv");
  EXPECT_EQ(refusal(device, openCl({"shaderFloat64"}, 4)),
            "it lacks SPIR-V 1.4 (it takes up to 1.2); feature shaderFloat64");
  device.openClMajor = 2;
  EXPECT_EQ(refusal(device, plain), "it lacks OpenCL 3.0 (it has 2.0)");
}

TEST(ChooseVariant, AFileForVulkanAndOpenClServesBoth) {
  DeviceInfo vulkan = gpu("vulkan:0"), device = gpu("opencl:0"), cpuDevice = cpu();
  device.kinds = {VariantKind::OpenclSpirv};
  device.openClMajor = 3;
  cpuDevice.kinds.push_back(VariantKind::OpenclSpirv);
  cpuDevice.openClMajor = 3;
  executable::Executable both = file({openCl({}), spirv()});
  EXPECT_EQ(chosen(vulkan, both), 1u);
  EXPECT_EQ(chosen(device, both), 0u);
  EXPECT_EQ(chosen(cpuDevice, both), 1u); // lists Vulkan's kind first
  EXPECT_EQ(chosen(cpuDevice, file({openCl({})})), 0u);
  // Each device prefers its own kind, even if the other variant uses more of the device.
  device.kinds.push_back(VariantKind::VulkanSpirv); // shaders become kernels
  vulkan.kinds.push_back(VariantKind::OpenclSpirv);
  vulkan.openClMajor = 3;
  for (DeviceInfo *each : {&device, &vulkan})
    each->features = {"a", "b"};
  both = file({openCl({}), spirv({"a", "b"})});
  EXPECT_EQ(chosen(device, both), 0u);
  EXPECT_EQ(chosen(vulkan, both), 1u);
  both = file({openCl({"a", "b"}), spirv()});
  EXPECT_EQ(chosen(vulkan, both), 1u);
}

TEST(ChooseVariant, KernelsForVulkanNeedAddressesOfTheHost) {
  DeviceInfo device = gpu("opencl:0");
  device.kinds = {VariantKind::OpenclSpirv, VariantKind::VulkanSpirv};
  device.features = {"bufferDeviceAddress"};
  Variant addressed = spirv({"bufferDeviceAddress"});
  addressed.interfaces[0].fields = {{executable::FieldSource::BufferAddress, 0, 0, 0, 8}};
  device.bufferAddresses = true;
  EXPECT_EQ(refusal(device, addressed), "");
  device.bufferAddresses = false; // memory is buffer objects
  EXPECT_EQ(refusal(device, addressed), "it lacks the feature bufferDeviceAddress");
  device.features.clear();
  EXPECT_EQ(refusal(device, addressed), "it lacks feature bufferDeviceAddress");
}

TEST(ChooseVariant, NativeCodeFirst) {
  DeviceInfo device = cpu("x86-64-v3");
  device.features = {"a", "b"};
  EXPECT_EQ(chosen(device, file({spirv({"a", "b"}), native("x86-64-v2"), native("x86-64-v3"),
                                 native("x86-64-v4")})),
            2u);
}

/// Returns a module with two pointer types and a pointer. If `castsPointers`, the module also casts
/// the pointer to the other type.
std::vector<uint8_t> moduleThat(bool castsPointers) {
  auto instruction = [](executable::spirv::Op op, uint32_t words) { return words << 16 | op; };
  using namespace executable::spirv;
  std::vector<uint32_t> words{0x07230203, 0x10300, 0, 8, 0};
  for (uint32_t type : {3u, 4u})
    words.insert(words.end(), {instruction(OpTypePointer, 4), type, 12, type - 2});
  words.insert(words.end(), {instruction(OpVariable, 4), 3, 5, 12});
  if (castsPointers)
    words.insert(words.end(), {instruction(OpBitcast, 4), 4, 6, 5});
  auto bytes = reinterpret_cast<const uint8_t *>(words.data());
  return {bytes, bytes + words.size() * 4};
}

TEST(ChooseVariant, AvoidsFeaturesThatTheDriverGetsWrong) {
  DeviceInfo device = gpu("vulkan:0");
  device.features = {"shaderFloat16"};
  Variant casts = spirv({"shaderFloat16"}), plain = spirv();
  casts.code = moduleThat(true);
  plain.code = moduleThat(false);
  EXPECT_EQ(chosen(device, file({casts, plain})), 0u); // `casts` uses more of the device's features
  device.workarounds = {"noPointerCasts", "someOther"};
  EXPECT_EQ(chosen(device, file({casts, plain})), 1u);
  EXPECT_EQ(chosen(device, file({plain, casts})), 0u);
  Status none = chooseVariant(device, file({casts}), 0).status();
  EXPECT_NE(
      none.message().find("variant 0 (vulkan-spirv): the module casts pointers, which crashes this "
                          "device's driver; compile it for this device, or for descriptors"),
      std::string::npos)
      << none.message();

  // Every variant makes the first device's driver fail, so the other device is chosen. Code that is
  // not SPIR-V is left to its loader.
  std::vector<DeviceInfo> devices{device, gpu("vulkan:1")};
  devices[1].features = device.features;
  EXPECT_EQ(chosenOf(devices, file({casts})), 1u);
  casts.code = {1, 2, 3};
  EXPECT_EQ(chosen(device, file({casts})), 0u);
}

TEST(ChooseVariant, EachReasonIsNamed) {
  Variant other = spirv();
  other.interfaces[0].entryPoint = "other";
  Variant named = spirv({"a"});
  named.target = "rdna3";
  Result<Choice> choice = chooseVariant(gpu("gpu:0"), file({named, other}), 0);
  ASSERT_FALSE(choice.isOk());
  EXPECT_EQ(choice.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(choice.status().message(),
            "gpu:0 (device gpu:0) cannot run any variant of 'k':\n"
            "  variant 0 (vulkan-spirv for 'rdna3'): it lacks feature a\n"
            "  variant 1 (vulkan-spirv): has no code for 'k'");
}

//===-------------------------------------------------------------------------===//
// chooseDevice, findDevice
//===-------------------------------------------------------------------------===//

TEST(ChooseDevice, OneThatCanRunIt) {
  DeviceInfo plain = gpu("vulkan:0"), able = gpu("opencl:0", DeviceKind::Integrated);
  able.features = {"a"};
  std::vector<DeviceInfo> devices = {plain, able};
  EXPECT_EQ(chosenOf(devices, file({spirv({"a"})})), 1u);
  EXPECT_EQ(chosenOf(devices, file({spirv()})), 0u);
  Result<size_t> none = chooseDevice(devices, file({spirv({"b"})}));
  ASSERT_FALSE(none.isOk());
  EXPECT_EQ(none.status().code(), StatusCode::Unsupported);
  for (const char *id : {"vulkan:0", "opencl:0", "lacks feature b"})
    EXPECT_NE(none.status().message().find(id), std::string::npos) << none.status().message();
  EXPECT_EQ(chooseDevice({}, file({spirv()})).status().code(), StatusCode::NotFound);
}

TEST(ChooseDevice, NativeCodeOfTheFileFirst) {
  std::vector<DeviceInfo> devices = {gpu("vulkan:0"), cpu()};
  EXPECT_EQ(chosenOf(devices, file({spirv(), native("x86-64-v3")})), 1u);
  EXPECT_EQ(chosenOf(devices, file({spirv(), native("aarch64")})), 0u);
  EXPECT_EQ(chosenOf(devices, file({spirv()})), 0u);
}

TEST(ChooseDevice, BetterDevicesThenUsedFeatures) {
  DeviceInfo first = gpu("vulkan:0"), second = gpu("vulkan:1");
  second.features = {"a"};
  std::vector<DeviceInfo> devices = {gpu("vulkan:2", DeviceKind::Integrated), first, second};
  EXPECT_EQ(chosenOf(devices, file({spirv(), spirv({"a"})})), 2u);
  EXPECT_EQ(chosenOf(devices, file({spirv()})), 1u);
}

TEST(ChooseDevice, VulkanOnACpuOnlyAlone) {
  DeviceInfo lavapipe = gpu("vulkan:0", DeviceKind::Cpu);
  lavapipe.features = {"a", "b"};
  std::vector<DeviceInfo> devices = {lavapipe, cpu()};
  EXPECT_EQ(chosenOf(devices, file({spirv(), spirv({"a"})})), 1u);
  EXPECT_EQ(chosenOf(devices, file({spirv({"a"})})), 0u); // no other device can run it
  EXPECT_EQ(chosenOf({&lavapipe, 1}, file({spirv()})), 0u);
}

TEST(ChooseDevice, OpenClOnACpuOnlyByName) {
  DeviceInfo openCl = gpu("opencl:0", DeviceKind::Cpu);
  openCl.kinds = {VariantKind::OpenclSpirv};
  DeviceInfo ours = cpu();
  ours.kinds.push_back(VariantKind::OpenclSpirv);
  Variant code = spirv();
  code.kind = VariantKind::OpenclSpirv;
  EXPECT_EQ(*chooseDevice(std::vector{openCl, ours}, file({code})), 1u);
  Status alone = chooseDevice(std::vector{openCl}, file({code})).status();
  EXPECT_EQ(alone.code(), StatusCode::Unsupported);
  EXPECT_NE(alone.message().find("only if the request names it"), std::string::npos);
  // Without a compiler, our device only runs native code, and is still preferred.
  EXPECT_EQ(*findDevice(std::vector{openCl, cpu()}, ""), 1u);
  EXPECT_EQ(*findDevice(std::vector{openCl, cpu()}, "opencl"), 0u);
  EXPECT_EQ(*findDevice(std::vector{openCl, cpu()}, "opencl:0"), 0u);
  Status none = findDevice(std::vector{openCl}, "").status();
  EXPECT_NE(none.message().find("name one of these:\n  opencl:0"), std::string::npos);
  openCl.kind = DeviceKind::Discrete; // a GPU is like any other
  EXPECT_EQ(*chooseDevice(std::vector{ours, openCl}, file({code})), 1u);
}

TEST(ChooseDevice, EveryEntryPointCounts) {
  executable::Executable two = file({spirv(), spirv({"a"})});
  two.entryPoints.push_back({.name = "l", .workgroupSize = {1, 1, 1}});
  two.variants[1].interfaces = {{.entryPoint = "l", .symbol = "l"}};
  DeviceInfo plain = gpu("vulkan:0"), able = gpu("vulkan:1", DeviceKind::Integrated);
  able.features = {"a"};
  std::vector<DeviceInfo> devices = {plain, able};
  EXPECT_EQ(chosenOf(devices, two), 1u);
}

/// The names of devices, drivers and targets do not change the choice.
TEST(ChooseDevice, NamesPlayNoPart) {
  uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const char *names[] = {"NVIDIA H200", "llvmpipe (LLVM 15)", "AMD Radeon", "Intel", "", "cpu"};
  auto rename = [&](std::string &name) { name = names[random() % std::size(names)]; };
  const char *features[] = {"a", "b", "c", "d"};
  for (int round = 0; round < 500; ++round) {
    std::vector<DeviceInfo> devices;
    for (size_t i = 0; i < 4; ++i) {
      devices.push_back(random() % 4 ? gpu("v:0", DeviceKind(random() % 5)) : cpu());
      for (const char *feature : features)
        if (random() % 3)
          devices.back().features.insert(feature);
    }
    std::vector<Variant> variants;
    for (size_t i = 0; i < 4; ++i) {
      variants.push_back(random() % 4 ? spirv() : native("x86-64-v3"));
      for (const char *feature : features)
        if (random() % 2)
          variants.back().requirements.features.push_back(feature);
    }
    executable::Executable contents = file(variants);
    Result<size_t> before = chooseDevice(devices, contents);
    size_t variant = before.isOk() ? chosen(devices[*before], contents) : 0;
    for (DeviceInfo &device : devices)
      for (std::string *name : {&device.id, &device.driver, &device.name, &device.vendor,
                                &device.driverName, &device.driverVersion})
        rename(*name);
    for (Variant &v : contents.variants)
      rename(v.target);
    Result<size_t> after = chooseDevice(devices, contents);
    ASSERT_EQ(before.isOk(), after.isOk());
    if (!before.isOk())
      continue;
    EXPECT_EQ(*before, *after);
    EXPECT_EQ(variant, chosen(devices[*after], contents));
  }
}

TEST(FindDevice, ByIdDriverAndName) {
  std::vector<DeviceInfo> devices = {gpu("vulkan:0", DeviceKind::Cpu), gpu("vulkan:1"), cpu()};
  devices[0].name = "llvmpipe (LLVM 15.0.6)";
  devices[1].name = "NVIDIA H200";
  auto found = [&](std::string_view request) {
    Result<size_t> index = findDevice(devices, request);
    EXPECT_TRUE(index.isOk()) << index.status().toString();
    return index.isOk() ? *index : SIZE_MAX;
  };
  EXPECT_EQ(found(""), 1u);
  EXPECT_EQ(found("vulkan:0"), 0u);
  EXPECT_EQ(found("vulkan"), 1u);
  EXPECT_EQ(found("cpu"), 2u);
  EXPECT_EQ(found("LLVMPipe"), 0u);
  EXPECT_EQ(found("h200"), 1u);
  EXPECT_EQ(found("NVID"), 1u);
  EXPECT_EQ(found("0"), 0u); // the first device of the list, not the best one
  EXPECT_EQ(found("1"), 1u);
  std::swap(devices[0], devices[2]);
  EXPECT_EQ(findDevice({devices.data(), 1}, "").value(), 0u);

  Result<size_t> none = findDevice(devices, "vulkan:7");
  EXPECT_EQ(none.status().code(), StatusCode::NotFound);
  EXPECT_EQ(none.status().message(), "no device is called 'vulkan:7'; there are:\n"
                                     "  cpu:0 (device cpu:0)\n"
                                     "  vulkan:1 (NVIDIA H200)\n"
                                     "  vulkan:0 (llvmpipe (LLVM 15.0.6))");
  EXPECT_EQ(findDevice({}, "").status().message(), "there is no device");
}

/// Almost every name contains any given letter or digit, so a single one must not choose a device.
TEST(FindDevice, NoScrapsOfNames) {
  std::vector<DeviceInfo> devices = {gpu("vulkan:0", DeviceKind::Cpu), cpu()};
  devices[0].name = "llvmpipe (LLVM 15.0.6)";
  devices[1].name = "Intel(R) Xeon(R) CPU @ 2.10GHz";
  for (const char *request : {"2", "10", "99999999999999999999999", "x", "eo", "eon", "pipe", "R",
                              "2.1", "vulkan:", " vulkan:0"}) {
    Status none = findDevice(devices, request).status();
    EXPECT_EQ(none.code(), StatusCode::NotFound) << request;
    EXPECT_NE(none.message().find("there are:\n  vulkan:0 (llvmpipe"), std::string::npos)
        << none.message();
  }
  EXPECT_EQ(findDevice(devices, "xeon").value(), 1u);
  EXPECT_EQ(findDevice(devices, "intel(r) x").value(), 1u);
  for (const char *blank : {" ", "\t ", "   "})
    EXPECT_EQ(findDevice(devices, blank).status().message(),
              std::string("'") + blank +
                  "' is blank; give the name of a device, or an empty text for the best device");
  EXPECT_EQ(findDevice(devices, " ").status().code(), StatusCode::InvalidArgument);
}

TEST(FindDevice, OrderOfKinds) {
  DeviceKind kinds[] = {DeviceKind::Discrete, DeviceKind::Integrated, DeviceKind::Virtual,
                        DeviceKind::Other};
  int last = score(gpu("a:0", kinds[0])) + 1;
  for (DeviceKind kind : kinds) {
    EXPECT_LT(score(gpu("a:0", kind)), last);
    last = score(gpu("a:0", kind));
  }
  EXPECT_LT(score(cpu()), last);
  EXPECT_LT(score(gpu("a:0", DeviceKind::Cpu)), score(cpu()));
}

TEST(FindDevice, CpuWithoutACompilerComesLast) {
  DeviceInfo ours = cpu(), lavapipe = ours;
  lavapipe.id = "vulkan:0";
  lavapipe.driver = "vulkan";
  lavapipe.kinds = {VariantKind::VulkanSpirv};
  EXPECT_EQ(findDevice(std::vector{lavapipe, ours}, "").value(), 1u);
  ours.kinds = {VariantKind::Native};
  EXPECT_EQ(findDevice(std::vector{lavapipe, ours}, "").value(), 0u);
  EXPECT_EQ(findDevice(std::vector{lavapipe, ours}, ours.id).value(), 1u);
}
