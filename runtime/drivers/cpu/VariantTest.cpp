//===- VariantTest.cpp - executables that bring native code -----------------===//
#include "runtime/drivers/cpu/TestKernels.h"

#include "runtime/hal/Executable.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
using namespace pumice::executable;

namespace {

/// Returns an executable with one entry point that prints each workgroup's number, as native code
/// for `architecture`.
std::shared_ptr<const Executable> printer(const std::string &architecture,
                                          std::vector<uint8_t> code = codeOf("Print")) {
  Executable contents{.producer = "test"};
  EntryPoint entry{.name = "print", .workgroupSize = {1, 1, 1}};
  entry.printfs.push_back({0, "group %u\n", {ElementType::i32}});
  contents.entryPoints.push_back(entry);
  Variant variant{.kind = VariantKind::Native, .target = "cpu", .code = std::move(code)};
  variant.requirements.architecture = architecture;
  variant.interfaces.push_back(
      {.entryPoint = "print", .symbol = "print", .bindings = {{0, 0, BindingSource::Printf, 0}}});
  contents.variants.push_back(variant);
  return std::make_shared<Executable>(std::move(contents));
}

} // namespace

TEST(CpuVariants, NativeCodeOfTheFile) {
  Ref<CpuDevice> device = makeDevice();
  auto file = hal::Executable::load(Ref<hal::Device>(device), printer(hostCpu().architecture));
  ASSERT_TRUE(file.isOk()) << file.status().toString();
  auto function = (*file)->function("print");
  ASSERT_TRUE(function.isOk()) << function.status().toString();
  Ref<hal::Queue> queue = device->createQueue().value();
  std::string text;
  hal::PrintSink sink = [&](std::string_view printed) { text += printed; };
  constexpr uint32_t groups = 500;
  ASSERT_TRUE((*function)->launch(*queue, {.groups = {groups, 1, 1}, .print = &sink}, {}).isOk());
  ASSERT_TRUE(queue->finish().isOk());
  EXPECT_EQ(std::ranges::count(text, '\n'), groups);
  for (uint32_t group : {0u, 1u, groups / 2, groups - 1})
    EXPECT_NE(("\n" + text).find("\ngroup " + std::to_string(group) + "\n"), std::string::npos)
        << group;
}

TEST(CpuVariants, NativeCodeOfOtherMachines) {
  Ref<CpuDevice> device = makeDevice();
  for (const char *other : {"x86-64-v9", "riscv64", "aarch64-v9"}) {
    Status status = hal::Executable::load(Ref<hal::Device>(device), printer(other)).status();
    EXPECT_EQ(status.code(), StatusCode::Unsupported);
    EXPECT_NE(status.message().find(other), std::string::npos) << status.message();
  }
}

/// The file claims that its code is for this machine. The code is for another machine, or is
/// incomplete.
TEST(CpuVariants, CodeMustMatchTheFile) {
  Ref<CpuDevice> device = makeDevice();
  auto made = [&](std::vector<uint8_t> code) {
    auto file = hal::Executable::load(Ref<hal::Device>(device),
                                      printer(hostCpu().architecture, std::move(code)));
    return file.isOk() ? (*file)->function("print").status() : file.status();
  };
  std::vector<uint8_t> whole = codeOf("Print");
  ASSERT_TRUE(made(whole).isOk());
  std::vector<uint8_t> other = whole;
  constexpr size_t machineAt = 18; // e_machine
  other[machineAt] = hostCpu().architecture == "aarch64" ? 62 : 183;
  Status status = made(other);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("the native code is for "), std::string::npos)
      << status.message();
  for (size_t bytes : {1u, 63u, 200u}) {
    std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes));
    EXPECT_EQ(made(cut).code(), StatusCode::DataCorrupt) << bytes;
  }
}
