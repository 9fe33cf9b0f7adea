//===- NativeCacheTest.cpp - compiled once ----------------------------------===//
#include "runtime/drivers/cpu/NativeCache.h"

#include "runtime/drivers/cpu/TestKernels.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
namespace fs = std::filesystem;

namespace {

/// Each test has its own folder, and a compiler that counts how often it is called.
struct NativeCaches : ::testing::Test {
  // Tests run at the same time, each in its own process.
  NativeCaches()
      : folder(::testing::TempDir() + "pumice-native-cache-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder);
  }
  ~NativeCaches() override { fs::remove_all(folder); }

  NativeCache make(bool onDisk = true, std::string identity = "one") {
    std::optional<DiskCache> disk;
    if (onDisk)
      disk = DiskCache(folder);
    return NativeCache(disk, std::move(identity), [this](const hal::KernelSource &source) {
      ++compiled;
      return Result<std::vector<uint8_t>>(codeOf(source.symbol));
    });
  }
  static hal::KernelSource source(const std::string &symbol, std::span<const uint8_t> code) {
    hal::KernelSource result;
    result.symbol = symbol;
    result.code = code;
    return result;
  }

  std::string folder;
  std::atomic<int> compiled = 0;
  const std::vector<uint8_t> spirv{1, 2, 3, 4, 5, 6, 7, 8}, other{1, 2, 3, 4, 5, 6, 7, 9};
};

} // namespace

TEST_F(NativeCaches, InMemory) {
  NativeCache cache = make(false);
  Ref<NativeModule> first = cache.get(source("Saxpy", spirv)).value();
  EXPECT_EQ(cache.get(source("Saxpy", spirv)).value(), first);
  EXPECT_EQ(compiled, 1);
}

TEST_F(NativeCaches, EveryPartOfTheKeyCounts) {
  NativeCache cache = make(false);
  auto get = [&](const hal::KernelSource &wanted) { ASSERT_TRUE(cache.get(wanted).isOk()); };
  hal::KernelSource one = source("Saxpy", spirv);
  get(one);
  get(source("Empty", spirv));
  get(source("Saxpy", other));
  one.constants = {{1, 4, 7}};
  get(one);
  one.constants = {{1, 8, 7}};
  get(one);
  one.constants = {{1, 4, 8}};
  get(one);
  one.constants = {};
  one.workgroupSize = {8, 1, 1};
  get(one);
  one.workgroupSize = {1, 8, 1};
  get(one);
  one.requiredSubgroupSize = 8;
  get(one);
  one.robustAccess = true;
  get(one);
  EXPECT_EQ(compiled, 10);
  one.dynamicMemoryBytes = 8; // the kernel reserves it after its own memory
  one.label = "a name changes nothing";
  get(one);
  EXPECT_EQ(compiled, 10);
}

TEST_F(NativeCaches, OnDisk) {
  ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
  EXPECT_EQ(compiled, 1);
  auto begin = std::chrono::steady_clock::now();
  Result<Ref<NativeModule>> again = make().get(source("Saxpy", spirv));
  auto spent = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(again.isOk());
  EXPECT_EQ((*again)->info().subgroupSize, 8u);
  EXPECT_EQ(compiled, 1);
  RecordProperty("microseconds", std::to_string(spent / std::chrono::microseconds(1)));
  ASSERT_TRUE(make(true, "two").get(source("Saxpy", spirv)).isOk());
  EXPECT_EQ(compiled, 2) << "another compiler, or another processor";
}

TEST_F(NativeCaches, DamagedFilesAreReplaced) {
  ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
  std::vector<fs::path> files;
  for (const auto &file : fs::recursive_directory_iterator(folder))
    if (file.is_regular_file())
      files.push_back(file.path());
  ASSERT_EQ(files.size(), 1u);
  auto size = fs::file_size(files[0]);
  int expected = 1;
  for (uintmax_t kept : {uintmax_t{0}, uintmax_t{10}, size / 2, size - 1}) {
    fs::resize_file(files[0], kept);
    ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
    EXPECT_EQ(compiled, ++expected) << kept;
    ASSERT_EQ(fs::file_size(files[0]), size);
  }
  for (uintmax_t at = 0; at < size; at += size / 7) {
    std::fstream file(files[0], std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    char byte = static_cast<char>(file.get() ^ 0x20);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.close();
    ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
    EXPECT_EQ(compiled, ++expected) << at;
  }
}

TEST_F(NativeCaches, AWholeFileOfAnotherKey) {
  // Simulates two keys that map to one file name: the checksum is right, but the file holds the
  // other key.
  ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
  DiskCache disk(folder);
  std::string name = disk.list().at(0).name;
  std::vector<uint8_t> bytes = disk.read("native", name).value();
  bytes[20] ^= 1; // in the key
  ASSERT_TRUE(disk.write("native", name, bytes).isOk());
  ASSERT_TRUE(make().get(source("Saxpy", spirv)).isOk());
  EXPECT_EQ(compiled, 2);
}

TEST_F(NativeCaches, ErrorsAreNotKept) {
  int calls = 0;
  NativeCache cache(std::nullopt, "x", [&](const hal::KernelSource &) {
    ++calls;
    return Result<std::vector<uint8_t>>(Status(StatusCode::Unsupported, "no"));
  });
  EXPECT_EQ(cache.get(source("Saxpy", spirv)).status().message(), "no");
  EXPECT_EQ(cache.get(source("Saxpy", spirv)).status().message(), "no");
  EXPECT_EQ(calls, 2);
}

TEST_F(NativeCaches, ManyThreads) {
  NativeCache cache = make();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j)
        EXPECT_TRUE(cache.get(source(j % 2 ? "Saxpy" : "Empty", spirv)).isOk());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(compiled, 16);
}
