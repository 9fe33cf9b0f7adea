//===- FactsTest.cpp - decisions about devices, without one -----------------===//
#include "runtime/drivers/opencl/Facts.h"

#include "runtime/drivers/opencl/Status.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::opencl_driver;

namespace {

/// Returns the facts of a processor through Intel's runtime, shortened.
DeviceFacts processor() {
  DeviceFacts facts;
  facts.platformName = "Intel(R) OpenCL";
  facts.name = "AMD EPYC";
  facts.version = {3, 1};
  facts.spirvVersions = {{1, 0}, {1, 4}};
  facts.type = CL_DEVICE_TYPE_CPU;
  facts.extensions = {"cl_khr_fp16",
                      "cl_khr_int64_base_atomics",
                      "cl_khr_int64_extended_atomics",
                      "cl_khr_subgroups",
                      "cl_khr_subgroup_shuffle",
                      "cl_intel_required_subgroup_size",
                      "cl_khr_fp64",
                      "__opencl_c_ext_fp32_global_atomic_add",
                      "__opencl_c_ext_fp32_local_atomic_add"};
  facts.maxWorkgroupInvocations = 8192;
  facts.maxWorkgroupSize = {8192, 8192, 8192};
  facts.maxParameterBytes = 3842;
  facts.workgroupMemoryBytes = uint64_t{1} << 40;
  facts.halfConfig = 6;
  facts.doubleConfig = 63;
  facts.svm = 15;
  facts.hostUsm = facts.deviceUsm = facts.sharedUsm = 15;
  facts.hasUsmFunctions = true;
  facts.maxSubgroups = 2048;
  facts.subgroupSizes = {4, 8, 16, 32, 64};
  return facts;
}

} // namespace

TEST(OpenClFacts, Versions) {
  EXPECT_EQ(parseVersion("OpenCL 3.0 PoCL HSTR"), (Version{3, 0}));
  EXPECT_EQ(parseVersion("OpenCL 1.2"), (Version{1, 2}));
  for (const char *none : {"", "OpenCL", "OpenCL three", "Vulkan 1.3", "OpenCL 3", "OpenCL 3."})
    EXPECT_EQ(parseVersion(none), Version{}) << none;
  EXPECT_EQ(parseSpirvVersions("SPIR-V_1.3 SPIR-V_1.0  IL_9.9 SPIR-V_x"),
            (std::vector<Version>{{1, 0}, {1, 3}}));
  EXPECT_TRUE(parseSpirvVersions("").empty());
}

TEST(OpenClFacts, AtomicsOfFloats) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      floatAtomicFeatures(32, 0x70002),
      (Names{"__opencl_c_ext_fp32_global_atomic_add", "__opencl_c_ext_fp32_local_atomic_load_store",
             "__opencl_c_ext_fp32_local_atomic_add", "__opencl_c_ext_fp32_local_atomic_min_max"}));
  EXPECT_TRUE(floatAtomicFeatures(64, 0).empty());
}

TEST(OpenClFacts, Usable) {
  EXPECT_TRUE(isUsable(processor()).isOk());
  auto why = [](auto change) {
    DeviceFacts facts = processor();
    change(facts);
    Status status = isUsable(facts);
    EXPECT_EQ(status.code(), StatusCode::Unsupported);
    return status.message();
  };
  EXPECT_NE(why([](DeviceFacts &f) { f.spirvVersions.clear(); }).find("takes no SPIR-V"),
            std::string::npos);
  EXPECT_NE(why([](DeviceFacts &f) { f.addressBits = 32; }).find("32 bits"), std::string::npos);
  EXPECT_NE(why([](DeviceFacts &f) { f.littleEndian = false; }).find("big-endian"),
            std::string::npos);
  EXPECT_NE(why([](DeviceFacts &f) { f.available = false; }).find("AMD EPYC (Intel(R) OpenCL)"),
            std::string::npos);
}

TEST(OpenClFacts, WaysToAddressMemory) {
  DeviceFacts facts = processor();
  EXPECT_EQ(*chooseAddressing(facts), Addressing::Usm);
  EXPECT_EQ(*chooseAddressing(facts, "coarse-svm"), Addressing::CoarseSvm);
  facts.hasUsmFunctions = false;
  EXPECT_EQ(*chooseAddressing(facts), Addressing::FineSvm);
  Status lacks = chooseAddressing(facts, "usm").status();
  EXPECT_EQ(lacks.code(), StatusCode::Unsupported);
  EXPECT_EQ(lacks.message(), "PUMICE_OPENCL_MEMORY is 'usm', which AMD EPYC lacks");
  facts.svm = 1;
  EXPECT_EQ(*chooseAddressing(facts), Addressing::CoarseSvm);
  facts.svm = 0;
  EXPECT_EQ(*chooseAddressing(facts), Addressing::Buffers);
  Status unknown = chooseAddressing(facts, "heap").status();
  EXPECT_EQ(unknown.code(), StatusCode::InvalidArgument);
  EXPECT_NE(unknown.message().find("'heap'; expected usm, svm, coarse-svm or buffers"),
            std::string::npos);
}

TEST(OpenClDescription, OfAProcessor) {
  hal::DeviceInfo info = describe(processor(), Addressing::Usm);
  EXPECT_EQ(info.driver, "opencl");
  EXPECT_EQ(info.kind, hal::DeviceKind::Cpu);
  EXPECT_EQ(info.kinds, std::vector{executable::VariantKind::OpenclSpirv});
  EXPECT_TRUE(info.bufferAddresses);
  for (const char *feature :
       {"shaderInt64", "shaderFloat16", "shaderFloat64", "shaderBufferInt64Atomics",
        "shaderSharedFloat32AtomicAdd", "shaderBufferFloat32AtomicAdd", "subgroupSizeControl",
        "shaderDenormPreserveFloat64"})
    EXPECT_TRUE(info.features.contains(feature)) << feature;
  EXPECT_FALSE(info.features.contains("shaderIntegerDotProduct"));
  EXPECT_EQ(info.subgroupOperations, 1u | 16u);
  EXPECT_FALSE(info.features.contains("shaderBufferFloat16AtomicAdd")); // its driver lacks it
  EXPECT_TRUE(info.isOpenCl());
  EXPECT_EQ(info.openClMajor, 3u);
  EXPECT_EQ(info.openClMinor, 1u);
  EXPECT_EQ(info.openClSpirvMinor, 4u);
  EXPECT_EQ(info.limits.minSubgroupSize, 4u);
  EXPECT_EQ(info.limits.subgroupSize, 16u);
  EXPECT_EQ(info.limits.maxSubgroupSize, 64u);
  EXPECT_EQ(info.limits.maxPushConstantBytes, 3840u); // whole words
  EXPECT_EQ(info.limits.maxWorkgroupMemoryBytes, static_cast<uint32_t>(INT32_MAX));
  EXPECT_EQ(info.limits.hostImportAlignment, 1u); // it shares all memory of the process
  EXPECT_EQ(info.limits.descriptors.stageStorageBuffers, 0u);
}

TEST(OpenClDescription, OfOldSpirv) {
  DeviceFacts facts = processor();
  facts.spirvVersions = {{1, 2}};
  hal::DeviceInfo info = describe(facts, Addressing::Usm);
  EXPECT_EQ(info.subgroupOperations, 1u); // shuffles came with SPIR-V 1.3
  EXPECT_FALSE(info.extensions.contains("cl_khr_subgroup_shuffle"));
}

TEST(OpenClDescription, OfLess) {
  DeviceFacts facts = processor();
  facts.type = CL_DEVICE_TYPE_GPU;
  facts.extensions.clear();
  facts.maxSubgroups = 0;
  facts.subgroupSizes.clear();
  facts.doubleConfig = facts.halfConfig = 0;
  hal::DeviceInfo info = describe(facts, Addressing::Buffers);
  EXPECT_EQ(info.kind, hal::DeviceKind::Discrete);
  EXPECT_EQ(info.limits.hostImportAlignment, 0u);
  EXPECT_FALSE(info.bufferAddresses);
  EXPECT_EQ(info.limits.bindingAlignment, 128u);
  EXPECT_EQ(info.subgroupOperations, 0u);
  EXPECT_FALSE(info.limits.subgroupSizeControl);
  EXPECT_FALSE(info.features.contains("shaderFloat16"));
  EXPECT_FALSE(info.features.contains("shaderFloat64"));
  facts.sharesHostMemory = true;
  EXPECT_EQ(describe(facts, Addressing::Buffers).kind, hal::DeviceKind::Integrated);
}

TEST(OpenClStatus, NamesTheCallAndTheResult) {
  EXPECT_TRUE(toStatus(CL_SUCCESS, "clFlush").isOk());
  Status memory = toStatus(CL_OUT_OF_HOST_MEMORY, "clFlush");
  EXPECT_EQ(memory.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(memory.message(),
            "clFlush returned CL_OUT_OF_HOST_MEMORY (the host has no memory left)");
  EXPECT_EQ(toStatus(CL_DEVICE_NOT_AVAILABLE, "clFlush").code(), StatusCode::DeviceLost);
  // Numbers of the drivers' own, such as NVIDIA's, mean the end of the device.
  EXPECT_EQ(toStatus(-9999, "clFinish").code(), StatusCode::DeviceLost);
  EXPECT_EQ(toStatus(-1234, "clFinish").message(), "clFinish returned error -1234");
  EXPECT_FALSE(meansLost(CL_OUT_OF_RESOURCES));
}
