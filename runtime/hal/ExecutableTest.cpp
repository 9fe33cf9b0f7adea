//===- ExecutableTest.cpp - loading, and what is fixed at compile time ------===//
#include "runtime/hal/Executable.h"

#include "executable/test/Samples.h"
#include "runtime/hal/testing/FakeDevice.h"

#include <gtest/gtest.h>
#include <thread>

using namespace pumice;
using namespace pumice::hal;
using executable::noSpecId;

namespace {

void append(std::vector<uint8_t> &code, std::initializer_list<uint32_t> words) {
  for (uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8)
      code.push_back(uint8_t(word >> shift));
}

/// Makes an executable with two entry points. The second leaves everything to the launch. The
/// specialization constants are 7 (f32), 8 (bool) and 9 (i64), and also 0, 1, 2 (workgroup size)
/// and 3 (dynamic memory).
executable::Executable sample() {
  executable::Executable file;
  file.entryPoints = {{.name = "fixed", .workgroupSize = {64, 2, 1}},
                      {.name = "open", .dynamicWorkgroupMemory = true}};
  executable::Variant variant;
  variant.interfaces = {{.entryPoint = "fixed", .symbol = "fixed"},
                        {.entryPoint = "open",
                         .symbol = "open",
                         .workgroupSizeSpecIds = {0, 1, 2},
                         .dynamicMemorySpecId = 3,
                         .workgroupMemoryBytes = 1024,
                         .dynamicMemoryElementBytes = 4}};
  variant.code = executable::test::emptySpirv({"fixed", "open"});
  for (uint32_t id : {0u, 1u, 2u, 3u, 7u, 8u, 9u})
    append(variant.code, {4u << 16 | 71, 20 + id, 1, id}); // OpDecorate %20+id SpecId id
  append(variant.code, {4u << 16 | 21, 10, 32, 0, 3u << 16 | 22, 11, 32, 2u << 16 | 20, 12,
                        4u << 16 | 21, 13, 64, 0}); // u32, f32, bool, u64
  for (uint32_t id : {0u, 1u, 2u, 3u})
    append(variant.code, {4u << 16 | 50, 10, 20 + id, 1});
  append(variant.code,
         {4u << 16 | 50, 11, 27, 0, 3u << 16 | 48, 12, 28, 5u << 16 | 50, 13, 29, 0, 0});
  file.variants = {variant};
  return file;
}

class ExecutableTest : public ::testing::Test {
protected:
  void load(executable::Executable file = sample()) {
    auto written = executable::write(file);
    ASSERT_TRUE(written.isOk()) << written.status().toString();
    auto loaded =
        Executable::load(device, std::make_shared<const executable::Executable>(std::move(file)));
    ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
    executable = *loaded;
  }
  std::string refused(std::string_view name, const FunctionOptions &options = {}) {
    Result<Ref<Function>> function = executable->function(name, options);
    return function.isOk() ? "made" : function.status().toString();
  }
  const KernelSource &source(const Ref<Function> &function) {
    Ref<Queue> queue = device->createQueue().value();
    EXPECT_TRUE(function->launch(*queue, {}, {}).isOk());
    return static_cast<FakeKernel &>(*device->last().kernel).source;
  }

  Ref<FakeDevice> device = FakeDevice::make();
  Ref<Executable> executable;
};

} // namespace

TEST_F(ExecutableTest, FindsEntryPoints) {
  load();
  EXPECT_EQ(refused("", {}), "not found: name one of the entry points: fixed, open");
  EXPECT_EQ(refused("other"), "not found: there is no entry point 'other'; there are: fixed, open");
  EXPECT_EQ(refused("fixed"), "made");
  EXPECT_EQ(&executable->device(), device.get());
  EXPECT_EQ(executable->contents().entryPoints.size(), 2u);
  EXPECT_EQ(&executable->variant(0), &executable->contents().variants[0]);
  load({});
  EXPECT_EQ(refused(""), "not found: the executable has no entry points");
}

TEST_F(ExecutableTest, RejectsMissingRequirements) {
  executable::Executable file = sample();
  file.variants[0].requirements.features = {"shaderFloat64"};
  auto loaded = Executable::load(device, std::make_shared<const executable::Executable>(file));
  EXPECT_EQ(loaded.status().toString(),
            "unsupported: fake:0 (Fake) cannot run any variant of 'fixed':\n"
            "  variant 0 (vulkan-spirv): it lacks feature shaderFloat64");
  device->lose("it hung");
  EXPECT_EQ(Executable::load(device, std::make_shared<const executable::Executable>(file))
                .status()
                .code(),
            StatusCode::DeviceLost);
}

TEST_F(ExecutableTest, TheSameOptionsGiveTheSameFunction) {
  load();
  FunctionOptions options{.workgroupSize = {32, 4, 1}, .constants = {{7, 4, 1}, {8, 4, 1}}};
  Ref<Function> first = executable->function("open", options).value();
  std::swap(options.constants[0], options.constants[1]);
  EXPECT_EQ(first, executable->function("open", options).value());
  EXPECT_EQ(device->kernels, 1u);
  options.constants[0].bits = 0;
  EXPECT_NE(first, executable->function("open", options).value());
  EXPECT_EQ(executable->function("fixed").value(),
            executable->function("fixed", {.workgroupSize = {64, 0, 0}}).value());
}

TEST_F(ExecutableTest, Specializes) {
  load();
  FunctionOptions options{.workgroupSize = {32, 4, 2},
                          .dynamicMemoryBytes = 1022,
                          .constants = {{9, 8, 5}, {7, 4, 0x3f800000}}};
  const KernelSource &made = source(executable->function("open", options).value());
  std::vector<SpecializationConstant> expected = {{7, 4, 0x3f800000}, {9, 8, 5}, {0, 4, 32},
                                                  {1, 4, 4},          {2, 4, 2}, {3, 4, 256}};
  EXPECT_EQ(made.constants, expected);
  EXPECT_EQ(made.workgroupSize, (std::array<uint32_t, 3>{32, 4, 2}));
  EXPECT_EQ(made.dynamicMemoryBytes, 1022u);
  EXPECT_EQ(made.symbol, "open");
  options.dynamicMemoryBytes = 0; // an array has at least one element
  EXPECT_EQ(source(executable->function("open", options).value()).constants.back(),
            (SpecializationConstant{3, 4, 1}));
  EXPECT_EQ(source(executable->function("fixed").value()).workgroupSize,
            (std::array<uint32_t, 3>{64, 2, 1}));
}

TEST_F(ExecutableTest, OptionsMustFit) {
  load();
  EXPECT_EQ(refused("open"), "invalid argument: open: the workgroup's size along x is not fixed in "
                             "the code: set workgroup_size");
  EXPECT_EQ(refused("fixed", {.workgroupSize = {64, 4, 1}}),
            "invalid argument: fixed: the workgroup's size along y is 2 in the code, but 4 was "
            "requested");
  EXPECT_EQ(refused("open", {.workgroupSize = {1, 1, 65}}),
            "unsupported: open: the workgroup's size along z is 65, but fake:0 allows at most 64");
  EXPECT_EQ(
      refused("open", {.workgroupSize = {1024, 2, 1}}),
      "unsupported: open: the workgroup has 2048 invocations, but fake:0 allows at most 1024");
  EXPECT_EQ(refused("fixed", {.dynamicMemoryBytes = 4}),
            "invalid argument: fixed: 4 bytes of dynamic workgroup memory were requested, but the "
            "kernel has none");
  EXPECT_EQ(
      refused("open", {.workgroupSize = {1, 1, 1}, .dynamicMemoryBytes = 32000}),
      "unsupported: open: the kernel needs 33024 bytes of workgroup memory (1024 static, 32000 "
      "dynamic), but fake:0 has 32768");
}

TEST_F(ExecutableTest, ConstantsMustExist) {
  load();
  auto with = [&](SpecializationConstant constant) {
    return refused("fixed", {.constants = {constant}});
  };
  EXPECT_EQ(with({7, 4, 0}), "made");
  // The ids 0 to 3 are ordinary constants for entry point "fixed".
  EXPECT_EQ(with({5, 4, 0}),
            "invalid argument: fixed: the code has no specialization constant 5; it has 0 (4 "
            "bytes), 1 (4 bytes), 2 (4 bytes), 3 (4 bytes), 7 (4 bytes), 8 (4 bytes), 9 (8 bytes)");
  EXPECT_EQ(with({9, 4, 0}),
            "invalid argument: fixed: specialization constant 9 has 8 bytes; 4 are given");
  EXPECT_EQ(with({7, 4, uint64_t{1} << 32}),
            "invalid argument: kernel 'fixed': specialization constant 7 is 4294967296, which does "
            "not fit its 4 bytes");
  EXPECT_EQ(with({7, 4, static_cast<uint64_t>(int64_t{-5})}), "made"); // sign-extended to 8 bytes
  EXPECT_EQ(refused("fixed", {.constants = {{7, 4, 0}, {7, 4, 1}}}),
            "invalid argument: fixed: specialization constant 7 is given twice");
  EXPECT_EQ(refused("open", {.workgroupSize = {1, 1, 1}, .constants = {{3, 4, 0}}}),
            "invalid argument: open: specialization constant 3 is set by workgroup_size or "
            "dynamic_memory_bytes");
  EXPECT_EQ(refused("open", {.workgroupSize = {1, 1, 1}, .constants = {{noSpecId, 4, 0}}}),
            "invalid argument: open: the code has no specialization constant 4294967295; it has 7 "
            "(4 bytes), 8 (4 bytes), 9 (8 bytes)");

  executable::Executable none = sample();
  none.variants[0].code = executable::test::emptySpirv({"fixed", "open"});
  load(none);
  EXPECT_EQ(with({5, 4, 0}),
            "invalid argument: fixed: the code has no specialization constant 5; it has none");
}

TEST_F(ExecutableTest, OldFilesDoNotSayHowLargeElementsAre) {
  executable::Executable old = sample();
  old.variants[0].interfaces[1].dynamicMemoryElementBytes = 0;
  load(old);
  FunctionOptions options{.workgroupSize = {1, 1, 1}, .dynamicMemoryBytes = 64};
  EXPECT_EQ(refused("open", options),
            "unsupported: open: the executable does not say how large an element of its dynamic "
            "workgroup memory is: it was written before format 1.2; compile it again");
}

TEST_F(ExecutableTest, FullSubgroupsOfOpenWorkgroups) {
  executable::Executable file = sample();
  file.variants[0].interfaces[1].fullSubgroups = true;
  load(file);
  EXPECT_EQ(
      refused("open", {.workgroupSize = {48, 1, 1}}),
      "invalid argument: open: the code needs full subgroups: 48 invocations along x are not a "
      "multiple of 32");
  EXPECT_EQ(refused("open", {.workgroupSize = {64, 1, 1}}), "made");
}

TEST_F(ExecutableTest, ThreadsGetTheSameFunction) {
  load();
  std::vector<std::thread> threads;
  std::vector<Ref<Function>> made(4);
  for (size_t t = 0; t < made.size(); ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 1; i < 50; ++i)
        made[t] = executable->function("open", {.workgroupSize = {i, 1, 1}}).value();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Ref<Function> &function : made)
    EXPECT_EQ(function, made[0]);
}

//===-------------------------------------------------------------------------===//
// Native code holds the defaults of all constants
//===-------------------------------------------------------------------------===//

namespace {

/// Returns an executable with only entry point "fixed", with native code for x86-64-v2.
executable::Executable withNativeCode() {
  executable::Executable file = sample();
  file.entryPoints.pop_back();
  executable::Variant &spirv = file.variants.front();
  spirv.interfaces.pop_back();
  executable::Variant native{.kind = executable::VariantKind::Native,
                             .interfaces = spirv.interfaces,
                             .code = {1, 2, 3, 4}};
  native.requirements.architecture = "x86-64-v2";
  file.variants.push_back(native);
  return file;
}

Ref<FakeDevice> deviceOf(std::vector<executable::VariantKind> kinds) {
  DeviceInfo info = FakeDevice::defaultInfo();
  info.kinds = std::move(kinds);
  info.architecture = "x86-64-v3";
  info.features.insert("robustBufferAccess");
  return FakeDevice::make(info);
}

} // namespace

TEST_F(ExecutableTest, ChangedConstantsRunTheSpirv) {
  device = deviceOf({executable::VariantKind::Native, executable::VariantKind::VulkanSpirv});
  load(withNativeCode());
  EXPECT_EQ(executable->variant(0).kind, executable::VariantKind::Native);
  auto kindWith = [&](std::vector<SpecializationConstant> constants) {
    return source(executable->function("fixed", {.constants = std::move(constants)}).value()).kind;
  };
  EXPECT_EQ(kindWith({}), executable::VariantKind::Native);
  // Every constant has its default value, so the native code is usable.
  EXPECT_EQ(kindWith({{7, 4, 0}, {9, 8, 0}}), executable::VariantKind::Native);
  EXPECT_EQ(kindWith({{7, 4, 1}}), executable::VariantKind::VulkanSpirv);
  EXPECT_EQ(kindWith({{7, 4, 0}, {9, 8, 5}}), executable::VariantKind::VulkanSpirv);
  const KernelSource &robust =
      source(executable->function("fixed", {.robustAccess = true}).value());
  EXPECT_EQ(robust.kind, executable::VariantKind::VulkanSpirv);
  EXPECT_TRUE(robust.robustAccess);
  EXPECT_NE(refused("fixed", {.constants = {{6, 4, 0}}}).find("no specialization constant 6"),
            std::string::npos);
}

TEST_F(ExecutableTest, ChangedConstantsNeedACompiler) {
  device = deviceOf({executable::VariantKind::Native});
  load(withNativeCode());
  EXPECT_EQ(refused("fixed", {.constants = {{7, 4, 0}}}), "made");
  EXPECT_EQ(
      refused("fixed", {.constants = {{7, 4, 1}}}),
      "unsupported: fixed: specialization constants were changed, which needs "
      "SPIR-V that the device runs: fake:0 (Fake) cannot run any variant of 'fixed':\n"
      "  variant 0 (vulkan-spirv): it does not run vulkan-spirv without the compiler library "
      "(PUMICE_COMPILER_LIBRARY)\n"
      "  variant 1 (native): native code cannot be specialized: constants keep their defaults, and "
      "accesses are not checked");
  EXPECT_NE(
      refused("fixed", {.robustAccess = true}).find("robust access was requested, which needs"),
      std::string::npos);
}
