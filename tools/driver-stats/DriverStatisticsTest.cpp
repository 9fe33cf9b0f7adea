//===- DriverStatisticsTest.cpp - statistics from null devices, by a child --===//
#include "tools/driver-stats/DriverStatistics.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

/// Writes `source` and runs `command`, in which IN and OUT become the paths of source and output.
/// Reads OUT.
std::vector<uint32_t> assemble(const char *ending, const char *source, std::string command) {
  std::string base = ::testing::TempDir() + "driver-stats-" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string in = base + ending, out = base + ".spv";
  std::ofstream(in) << source;
  command.replace(command.find("IN"), 2, in);
  command.replace(command.find("OUT"), 3, out);
  if (std::system((command + " > /dev/null").c_str()) != 0)
    return {};
  auto file = llvm::MemoryBuffer::getFile(out, false, false);
  if (!file)
    return {};
  std::vector<uint32_t> words((*file)->getBufferSize() / 4);
  std::memcpy(words.data(), (*file)->getBufferStart(), words.size() * 4);
  return words;
}

std::vector<uint32_t> fromGlsl(const char *source) {
  return assemble(".comp", source, "glslangValidator -V --target-env vulkan1.2 IN -o OUT");
}
std::vector<uint32_t> fromMlir(const char *source) {
  return assemble(".mlir", source,
                  PUMICE_LLVM_BIN
                  "/mlir-translate --no-implicit-module --serialize-spirv IN -o OUT");
}

/// Sums 256 floats through workgroup memory.
constexpr const char *sumKernel = R"(#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { float factor; };
shared float partial[256];
void main() {
  uint lane = gl_LocalInvocationIndex;
  partial[lane] = factor * x[gl_GlobalInvocationID.x];
  for (uint step = 128; step > 0; step >>= 1) {
    barrier();
    if (lane < step)
      partial[lane] += partial[lane + step];
  }
  if (lane == 0)
    y[gl_WorkGroupID.x] = partial[0];
})";

PipelineRequest sumRequest() {
  PipelineRequest request;
  request.spirv = fromGlsl(sumKernel);
  request.symbol = "main";
  request.pushConstantBytes = 4;
  request.buffers = {{0, 0}, {0, 1}};
  request.constants = {{0, 4, 256}};
  return request;
}

/// Skips, with the reason, if the machine has no such null device.
#define NULL_DRIVER(variable, architecture)                                                        \
  Result<tools::DriverChoice> variable = tools::nullDriverFor(architecture, PUMICE_MESA25);        \
  if (!variable.isOk())                                                                            \
    GTEST_SKIP() << variable.status().message();

TEST(DriverStatistics, ReportsStatisticsForAnAbsentGpu) {
  Result<tools::DriverChoice> driver = tools::nullDriverFor("rdna2", "");
  if (!driver.isOk())
    GTEST_SKIP() << driver.status().message();
  Result<PipelineReport> report = tools::driverStatistics(*driver, sumRequest());
  ASSERT_TRUE(report.isOk()) << report.status().message();
  EXPECT_NE(report->device.find("NAVI21"), std::string::npos) << report->device;
  ASSERT_EQ(report->executables.size(), 1u);
  const ExecutableStatistics &one = report->executables[0];
  EXPECT_GT(one.vectorRegisters.value_or(0), 0u);
  EXPECT_LT(one.vectorRegisters.value_or(999), 257u);
  EXPECT_GT(one.scalarRegisters.value_or(0), 0u);
  EXPECT_EQ(one.spilledVectorRegisters.value_or(999), 0u);
  EXPECT_EQ(one.spilledScalarRegisters.value_or(999), 0u);
  EXPECT_EQ(one.workgroupMemoryBytes.value_or(0), 1024u);
  EXPECT_GT(one.codeBytes.value_or(0), 50u);
  EXPECT_FALSE(one.all.empty());
  for (const Statistic &statistic : one.all)
    EXPECT_FALSE(statistic.name.empty() || statistic.text.empty());
}

TEST(DriverStatistics, EveryFamilyOfTheTableCompiles) {
  PipelineRequest request = sumRequest();
  for (const NullFamily &family : nullFamilies())
    for (const char *mesa25 : {"", PUMICE_MESA25}) {
      Result<tools::DriverChoice> driver = tools::nullDriverFor(family.architecture, mesa25);
      if (!driver.isOk())
        continue; // a driver that is not installed is not a failure
      Result<PipelineReport> report = tools::driverStatistics(*driver, request);
      EXPECT_TRUE(report.isOk()) << driver->name << ": " << report.status().message();
      if (report.isOk())
        EXPECT_EQ(report->executables.size(), 1u) << driver->name;
    }
}

TEST(DriverStatistics, FollowsTheRequiredSubgroupSize) {
  NULL_DRIVER(driver, "rdna2");
  for (uint32_t size : {32u, 64u}) {
    PipelineRequest request = sumRequest();
    request.requiredSubgroupSize = size;
    Result<PipelineReport> report = tools::driverStatistics(*driver, request);
    ASSERT_TRUE(report.isOk()) << report.status().message();
    EXPECT_EQ(report->executables.at(0).subgroupSize, size);
  }
  PipelineRequest request = sumRequest();
  request.requiredSubgroupSize = 128;
  Result<PipelineReport> report = tools::driverStatistics(*driver, request);
  ASSERT_FALSE(report.isOk());
  EXPECT_EQ(report.status().code(), StatusCode::Unsupported);
  EXPECT_NE(report.status().message().find("required subgroup size 128"), std::string::npos)
      << report.status().message();
}

/// Stores one product of two 16x16 fragments. Memory operands carry the index as an alignment.
constexpr const char *matrixKernel = R"(
spirv.module Logical Vulkan requires #spirv.vce<v1.6,
    [Shader, VulkanMemoryModel, Float16, StorageBuffer16BitAccess, CooperativeMatrixKHR],
    [SPV_KHR_cooperative_matrix]> {
  spirv.GlobalVariable @a bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>
  spirv.GlobalVariable @c bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>
  spirv.func @main() "None" {
    %zero = spirv.Constant 0 : i32
    %stride = spirv.Constant 16 : i32
    %from = spirv.mlir.addressof @a : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>
    %to = spirv.mlir.addressof @c : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>
    %p = spirv.AccessChain %from[%zero, %zero] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f16, StorageBuffer>
    %q = spirv.AccessChain %to[%zero, %zero] : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f16, stride=2> [0]), Block>, StorageBuffer>, i32, i32 -> !spirv.ptr<f16, StorageBuffer>
    %a = spirv.KHR.CooperativeMatrixLoad %p, %stride, <RowMajor> : !spirv.ptr<f16, StorageBuffer>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
    %b = spirv.KHR.CooperativeMatrixLoad %p, %stride, <RowMajor> : !spirv.ptr<f16, StorageBuffer>, i32 -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB>
    %f = spirv.Constant 0.0 : f16
    %c = spirv.CompositeConstruct %f : (f16) -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixAcc>
    %d = spirv.KHR.CooperativeMatrixMulAdd %a, %b, %c : !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>, !spirv.coopmatrix<16x16xf16, Subgroup, MatrixB> -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixAcc>
    spirv.KHR.CooperativeMatrixStore %q, %d, %stride, <RowMajor> : !spirv.ptr<f16, StorageBuffer>, !spirv.coopmatrix<16x16xf16, Subgroup, MatrixAcc>, i32
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @main, @a, @c
  spirv.ExecutionMode @main "LocalSize", 32, 1, 1
})";

TEST(DriverStatistics, CompilesCooperativeMatricesForRdna3And4) {
  PipelineRequest request;
  request.spirv = fromMlir(matrixKernel);
  ASSERT_FALSE(request.spirv.empty()) << "the module did not assemble";
  request.symbol = "main";
  request.buffers = {{0, 0}, {0, 1}};
  request.requiredSubgroupSize = 32;
  std::string newer = std::string(PUMICE_MESA25) + "/icd/radeon_icd.json";
  if (!llvm::sys::fs::exists(newer))
    GTEST_SKIP() << "cooperative matrices need Mesa 25: setup/mesa25.sh unpacks it privately";
  for (const char *architecture : {"rdna3", "rdna4"}) {
    NULL_DRIVER(driver, architecture);
    Result<PipelineReport> report = tools::driverStatistics(*driver, request);
    ASSERT_TRUE(report.isOk()) << report.status().message();
    EXPECT_GT(report->executables.at(0).codeBytes.value_or(0), 0u);
  }
}

TEST(DriverStatistics, NamesTheMissingDriver) {
  Result<tools::DriverChoice> unknown = tools::nullDriverFor("voodoo", "");
  ASSERT_FALSE(unknown.isOk());
  EXPECT_EQ(unknown.status().message(), "no null device for the architecture 'voodoo'");
  Result<tools::DriverChoice> newer = tools::nullDriverFor("rdna4", "/nowhere");
  ASSERT_FALSE(newer.isOk());
  EXPECT_EQ(newer.status().message(), "rdna4 needs Mesa 25: setup/mesa25.sh unpacks it privately");
}

TEST(DriverStatistics, RejectsInvalidModules) {
  NULL_DRIVER(driver, "rdna2");
  PipelineRequest request;
  request.spirv = {1, 2, 3, 4, 5};
  Result<PipelineReport> report = tools::driverStatistics(*driver, request);
  ASSERT_FALSE(report.isOk());
  EXPECT_EQ(report.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(report.status().message().find("the code is not a SPIR-V module"), std::string::npos);
}

TEST(DriverStatistics, SurvivesADriverThatCrashes) {
  NULL_DRIVER(driver, "rdna2");
  PipelineRequest request = sumRequest();
  request.spirv.resize(request.spirv.size() / 2); // drivers trust their input
  Result<PipelineReport> report = tools::driverStatistics(*driver, request);
  EXPECT_FALSE(report.isOk());
  if (!report.isOk())
    EXPECT_FALSE(report.status().message().empty());
}

TEST(DriverStatistics, APipelineThatAVendorlessDriverAcceptsHasNoStatistics) {
  tools::DriverChoice lavapipe{"lavapipe", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "", ""};
  if (!llvm::sys::fs::exists(lavapipe.icdFile))
    GTEST_SKIP() << "lavapipe is not installed (package mesa-vulkan-drivers)";
  Result<PipelineReport> report = tools::driverStatistics(lavapipe, sumRequest());
  ASSERT_TRUE(report.isOk()) << report.status().message();
  EXPECT_NE(report->device.find("llvmpipe"), std::string::npos);
}

TEST(DriverStatistics, AnExecutablesInterfaceBecomesARequest) {
  executable::Variant variant;
  variant.code = {3, 2, 35, 7, 0, 0, 1, 0};
  executable::Interface interface;
  interface.symbol = "sum";
  interface.place = executable::ParameterPlace::PushConstants;
  interface.parameterBytes = 24;
  interface.bindings = {{1, 2, executable::BindingSource::Argument, 0}};
  interface.requiredSubgroupSize = 32;
  interface.fullSubgroups = true;
  PipelineRequest request = tools::requestFor(variant, interface);
  EXPECT_EQ(request.spirv, (std::vector<uint32_t>{0x07230203, 0x00010000}));
  EXPECT_EQ(request.symbol, "sum");
  EXPECT_EQ(request.pushConstantBytes, 24u);
  ASSERT_EQ(request.buffers.size(), 1u);
  EXPECT_EQ(request.buffers[0], (BufferSlot{1, 2, false}));
  EXPECT_EQ(request.requiredSubgroupSize, 32u);
  EXPECT_TRUE(request.fullSubgroups);
  interface.place = executable::ParameterPlace::AddressedBuffer;
  EXPECT_EQ(tools::requestFor(variant, interface).pushConstantBytes, 8u);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "driver-stats") == 0)
    return tools::driverStatsMain(argc - 1, argv + 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
