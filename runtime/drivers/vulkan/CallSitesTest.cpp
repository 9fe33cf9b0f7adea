//===- CallSitesTest.cpp - every call in the sources is made to fail --------===//
// Reads the list of Vulkan calls from the sources, and makes each call return every error that the
// driver distinguishes. Pumice's error must name the call. Afterwards other devices must still
// work, and so must the same device unless it was lost.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/CallSites.h"
#include "runtime/drivers/vulkan/DeviceFunctions.h"
#include "runtime/drivers/vulkan/FaultProgram.h"
#include "runtime/drivers/vulkan/Patience.h"
#include "runtime/drivers/vulkan/Timeline.h"
#ifdef PUMICE_MOCK_FOLDER
#include "runtime/drivers/vulkan/MockDriver.h"
#endif

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ranges>
#include <set>

#include <unistd.h>

namespace pumice::vulkan {
namespace {

using test::SourceCall, test::SourceCalls;

bool isAt(const SourceCall &call, const CallSite &site) {
  return std::filesystem::path(site.file).filename() == call.file && site.line >= call.firstLine &&
         site.line <= call.lastLine;
}

/// The failure that the hook simulates, and the calls that it saw.
struct Play {
  std::mutex mutex;
  std::vector<SourceCall> calls; // the calls in the sources
  std::set<size_t> seen;         // the calls that were made, as indices into `calls`
  std::set<std::string> unknown; // calls that were made but are not in `calls`
  std::optional<size_t> failing; // the call that fails
  VkResult result = VK_SUCCESS;  // the result of the failing call
  bool always = false;           // whether it fails each time, or only once
  int sparing = 0;               // the number of calls that succeed first
  bool failed = false;           // whether the call has failed
  // The call that always returns VK_ERROR_EXTENSION_NOT_PRESENT.
  std::optional<size_t> lacksExtension;
};
Play play;

VkResult hook(const CallSite &site) {
  std::lock_guard lock(play.mutex);
  auto call = std::ranges::find_if(play.calls, [&](const auto &one) { return isAt(one, site); });
  if (call == play.calls.end()) {
    play.unknown.insert(std::string(site.file) + ":" + std::to_string(site.line));
    return VK_SUCCESS;
  }
  auto index = static_cast<size_t>(call - play.calls.begin());
  play.seen.insert(index);
  if (play.failing == index && (!play.failed || play.always) && play.sparing-- <= 0) {
    play.failed = true;
    return play.result;
  }
  if (play.lacksExtension == index)
    return VK_ERROR_EXTENSION_NOT_PRESENT;
  return VK_SUCCESS;
}

/// Returns those errors of `function` that the driver distinguishes.
std::vector<VkResult> errorsOf(const std::string &function) {
  std::vector<VkResult> errors{VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                               VK_ERROR_DEVICE_LOST};
  if (function.starts_with("vkWait"))
    errors.push_back(VK_TIMEOUT);
  if (function.starts_with("vkEnumerate") || function == "vkGetPipelineCacheData")
    errors.push_back(VK_INCOMPLETE);
  return errors;
}

/// Returns whether the program may succeed although the call failed. This holds for calls about
/// caches or freeing, calls that are repeated later, and the query for the reason of a loss. It
/// holds for a wait whose time limit is shorter than the caller's. It also holds for the first
/// failure of a call that is retried with a smaller request.
bool mayGoOn(const std::string &function) {
  static const std::set<std::string> dispensable{
      "vkCreatePipelineCache",  "vkGetPipelineCacheData",     "vkMergePipelineCaches",
      "vkDeviceWaitIdle",       "vkResetCommandPool",         "vkResetDescriptorPool",
      "vkResetFences",          "vkGetSemaphoreCounterValue", "vkGetFenceStatus",
      "vkGetDeviceFaultInfoEXT"};
  bool triedAgain = function == "vkAllocateMemory" || function == "vkMapMemory";
  return dispensable.contains(function) || play.result == VK_INCOMPLETE ||
         play.result == VK_TIMEOUT ||
         (triedAgain && !play.always && play.result != VK_ERROR_DEVICE_LOST);
}

void expectTold(const Status &status, const std::string &function) {
  VkResult result = play.result;
  std::string told = (play.always ? "always " : "once ") + function + " answered " +
                     describe(result) + ", told is: " + status.toString();
  if (status.isOk()) {
    EXPECT_TRUE(mayGoOn(function)) << told;
    return;
  }
  StatusCode code = toStatus(result, function).code();
  EXPECT_EQ(status.code(), code) << told;
  if (result != VK_TIMEOUT) // the message about a time-out does not name the call
    EXPECT_NE(status.message().find(function), std::string::npos) << told;
}

[[maybe_unused]] Status openDevices() {
  PUMICE_TRY(Ref<Instance> instance, Instance::create({}));
  PUMICE_TRY(std::vector<VkPhysicalDevice> devices, instance->physicalDevices());
  for (VkPhysicalDevice physical : devices) {
    PUMICE_TRY(DeviceFacts facts, readFacts(*instance, physical));
    PUMICE_TRY(DevicePlan plan, planDevice(facts));
    PUMICE_RETURN_IF_ERROR(LogicalDevice::create(instance, facts, plan).status());
  }
  return Status::ok();
}

#ifdef PUMICE_MOCK_FOLDER
/// Fills memory on the first device, and waits for it.
Status fill(bool timelineSemaphores, const DeviceOptions &options) {
  PUMICE_TRY(test::Found found, test::findTestDevice());
  found.plan.timelineSemaphores = timelineSemaphores;
  PUMICE_TRY(Ref<VulkanDevice> device,
             openPlanned(found.instance, found.facts, found.plan, found.info, options));
  PUMICE_TRY(Ref<hal::Queue> queue, device->createQueue());
  PUMICE_TRY(Ref<hal::Buffer> buffer, device->allocate(400));
  PUMICE_RETURN_IF_ERROR(queue->fill({buffer.get()}, 7));
  return queue->finish();
}

/// Runs a fill that loses the device. Returns ok if the result reports the loss and names the call
/// that failed. Otherwise returns the result.
Status loseDevice(bool timelineSemaphores) {
  DeviceOptions options;
  options.lossCheck = std::chrono::milliseconds(1);
  Status told = fill(timelineSemaphores, options);
  EXPECT_FALSE(told.isOk());
  bool asPlayed = told.code() == StatusCode::DeviceLost &&
                  told.message().find("vkQueueSubmit") != std::string::npos;
  return asPlayed ? Status::ok() : told;
}

/// Runs a fill, and waits for it by sleeping, without polling.
Status sleepUntilDone(bool timelineSemaphores) {
  DeviceOptions options;
  options.pollBeforeSleep = options.napBeforeSleep = {};
  return fill(timelineSemaphores, options);
}

/// Runs a fill, and checks for a loss of the device at once, instead of only after some time.
Status askWhetherLost() {
  DeviceOptions options;
  options.lossCheck = {};
  return fill(true, options);
}
#endif

class CallSitesTest : public test::FaultProgram {
protected:
  void SetUp() override {
    test::FaultProgram::SetUp();
    if (IsSkipped())
      return;
    play.calls = test::driverCalls().calls;
    play.seen.clear();
    play.unknown.clear();
    Result<Ref<VulkanDevice>> opened =
        openPlanned(found.instance, found.facts, found.plan, found.info, {});
    ASSERT_TRUE(opened.isOk()) << opened.status().toString();
    bystander = *opened;
  }

  Status runClean(const std::function<Status()> &program) {
    play.failing.reset();
    faultHook = hook;
    Status status = program();
    faultHook = nullptr;
    return status;
  }

  /// Runs a program with one failing call. Returns nothing if the program never made the call,
  /// because timing decides whether a wait sleeps.
  std::optional<Status> runWith(const std::function<Status()> &program, size_t failing) {
    // VK_INCOMPLETE is possible only after a call that queried the length of the list, so that call
    // succeeds.
    int sparing =
        play.result == VK_INCOMPLETE && play.calls[failing].function.starts_with("vkEnumerate");
    play.failing = failing;
    play.failed = false;
    for (int attempt = 0; attempt < 5 && !play.failed; ++attempt) {
      play.sparing = sparing;
      faultHook = hook;
      Status status = program();
      faultHook = nullptr;
      if (play.failed)
        return status;
    }
    return std::nullopt;
  }

  /// Makes each call of the program fail in turn, unless it has failed in an earlier program. The
  /// program runs twice for each error of the call. In the first run the call fails only once, and
  /// in the second run it always fails.
  void failEach(const char *name, const std::function<Status()> &program) {
    SCOPED_TRACE(name);
    play.seen.clear();
    EXPECT_OK(runClean(program));
    for (size_t index : std::set(play.seen))
      if (!done.contains(index))
        failOne(index, program);
  }

  void failOne(size_t index, const std::function<Status()> &program) {
    const SourceCall &call = play.calls[index];
    SCOPED_TRACE(call.text());
    for (VkResult result : errorsOf(call.function))
      for (bool always : {false, true}) {
        if (always && result == VK_INCOMPLETE)
          continue; // a list that never stops growing
        play.result = result;
        play.always = always;
        if (std::optional<Status> status = runWith(program, index)) {
          done.insert(index);
          expectTold(*status, call.function);
          EXPECT_OK(recovers(*bystander));
        }
      }
    EXPECT_OK(runClean(program)); // the process still works
  }

  Status coldProgram() {
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      std::filesystem::remove_all(entry.path());
    return program();
  }

  std::set<size_t> done;
  Ref<VulkanDevice> bystander;
};
INSTANTIATE_TEST_SUITE_P(All, CallSitesTest, testing::Values(test::Mode{"Modes", true}),
                         [](const auto &info) { return info.param.name; });

/// Makes timelines with semaphores, and memory that two buffers share. Asks when work is done.
Status shareObjects(const test::Found &found) {
  PUMICE_TRY(Ref<VulkanDevice> device,
             openPlanned(found.instance, found.facts, found.plan, found.info, {}));
  PUMICE_TRY(Ref<hal::Queue> queue, device->createQueue());
  PUMICE_TRY(Ref<VulkanTimeline> timeline, VulkanTimeline::createShared(*device, 0));
  PUMICE_TRY(Ref<VulkanTimeline> same, VulkanTimeline::adopt(*device, timeline->semaphore()));
  Status waited = same->wait(1, std::chrono::milliseconds(30));
  if (waited.code() != StatusCode::DeadlineExceeded)
    return waited;
  PUMICE_RETURN_IF_ERROR(timeline->signal(1));
  PUMICE_RETURN_IF_ERROR(same->wait(1));
  PUMICE_RETURN_IF_ERROR(queue->wait({same.get(), 1}));
  PUMICE_RETURN_IF_ERROR(queue->signal({timeline.get(), 2}));
  PUMICE_RETURN_IF_ERROR(queue->onTime([](const Status &, uint64_t) {}));
  PUMICE_RETURN_IF_ERROR(queue->finish());
  if (!found.plan.memoryFd)
    return Status::ok();
  PUMICE_TRY(Ref<VulkanBuffer> exported,
             VulkanBuffer::createExportable(*device, 4000, hal::MemoryKind::Device,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT));
  PUMICE_TRY(SharedMemory memory, exported->exportMemory());
  Status imported = VulkanBuffer::importMemory(*device, memory).status();
  close(memory.fd);
  return imported;
}

/// Returns why this machine cannot make the call, for calls that need a certain device or
/// installation.
std::string whyNot(const SourceCall &call, const DevicePlan &plan, bool layer) {
#ifndef PUMICE_MOCK_FOLDER
  if (call.function == "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR" ||
      call.function == "vkGetDeviceFaultInfoEXT" || call.function.starts_with("vkWait"))
    return "no mock driver";
#endif
  if (call.function == "vkGetMemoryHostPointerPropertiesEXT" && !plan.hostImport)
    return "the device imports no host memory";
  if (call.function == "vkGetMemoryFdKHR" && !plan.memoryFd)
    return "the device exports no memory";
  if (call.function == "vkGetMemoryFdPropertiesKHR")
    return "no device with DMA buffers is asked";
  if ((call.function == "vkCreateSemaphore" || call.function == "vkWaitSemaphores" ||
       call.function == "vkSignalSemaphore" || call.function == "vkGetSemaphoreCounterValue") &&
      !plan.timelineSemaphores)
    return "the device lacks timeline semaphores";
  if (call.function == "vkCreateDebugUtilsMessengerEXT" && !layer)
    return "the validation layer is not installed";
  if (call.function == "vkEnumerateInstanceExtensionProperties" && !layer)
    return "the validation layer is not installed";
  return "";
}

TEST_P(CallSitesTest, EachCallOfTheSourcesIsMadeToFail) {
  openPatience = std::chrono::milliseconds(0);
  ASSERT_GT(play.calls.size(), 40u);
  const DevicePlan plan = found.plan;
  for (bool fallbacks : {false, true}) {
    found.plan = plan;
    if (fallbacks)
      found.plan.timelineSemaphores = found.plan.pushDescriptors = false;
    options.directTransfers = !fallbacks;
    failEach(fallbacks ? "fallbacks" : "what there is", [&] { return coldProgram(); });
  }

  found.plan = plan;
  if (plan.timelineSemaphores)
    failEach("shared objects", [&] { return shareObjects(found); });

  bool layer = Instance::create({.validation = true}).isOk();
  failEach("validation", [&] {
    Status status = Instance::create({.validation = true}).status();
    return layer || status.code() != StatusCode::Unsupported ? status : Status::ok();
  });
  // Loaders from before 2022 reject the first attempt.
  auto first = std::ranges::find(play.calls, "vkCreateInstance", &SourceCall::function);
  play.lacksExtension = static_cast<size_t>(first - play.calls.begin());
  failEach("old loader", [] { return Instance::create({}).status(); });
  play.lacksExtension.reset();
#ifdef PUMICE_MOCK_FOLDER
  {
    PlayedDevices played("h200,mobile");
    failEach("mock devices", openDevices);
  }
  {
    PlayedDevices played("h200!sleep");
    failEach("waits that sleep", [] { return sleepUntilDone(true); });
    failEach("waits that sleep, without semaphores", [] { return sleepUntilDone(false); });
    failEach("waits that ask", askWhetherLost);
  }
  {
    PlayedDevices played("h200!work");
    failEach("a device that is lost", [] { return loseDevice(true); });
    failEach("the same without semaphores", [] { return loseDevice(false); });
  }
#endif
  for (size_t index = 0; index < play.calls.size(); ++index)
    if (!done.contains(index)) {
      std::string why = whyNot(play.calls[index], bystander->plan, layer);
      EXPECT_NE(why, "") << play.calls[index].text() << " is never made to fail";
      if (!why.empty())
        std::printf("not made: %s (%s)\n", play.calls[index].text().c_str(), why.c_str());
    }
  EXPECT_EQ(play.unknown, std::set<std::string>()) << "calls that the sources do not show";
  std::printf("%zu of %zu calls failed\n", done.size(), play.calls.size());
}

TEST(CallSites, NoCallThatMayFailBypassesTheHook) {
  EXPECT_EQ(test::driverCalls().bare, std::vector<std::string>());
}

/// Checks that `deviceFunctions` lists exactly the device functions that the driver calls.
TEST(CallSites, AreOfFunctionsThatOpeningADeviceAsksFor) {
  std::set<std::string> used;
  for (const std::string &function : test::driverCalls().named)
    if (test::isOfDevice(function) && function != "vkGetDeviceProcAddr") // it looks up the others
      used.insert(function);
  std::set<std::string> asked;
  for (std::string_view function : deviceFunctions())
    EXPECT_TRUE(asked.emplace(function).second) << function << " is listed twice";
  EXPECT_EQ(used, asked);
}

TEST(CallSites, AreFoundInTheSources) {
  auto mayFail = [](const std::string &function) { return function != "vkCmdDispatch"; };
  SourceCalls found = test::findCalls("a.cpp", R"text(#define PUMICE_VK(table, function, ...) \
  function(vkInside(1))
// vkInComment(1); "
const char *text = "vkInText(\"1\")";
char mark = '"'; int large = 1'000;
x = PUMICE_VK(vk., vkCreateBuffer, a(b),
              c);
y = PUMICE_VK_STATUS(::, vkCreateInstance, &create);
PUMICE_VK_ALWAYS(vk., vkQueueWaitIdle, queue);
vk.vkCmdDispatch(1, 1, 1);
vk.vkMapMemory(1); /* vkInBlock(
*/ auto hidden = vk.vkUnmapMemory2KHR;
)text",
                                      mayFail);
  ASSERT_EQ(found.calls.size(), 2u);
  EXPECT_EQ(found.calls[0].text(), "a.cpp:6 vkCreateBuffer");
  EXPECT_EQ(found.calls[0].lastLine, 7);
  EXPECT_EQ(found.calls[1].text(), "a.cpp:8 vkCreateInstance");
  EXPECT_EQ(found.bare,
            (std::vector<std::string>{"a.cpp:11 vkMapMemory", "a.cpp:12 vkUnmapMemory2KHR"}));
}

} // namespace
} // namespace pumice::vulkan
