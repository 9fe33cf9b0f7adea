//===- NativeModuleTest.cpp - native code that is whole, and that is not ----===//
#include "runtime/drivers/cpu/NativeModule.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/TestKernels.h"

#include <cstring>
#include <filesystem>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;

namespace {

StatusCode loadCode(std::span<const uint8_t> bytes) {
  return NativeModule::load(bytes, "test").status().code();
}

uint32_t noRun(const executable::NativeLaunch *, void *, void *, uint64_t, uint64_t) { return 0; }

} // namespace

TEST(NativeModule, Loads) {
  Result<Ref<NativeModule>> module = NativeModule::load(codeOf("Saxpy"), "saxpy");
  ASSERT_TRUE(module.isOk()) << module.status().toString();
  const executable::NativeKernelInfo &info = (*module)->info();
  EXPECT_EQ(info.subgroupSize, 8u);
  EXPECT_EQ(info.workgroupSize[0], 64u);
  ASSERT_EQ(info.bindingCount, 2u);
  EXPECT_EQ(info.bindings[0].binding, 4u);
}

TEST(NativeModule, EachIsItsOwn) {
  // The loader must not mistake a module for one that is already loaded. Even modules of equal
  // bytes are separate libraries.
  auto saxpy = NativeModule::load(codeOf("Saxpy"), "k").value();
  auto shared = NativeModule::load(codeOf("Shared"), "k").value();
  EXPECT_NE(saxpy->info().run, shared->info().run);
  EXPECT_EQ(shared->info().workgroupMemoryBytes, 1024u);
  for (int i = 0; i < 50; ++i) {
    auto one = NativeModule::load(codeOf(i % 2 ? "Empty" : "Spin"), "k").value();
    EXPECT_EQ(one->info().subgroupSize, 4u);
    EXPECT_NE(one->info().run, saxpy->info().run);
  }
  EXPECT_EQ(saxpy->info().pushConstantBytes, 8u); // the first module is still loaded
}

TEST(NativeModule, CutShort) {
  std::vector<uint8_t> whole = codeOf("Saxpy");
  // Cuts within the segments. After the last segment, only sections follow, which no loader needs.
  for (size_t size : {size_t{0}, size_t{1}, size_t{4}, size_t{63}, size_t{64}, size_t{100},
                      size_t{400}, size_t{1000}}) {
    EXPECT_EQ(loadCode(std::span(whole).first(std::min(size, whole.size() / 2))),
              StatusCode::DataCorrupt)
        << size;
  }
}

TEST(NativeModule, NotOurMachine) {
  std::vector<uint8_t> bytes = codeOf("Saxpy");
  bytes[18] = 40; // 32-bit Arm
  Status status = NativeModule::load(bytes, "k").status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("for Arm"), std::string::npos) << status.message();
  bytes = codeOf("Saxpy");
  bytes[4] = 1; // 32 bits
  EXPECT_EQ(loadCode(bytes), StatusCode::Unsupported);
  bytes = codeOf("Saxpy");
  bytes[16] = 2; // a program
  EXPECT_EQ(loadCode(bytes), StatusCode::DataCorrupt);
  const std::string text = "#!/bin/sh\n" + std::string(100, ' ');
  EXPECT_EQ(loadCode({reinterpret_cast<const uint8_t *>(text.data()), text.size()}),
            StatusCode::DataCorrupt);
}

TEST(NativeModule, DamagedHeaders) {
  // Damages the program headers. Loading such a file unchecked would cause a bus error, or worse.
  std::vector<uint8_t> whole = codeOf("Saxpy");
  uint64_t table = 0;
  uint16_t count = 0;
  std::memcpy(&table, &whole[32], 8);
  std::memcpy(&count, &whole[56], 2);
  for (uint16_t i = 0; i < count; ++i) {
    std::vector<uint8_t> bytes = whole;
    uint8_t *header = &bytes[table + i * 56u];
    uint32_t type = 0;
    std::memcpy(&type, header, 4);
    if (type != 1)
      continue;
    uint64_t beyond = bytes.size() + 1;
    std::memcpy(header + 8, &beyond, 8); // the segment's offset in the file
    EXPECT_EQ(loadCode(bytes), StatusCode::DataCorrupt) << i;
  }
  std::vector<uint8_t> bytes = whole;
  bytes[56] = bytes[57] = 0xff; // the number of program headers
  EXPECT_EQ(loadCode(bytes), StatusCode::DataCorrupt);
  bytes = whole;
  std::memset(&bytes[32], 0xff, 8); // the offset of the program headers
  EXPECT_EQ(loadCode(bytes), StatusCode::DataCorrupt);
}

TEST(NativeModule, NoKernelInIt) {
  Status status = NativeModule::load(codeOf("NoKernel"), "k").status();
  EXPECT_EQ(status.code(), StatusCode::DataCorrupt);
  EXPECT_NE(status.message().find("pumice_native_kernel"), std::string::npos) << status.message();
}

TEST(NativeModule, ForANewerProcessor) {
  Status status = NativeModule::load(codeOf("Newer"), "k", "x86-64-v3").status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(
      status.message().find("the native code needs x86-64-v9, this device runs x86-64-v3: compile"),
      std::string::npos)
      << status.message();
  EXPECT_TRUE(NativeModule::load(codeOf("Newer"), "k", "x86-64-v9").isOk());
  EXPECT_FALSE(NativeModule::load(codeOf("Newer"), "k", "aarch64").isOk());
  // The error names the kernel.
  Status refused = makeDevice()->createKernel(Source("Newer")).status();
  EXPECT_EQ(refused.code(), StatusCode::Unsupported);
  EXPECT_NE(refused.toString().find("kernel 'Newer'"), std::string::npos) << refused.toString();
}

TEST(NativeModule, ItsDescriptionIsChecked) {
  const executable::NativeKernelInfo good{.subgroupSize = 8, .run = noRun};
  EXPECT_TRUE(checkInfo(good).isOk());
  auto codeWith = [&](auto change) {
    executable::NativeKernelInfo info = good;
    change(info);
    return checkInfo(info).code();
  };
  using Info = executable::NativeKernelInfo;
  EXPECT_EQ(codeWith([](Info &i) { i.version = 99; }), StatusCode::Unsupported);
  EXPECT_EQ(codeWith([](Info &i) { i.run = nullptr; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.subgroupSize = 0; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.subgroupSize = 12; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.workgroupSize[1] = 0; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.workgroupSize[0] = i.workgroupSize[1] = 64; }),
            StatusCode::Unsupported);
  EXPECT_EQ(codeWith([](Info &i) { i.bindingCount = 1; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.workgroupMemoryBytes = 2u << 20; }), StatusCode::Unsupported);
  EXPECT_EQ(codeWith([](Info &i) { i.scratchBytes = UINT64_MAX; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.pushConstantBytes = maxPushConstantBytes + 1; }),
            StatusCode::Unsupported);
}

TEST(NativeModule, ItsProgramMemoryIsChecked) {
  static const uint8_t image[16] = {};
  static const executable::NativeAddress addresses[] = {{8, 0}, {9, 0}};
  using Info = executable::NativeKernelInfo;
  auto codeWith = [&](auto change) {
    Info info{.version = executable::nativeCodeVersion,
              .subgroupSize = 8,
              .run = noRun,
              .programBytes = 64,
              .programImage = image,
              .programImageBytes = 16,
              .programAddresses = addresses,
              .programAddressCount = 1};
    change(info);
    return checkInfo(info).code();
  };
  EXPECT_EQ(codeWith([](Info &) {}), StatusCode::Ok);
  EXPECT_EQ(codeWith([](Info &i) { i.programImageBytes = 65; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.programImage = nullptr; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.programAddressCount = 2; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.programAddressCount = 3; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.programAddresses = nullptr; }), StatusCode::DataCorrupt);
  EXPECT_EQ(codeWith([](Info &i) { i.programBytes = UINT64_MAX; }), StatusCode::DataCorrupt);
  // Code of an older version does not have these fields.
  EXPECT_EQ(codeWith([](Info &i) {
              i.version = executable::oldestNativeCode;
              i.programBytes = UINT64_MAX;
            }),
            StatusCode::Ok);
}

TEST(NativeModule, LeftForDebuggers) {
  namespace fs = std::filesystem;
  std::string folder = ::testing::TempDir() + "pumice-code-dir";
  fs::remove_all(folder);
  setenv("PUMICE_CPU_CODE_DIR", folder.c_str(), 1);
  Result<Ref<NativeModule>> module = NativeModule::load(codeOf("Saxpy"), "my kernel/1");
  unsetenv("PUMICE_CPU_CODE_DIR");
  ASSERT_TRUE(module.isOk()) << module.status().toString();
  size_t files = 0;
  for (const auto &file : fs::directory_iterator(folder)) {
    EXPECT_TRUE(file.path().filename().string().starts_with("my_kernel_1-")) << file.path();
    ++files;
  }
  EXPECT_EQ(files, 1u);
  fs::remove_all(folder);
}
