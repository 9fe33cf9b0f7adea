//===- FaultTest.cpp - every call may fail; nothing leaks, nothing hangs ----===//
// A program runs again and again; each time another of its Vulkan calls fails. AddressSanitizer
// sees what is left behind.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/DriverTest.h"

#include "runtime/hal/kernels/Chain.comp.h"
#include "runtime/hal/kernels/TwoSets.comp.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

namespace pumice::vulkan {
namespace {

using Words = std::vector<uint32_t>;

/// Which call fails, with what, and which calls were seen; the hook is a plain function.
struct Faults {
  std::mutex mutex;
  std::map<std::string, int> seen; // calls by function
  int countdown = -1;              // calls until one fails; below 0: none does
  VkResult result = VK_SUCCESS;
  std::string failed; // the function that did
};
Faults faults;

VkResult hook(const char *function) {
  std::lock_guard lock(faults.mutex);
  std::string name(function);
  ++faults.seen[name.substr(name.rfind(':') + 1)];
  if (faults.countdown < 0 || faults.countdown-- != 0)
    return VK_SUCCESS;
  faults.failed = name;
  return faults.result;
}

class FaultTest : public test::DriverTest {
protected:
  void SetUp() override {
    test::DriverTest::SetUp();
    if (IsSkipped())
      return;
    folder = (std::filesystem::temp_directory_path() / "pumice-faults-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    queue = nullptr;
    device = nullptr;
    found = *test::findTestDevice();
    if (!GetParam().asThereIs)
      found.plan.timelineSemaphores = found.plan.pushDescriptors = false;
    options.cache = DiskCache(folder);
  }
  void TearDown() override {
    faultHook = nullptr;
    if (!folder.empty())
      std::filesystem::remove_all(folder);
  }

  /// Touches every part of the driver. The answer: the first failure.
  Status program() {
    PUMICE_TRY(Ref<VulkanDevice> device,
               openPlanned(found.instance, found.facts, found.plan, found.info, options));
    Status status = work(*device);
    if (!status.isOk() && device->health().isOk())
      EXPECT_OK(recovers(*device));
    return status;
  }

  /// After a failure that did not lose the device, it works.
  Status recovers(hal::Device &device) {
    {
      std::lock_guard lock(faults.mutex);
      faults.countdown = -1;
    }
    Words out(100);
    PUMICE_TRY(Ref<hal::Queue> queue, device.createQueue());
    PUMICE_TRY(Ref<hal::Buffer> buffer, device.allocate(400));
    PUMICE_RETURN_IF_ERROR(queue->fill({buffer.get()}, 77));
    PUMICE_RETURN_IF_ERROR(get(*queue, out, *buffer));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    EXPECT_EQ(out, Words(100, 77));
    return Status::ok();
  }

  Status work(hal::Device &device) {
    // Until a wait succeeds, or the queue is gone, downloads may land: `out` outlives both queues.
    Words out(1000);
    std::unique_ptr<void, void (*)(void *)> memory(std::aligned_alloc(65536, 65536), std::free);
    PUMICE_TRY(Ref<hal::Queue> queue, device.createQueue());
    PUMICE_TRY(Ref<hal::Queue> other, device.createQueue({.profiling = true}));
    PUMICE_TRY(Ref<hal::Timeline> timeline, device.createTimeline());
    PUMICE_TRY(Ref<hal::Buffer> a, device.allocate(4000));
    PUMICE_TRY(Ref<hal::Buffer> b, device.allocate(40u << 20)); // memory of its own
    PUMICE_TRY(Ref<hal::Buffer> scale, device.allocate(16));
    if (found.plan.hostImport)
      PUMICE_RETURN_IF_ERROR(device.importHost(memory.get(), 65536).status());
    PUMICE_TRY(Ref<hal::Kernel> chain,
               device.createKernel(test::kernelSource(chainSpirv, "chain", 8, {{0, 0}, {0, 1}})));
    PUMICE_TRY(Ref<hal::Kernel> sets,
               device.createKernel(
                   test::kernelSource(twoSetsSpirv, "two sets", 0, {{2, 0, false}, {0, 1, true}})));
    struct {
      uint32_t count = 1000, step = 2;
    } parameters;
    for (int round = 0; round < 2; ++round) {
      PUMICE_RETURN_IF_ERROR(put(*queue, *a, Words(1000, 5)));
      PUMICE_RETURN_IF_ERROR(launch(*queue, *chain, {16, 1, 1}, parameters, {a.get(), b.get()}, 1));
      PUMICE_RETURN_IF_ERROR(queue->signal({timeline.get(), 2u * round + 1}));
      PUMICE_RETURN_IF_ERROR(other->wait({timeline.get(), 2u * round + 1}));
      PUMICE_RETURN_IF_ERROR(queue->fill({a.get()}, 3));
      PUMICE_RETURN_IF_ERROR(launch(*other, *sets, {1, 1, 1}, parameters, {b.get(), scale.get()}));
      PUMICE_RETURN_IF_ERROR(other->signal({timeline.get(), 2u * round + 2}));
      PUMICE_RETURN_IF_ERROR(timeline->wait(2 * round + 2, std::chrono::seconds(20)));
      PUMICE_RETURN_IF_ERROR(get(*queue, out, *a));
      PUMICE_RETURN_IF_ERROR(queue->finish());
      PUMICE_RETURN_IF_ERROR(other->finish());
    }
    EXPECT_EQ(out, Words(1000, 3));
    return other->takeProfile().status();
  }

  test::Found found;
  std::string folder;
};
PUMICE_DRIVER_TESTS(FaultTest);

/// Runs the program with each of its calls failing in turn.
void runWithFaults(VkResult result, const std::function<Status()> &program) {
  faults.result = result;
  faults.countdown = -1;
  faults.seen.clear();
  faultHook = hook;
  Status clean = program();
  EXPECT_TRUE(clean.isOk()) << clean.toString();
  int calls = 0;
  for (const auto &[function, count] : faults.seen)
    calls += count;
  ASSERT_GT(calls, 30);
  for (int call = 0; call < calls + 5; ++call) {
    faults.countdown = call;
    faults.failed.clear();
    Status status = program();
    if (faults.failed.empty())
      break; // fewer calls this time: timing decides how often is looked
    // Some calls are about the cache, or about freeing; the program can do without. All else is
    // told, by the name of the call.
    if (!status.isOk())
      EXPECT_NE(status.message().find(faults.failed), std::string::npos)
          << faults.failed << " failed, told was: " << status.toString();
  }
  faultHook = nullptr;
}

TEST_P(FaultTest, OutOfHostMemory) {
  runWithFaults(VK_ERROR_OUT_OF_HOST_MEMORY, [&] { return program(); });
}
TEST_P(FaultTest, OutOfDeviceMemory) {
  runWithFaults(VK_ERROR_OUT_OF_DEVICE_MEMORY, [&] { return program(); });
}
TEST_P(FaultTest, DeviceLost) {
  runWithFaults(VK_ERROR_DEVICE_LOST, [&] {
    Status status = program();
    if (!status.isOk() && !faults.failed.empty())
      EXPECT_EQ(status.code(), StatusCode::DeviceLost) << status.toString();
    return status;
  });
}

/// Every call that this folder makes through PUMICE_VK fails in some test: here, or in the tests
/// of instances and physical devices.
TEST_P(FaultTest, EveryCallIsMadeToFail) {
  faults.seen.clear();
  faults.countdown = -1;
  faultHook = hook;
  EXPECT_OK(program());
  EXPECT_OK(program()); // finds the cache of the first
  faultHook = nullptr;
  std::vector<const char *> calls = {"vkCreateBuffer",
                                     "vkBindBufferMemory",
                                     "vkAllocateMemory",
                                     "vkMapMemory",
                                     "vkCreateCommandPool",
                                     "vkAllocateCommandBuffers",
                                     "vkBeginCommandBuffer",
                                     "vkEndCommandBuffer",
                                     "vkResetCommandPool",
                                     "vkCreateQueryPool",
                                     "vkGetQueryPoolResults",
                                     "vkCreateDescriptorSetLayout",
                                     "vkCreatePipelineLayout",
                                     "vkCreateShaderModule",
                                     "vkCreateComputePipelines",
                                     "vkCreatePipelineCache",
                                     "vkGetPipelineCacheData",
                                     "vkMergePipelineCaches",
                                     "vkQueueSubmit",
                                     "vkCreateDescriptorPool",
                                     "vkAllocateDescriptorSets",
                                     "vkResetDescriptorPool"};
  if (found.plan.hostImport)
    calls.push_back("vkGetMemoryHostPointerPropertiesEXT");
  if (found.plan.timelineSemaphores)
    calls.insert(calls.end(), {"vkCreateSemaphore", "vkGetSemaphoreCounterValue"});
  else
    calls.insert(calls.end(), {"vkCreateFence", "vkResetFences", "vkGetFenceStatus"});
  for (const char *call : calls)
    EXPECT_TRUE(faults.seen.contains(call)) << call << " is not called by the program";
}

/// How many of the next calls of vkAllocateMemory fail.
std::atomic<int> fullFor = 0;
VkResult fullMemory(const char *function) {
  if (std::string_view(function) != "vkAllocateMemory" || fullFor.load() == 0)
    return VK_SUCCESS;
  --fullFor;
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

TEST_P(FaultTest, FullMemoryTakesBackWhatIsUnused) {
  Result<Ref<VulkanDevice>> opened =
      openPlanned(found.instance, found.facts, found.plan, found.info, options);
  ASSERT_TRUE(opened.isOk()) << opened.status().toString();
  device = *opened;
  (void)newBuffer(1000); // leaves an empty block
  EXPECT_EQ(device->memory.counts().blocks, 1u);
  faultHook = fullMemory;
  fullFor = 1;
  Ref<hal::Buffer> large = newBuffer(20u << 20);
  EXPECT_EQ(fullFor.load(), 0);
  EXPECT_EQ(device->memory.counts().blocks, 1u); // the large one alone
  fullFor = 1000;
  Result<Ref<hal::Buffer>> refused = device->allocate(30u << 20);
  faultHook = nullptr;
  ASSERT_FALSE(refused.isOk());
  EXPECT_EQ(refused.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(refused.status().message().find("31457280 bytes"), std::string::npos)
      << refused.status().message();
  EXPECT_TRUE(device->allocate(30u << 20).isOk());
}

TEST_P(FaultTest, ACorruptPipelineCacheIsNotUsed) {
  EXPECT_OK(program());
  std::vector<DiskCache::Entry> entries = options.cache->list();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, "vulkan");
  // Sealed by us, so that only the driver's own header can tell.
  std::vector<uint8_t> bytes = *options.cache->read("vulkan", entries[0].name);
  for (size_t at : {size_t(0), size_t(4), size_t(8), size_t(12), size_t(20)}) {
    std::vector<uint8_t> damaged = bytes;
    damaged[at] ^= 0xff;
    ASSERT_TRUE(options.cache->write("vulkan", entries[0].name, damaged).isOk());
    EXPECT_OK(program());
  }
  std::filesystem::path file =
      std::filesystem::path(folder) / "vulkan" / (entries[0].name + ".cache");
  std::ofstream(file, std::ios::binary | std::ios::trunc) << "not a cache";
  EXPECT_OK(program());
  ASSERT_TRUE(options.cache->read("vulkan", entries[0].name)); // written anew
}

} // namespace
} // namespace pumice::vulkan
