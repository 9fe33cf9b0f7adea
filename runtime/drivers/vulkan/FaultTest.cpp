//===- FaultTest.cpp - every call may fail; nothing leaks, nothing hangs ----===//
// Runs a program repeatedly. In each run, a different Vulkan call fails. AddressSanitizer detects
// leaks. CallSitesTest.cpp covers every call in the sources.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/FaultProgram.h"

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>

namespace pumice::vulkan {
namespace {

/// The call that fails, its result, and the calls that were made. The object is global, because the
/// hook is a plain function.
struct Faults {
  std::mutex mutex;
  std::map<std::string, int> seen; // the number of calls of each function
  int countdown = -1;              // calls until one fails; below 0: none fails
  VkResult result = VK_SUCCESS;
  std::string failed; // the function whose call failed
};
Faults faults;

VkResult hook(const CallSite &site) {
  std::lock_guard lock(faults.mutex);
  std::string name(site.function);
  ++faults.seen[name.substr(name.rfind(':') + 1)];
  if (faults.countdown < 0 || faults.countdown-- != 0)
    return VK_SUCCESS;
  faults.failed = name;
  return faults.result;
}

class FaultTest : public test::FaultProgram {};
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
    faultHook = hook;
    Status status = program();
    if (faults.failed.empty())
      break; // this run made fewer calls, since the number of polls varies
    // Failures about the cache or about freeing need not be reported. Every other failure must be
    // reported, with the name of the call.
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

VkResult noWait(const CallSite &site) {
  std::string_view name(site.function);
  bool waits = name == "vkWaitSemaphores" || name == "vkWaitForFences" ||
               name == "vkGetSemaphoreCounterValue" || name == "vkGetFenceStatus";
  return waits ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

/// If a wait fails, its caller may free the target of a download before destroying the queue.
TEST_P(FaultTest, WaitsThatGoOnFailing) {
  Result<Ref<VulkanDevice>> opened =
      openPlanned(found.instance, found.facts, found.plan, found.info, options);
  ASSERT_TRUE(opened.isOk()) << opened.status().toString();
  device = *opened;
  queue = newQueue();
  Ref<hal::Buffer> buffer = newBuffer(4000);
  test::Words out(1000);
  faultHook = noWait; // set before the fill, which might be done at once
  EXPECT_OK(queue->fill({buffer.get()}, 7));
  EXPECT_OK(get(*queue, out, *buffer));
  Status status = queue->finish();
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.toString();
  queue = nullptr;
  faultHook = nullptr;
  EXPECT_EQ(out, test::Words(1000, 0));
  EXPECT_OK(recovers(*device));
}

/// The number of next calls of vkAllocateMemory that fail.
std::atomic<int> fullFor = 0;
VkResult fullMemory(const CallSite &site) {
  if (std::string_view(site.function) != "vkAllocateMemory" || fullFor.load() == 0)
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
  EXPECT_EQ(device->memory.counts().blocks, 1u); // the empty block was freed
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
  // The file's checksum is right, so only the driver's own header reveals the damage.
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
  ASSERT_TRUE(options.cache->read("vulkan", entries[0].name)); // the file was written again
}

} // namespace
} // namespace pumice::vulkan
