//===- DescribeTest.cpp - what is said of this machine ----------------------===//
#include "runtime/drivers/cpu/Describe.h"

#include "runtime/drivers/Drivers.h"
#include "runtime/hal/Choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace pumice;
using namespace pumice::cpu_driver;

TEST(CpuDescription, Host) {
  const HostCpu &cpu = hostCpu();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_FALSE(cpu.fingerprint.empty());
  EXPECT_TRUE(cpu.lanes == 4 || cpu.lanes == 8 || cpu.lanes == 16);
#if defined(__x86_64__)
  EXPECT_TRUE(cpu.architecture.starts_with("x86-64-v")) << cpu.architecture;
  EXPECT_EQ(cpu.lanes == 16, cpu.architecture.starts_with("x86-64-v4"));
  EXPECT_TRUE(cpu.architecture.ends_with(systemSuffix)) << cpu.architecture;
#if defined(__GNUC__) && !defined(_WIN32) // zig's library for Windows has no such function
  EXPECT_EQ(__builtin_cpu_supports("avx2") != 0, cpu.lanes >= 8);
  EXPECT_EQ(__builtin_cpu_supports("avx512bw") != 0, cpu.lanes == 16);
#endif
#elif defined(__aarch64__)
  EXPECT_EQ(cpu.architecture, "aarch64");
#endif
}

TEST(CpuDescription, ForVariants) {
  HostCpu cpu{.name = "Some CPU", .vendor = "V", .architecture = "x86-64-v3", .lanes = 8};
  hal::DeviceInfo info = describe(cpu, uint64_t{8} << 30);
  EXPECT_EQ(info.id, "cpu:0");
  EXPECT_EQ(info.kind, hal::DeviceKind::Cpu);
  EXPECT_TRUE(hal::runsArchitecture(info.architecture, "x86-64-v2"));
  EXPECT_TRUE(hal::runsArchitecture(info.architecture, "x86-64-v3"));
  EXPECT_FALSE(hal::runsArchitecture(info.architecture, "x86-64-v4"));
  EXPECT_FALSE(hal::runsArchitecture(info.architecture, "aarch64"));
  EXPECT_EQ(info.limits.subgroupSize, 8u);
  EXPECT_EQ(info.limits.maxBufferBytes, uint64_t{8} << 30);
}

TEST(CpuDescription, MatricesThatFillRegisters) {
  auto shapes = [](uint32_t lanes) {
    std::vector<std::string> list =
        describe({.architecture = "x86-64-v2", .lanes = lanes}, 1u << 30).cooperativeMatrices;
    return std::set<std::string>(list.begin(), list.end());
  };
  std::set<std::string> wide = shapes(16), narrow = shapes(4);
  EXPECT_TRUE(wide.contains("16x16x16 f32 f32 f32 f32 subgroup"));
  EXPECT_TRUE(wide.contains("16x16x16 bf16 bf16 f32 f32 subgroup"));
  EXPECT_TRUE(wide.contains("16x16x16 u8 s8 s32 s32 subgroup saturating"));
  EXPECT_FALSE(wide.contains("8x8x8 f32 f32 f32 f32 subgroup"));
  EXPECT_FALSE(wide.contains("16x16x32 bf16 bf16 f32 f32 subgroup"));
  HostCpu tiles{.architecture = "x86-64-v4", .lanes = 16, .brainTiles = true, .byteTiles = true};
  std::vector<std::string> list = describe(tiles, 1u << 30).cooperativeMatrices;
  EXPECT_EQ(std::ranges::count(list, "16x16x32 bf16 bf16 f32 f32 subgroup"), 1);
  EXPECT_EQ(std::ranges::count(list, "16x16x64 s8 s8 s32 s32 subgroup"), 1);
  EXPECT_TRUE(narrow.contains("4x4x4 f32 f32 f32 f32 subgroup"));
  EXPECT_TRUE(narrow.contains("16x16x16 f16 f16 f32 f32 subgroup"));
}

TEST(CpuDescription, AlwaysThere) {
  hal::Registry registry;
  ASSERT_TRUE(registerDrivers(registry).isOk());
  Result<Ref<hal::Device>> device = registry.open("cpu");
  ASSERT_TRUE(device.isOk()) << device.status().toString();
  EXPECT_EQ((*device)->info().id, "cpu:0");
  EXPECT_EQ(registry.open("cpu:0").value(), *device);
  // The CPU device comes before every Vulkan device that is a CPU. If it can run only native code,
  // it comes after them.
  hal::DeviceInfo compiling = describe(hostCpu(), 1u << 30, true);
  hal::DeviceInfo alone = describe(hostCpu(), 1u << 30, false);
  for (const hal::DeviceInfo &info : registry.devices())
    if (info.driver != "cpu" && info.kind == hal::DeviceKind::Cpu) {
      EXPECT_LT(hal::score(info), hal::score(compiling)) << info.name;
      EXPECT_GT(hal::score(info), hal::score(alone)) << info.name;
    }
}
