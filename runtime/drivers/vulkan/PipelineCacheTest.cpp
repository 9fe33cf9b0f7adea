//===- PipelineCacheTest.cpp - when the pipeline cache is written to disk ---===//
// The test simulates the driver. A pipeline is represented by its layout's number, and a cache by
// the set of pipelines that were compiled with it.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/PipelineCache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

namespace fs = std::filesystem;
using Numbers = std::set<uint64_t>;

int merges = 0; // counts saves, since each save merges once
std::set<VkPipelineCache> compiledInto;

Numbers &numbersOf(VkPipelineCache cache) { return *reinterpret_cast<Numbers *>(cache); }

constexpr VkPipelineCacheHeaderVersionOne header{
    sizeof header, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, 7, 8, {9}};

VKAPI_ATTR VkResult VKAPI_CALL createCache(VkDevice, const VkPipelineCacheCreateInfo *info,
                                           const VkAllocationCallbacks *, VkPipelineCache *made) {
  auto *numbers = new Numbers();
  const auto *bytes = static_cast<const uint8_t *>(info->pInitialData);
  for (size_t at = sizeof header; at + 8 <= info->initialDataSize; at += 8) {
    uint64_t number;
    std::memcpy(&number, bytes + at, 8);
    numbers->insert(number);
  }
  *made = reinterpret_cast<VkPipelineCache>(numbers);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroyCache(VkDevice, VkPipelineCache cache,
                                        const VkAllocationCallbacks *) {
  compiledInto.erase(cache);
  if (cache)
    delete &numbersOf(cache);
}

VKAPI_ATTR VkResult VKAPI_CALL cacheData(VkDevice, VkPipelineCache cache, size_t *size, void *out) {
  const Numbers &numbers = numbersOf(cache);
  size_t whole = sizeof header + 8 * numbers.size();
  if (out) {
    if (*size < whole)
      return VK_INCOMPLETE;
    std::memcpy(out, &header, sizeof header);
    auto *to = static_cast<uint8_t *>(out) + sizeof header;
    for (uint64_t number : numbers) {
      std::memcpy(to, &number, 8);
      to += 8;
    }
  }
  *size = whole;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL mergeCaches(VkDevice, VkPipelineCache to, uint32_t,
                                           const VkPipelineCache *from) {
  ++merges;
  EXPECT_FALSE(compiledInto.contains(to)) << "threads may be compiling into it";
  numbersOf(to).insert(numbersOf(*from).begin(), numbersOf(*from).end());
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createPipelines(VkDevice, VkPipelineCache cache, uint32_t,
                                               const VkComputePipelineCreateInfo *info,
                                               const VkAllocationCallbacks *, VkPipeline *made) {
  compiledInto.insert(cache);
  numbersOf(cache).insert(reinterpret_cast<uint64_t>(info->layout));
  *made = VK_NULL_HANDLE;
  return VK_SUCCESS;
}

class PipelineCacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "pumice-pipelines-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    VolkDeviceTable vk{};
    vk.vkCreatePipelineCache = createCache;
    vk.vkDestroyPipelineCache = destroyCache;
    vk.vkGetPipelineCacheData = cacheData;
    vk.vkMergePipelineCaches = mergeCaches;
    vk.vkCreateComputePipelines = createPipelines;
    functions.set(vk);
    facts.properties.vendorID = header.vendorID;
    facts.properties.deviceID = header.deviceID;
    std::memcpy(facts.properties.pipelineCacheUUID, header.pipelineCacheUUID, VK_UUID_SIZE);
    merges = 0;
  }
  void TearDown() override {
    processes.clear();
    fs::remove_all(folder);
  }

  /// Simulates a process that makes these pipelines and keeps running. It destroys nothing before
  /// the test ends.
  void process(uint64_t first, uint64_t last) {
    DiskCache disk(folder);
    processes.push_back(std::make_unique<PipelineCache>(functions, VK_NULL_HANDLE, facts, &disk));
    for (uint64_t number = first; number <= last; ++number) {
      VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      info.layout = reinterpret_cast<VkPipelineLayout>(number);
      VkPipeline pipeline;
      EXPECT_EQ(processes.back()->create(info, pipeline), VK_SUCCESS);
    }
  }

  /// Returns the pipelines in the file on disk.
  Numbers kept() {
    Numbers numbers;
    for (const DiskCache::Entry &entry : DiskCache(folder).list()) {
      std::vector<uint8_t> data = DiskCache(folder).read(entry.kind, entry.name).value();
      for (size_t at = sizeof header; at + 8 <= data.size(); at += 8) {
        uint64_t number;
        std::memcpy(&number, data.data() + at, 8);
        numbers.insert(number);
      }
    }
    return numbers;
  }

  fs::path folder;
  FunctionTable functions;
  DeviceFacts facts;
  std::vector<std::unique_ptr<PipelineCache>> processes;
};

} // namespace

// Devices stay open until the process ends, and then no destructor runs.
TEST_F(PipelineCacheTest, OnePipelineIsKeptWithoutClosingTheDevice) {
  process(1, 1);
  EXPECT_EQ(kept(), Numbers{1});
}

TEST_F(PipelineCacheTest, LaterProcessesSaveTheRest) {
  process(1, 7);
  EXPECT_EQ(kept(), (Numbers{1, 2, 3, 4}));
  process(1, 7);
  EXPECT_EQ(kept(), (Numbers{1, 2, 3, 4, 5, 6}));
  process(1, 7);
  EXPECT_EQ(kept(), (Numbers{1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(PipelineCacheTest, ManyPipelinesAreSavedInGroups) {
  process(1, 100);
  EXPECT_EQ(kept().size(), 96u);
  EXPECT_EQ(merges, 4 + 6) << "1, 2, 4, 8 and every 16";
}

TEST_F(PipelineCacheTest, SavedPipelinesAreNotWrittenAgain) {
  process(1, 4);
  merges = 0;
  process(1, 4);
  processes.clear(); // closing the devices finds nothing new to save
  EXPECT_EQ(merges, 0);
}

TEST_F(PipelineCacheTest, ProcessesAddToTheSameFile) {
  process(1, 1);
  process(2, 2);
  EXPECT_EQ(kept(), (Numbers{1, 2}));
  processes.clear();
  EXPECT_EQ(kept(), (Numbers{1, 2}));
}

// Vulkan forbids other uses of the cache that others are merged into. So the simulated merge
// compiles a pipeline, which must neither wait for the merge nor be lost: a later save contains it.
TEST_F(PipelineCacheTest, ThreadsMayCompileWhileItIsSaved) {
  process(1, 1);
  process(2, 3);
  EXPECT_EQ(merges, 3);
  EXPECT_EQ(kept(), (Numbers{1, 2, 3}));
}

TEST_F(PipelineCacheTest, ClosingKeepsTheRest) {
  process(1, 7);
  processes.clear();
  EXPECT_EQ(kept().size(), 7u);
}
