//===- DriverTest.cpp - Metal's driver, when its messages fail --------------===//
#include "runtime/drivers/metal/Driver.h"

#include "runtime/hal/Device.h"
#include "support/Platform.h"
#include "tests/metal/mock/MockMetal.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

using namespace pumice;
using namespace pumice::hal;

namespace {

constexpr char source[] = R"(// pumice-msl 1
// kernel twice
// threadgroup c0 1 1
// parameters 1
// buffer 0 set 0 binding 0
// constant 0 uint 1
#include <metal_stdlib>
using namespace metal;

struct P
{
    uint factor;
};

kernel void twice(device uint* x [[buffer(0)]], constant P& p [[buffer(1)]], uint3 at [[thread_position_in_grid]])
{
    x[at.x] *= p.factor;
}
)";

struct Mock {
  Mock() {
    setenv("PUMICE_METAL_LIBRARY", PUMICE_MOCK_METAL, 1);
    Result<SharedLibrary> opened = SharedLibrary::open(PUMICE_MOCK_METAL);
    if (!opened.isOk())
      return;
    fail = reinterpret_cast<decltype(&mockMetalFail)>(opened->symbol("mockMetalFail"));
    reset = reinterpret_cast<decltype(&mockMetalReset)>(opened->symbol("mockMetalReset"));
    count = reinterpret_cast<decltype(&mockMetalCount)>(opened->symbol("mockMetalCount"));
    selectors =
        reinterpret_cast<decltype(&mockMetalSelectors)>(opened->symbol("mockMetalSelectors"));
    live = reinterpret_cast<decltype(&mockMetalLive)>(opened->symbol("mockMetalLive"));
  }
  decltype(&mockMetalFail) fail = nullptr;
  decltype(&mockMetalReset) reset = nullptr;
  decltype(&mockMetalCount) count = nullptr;
  decltype(&mockMetalSelectors) selectors = nullptr;
  decltype(&mockMetalLive) live = nullptr;
};

/// Lists and opens the device, compiles a kernel, and runs it.
Status program(std::vector<uint32_t> &words) {
  PUMICE_TRY(Ref<Driver> driver, metal_driver::MetalDriver::create());
  PUMICE_TRY(std::vector<DeviceInfo> infos, driver->devices());
  if (infos.empty()) {
    std::vector<Status> reasons = driver->leftOut();
    return reasons.empty() ? Status(StatusCode::NotFound, "no device") : reasons.front();
  }
  PUMICE_TRY(Ref<Device> device, driver->open(0));
  PUMICE_TRY(Ref<Queue> queue, device->createQueue());
  PUMICE_TRY(Ref<Buffer> buffer, device->allocate(64 * sizeof(uint32_t)));
  KernelSource kernelSource;
  kernelSource.kind = executable::VariantKind::Msl;
  kernelSource.code = {reinterpret_cast<const uint8_t *>(source), sizeof source - 1};
  kernelSource.symbol = kernelSource.label = "twice";
  kernelSource.pushConstantBytes = 4;
  kernelSource.bindings = {{0, 0}};
  kernelSource.constants = {{0, 4, 16}};
  PUMICE_TRY(Ref<Kernel> kernel, device->createKernel(kernelSource));
  words.assign(64, 21);
  PUMICE_RETURN_IF_ERROR(queue->upload({buffer.get()}, std::as_bytes(std::span(words))));
  const uint32_t factor = 2;
  const BufferRange bindings[] = {{buffer.get()}};
  const BufferUse uses[] = {{buffer.get()}};
  Dispatch work;
  work.kernel = kernel.get();
  work.groups = {4, 1, 1};
  work.pushConstants = std::as_bytes(std::span(&factor, 1));
  work.bindings = bindings;
  work.uses = uses;
  PUMICE_RETURN_IF_ERROR(queue->dispatch(work));
  PUMICE_RETURN_IF_ERROR(queue->download(std::as_writable_bytes(std::span(words)), {buffer.get()}));
  return queue->finish();
}

TEST(MetalDriver, RunsAKernel) {
  Mock mock;
  ASSERT_NE(mock.fail, nullptr);
  std::vector<uint32_t> words;
  ASSERT_TRUE(program(words).isOk()); // makes the device, which stays
  int64_t before = mock.live();
  Status status = program(words);
  ASSERT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(words, std::vector<uint32_t>(64, 42));
  EXPECT_EQ(mock.live(), before) << "objects of Metal are left";
}

TEST(MetalDriver, EveryMessageCanFail) {
  Mock mock;
  ASSERT_NE(mock.fail, nullptr);
  std::vector<uint32_t> words;
  mock.reset();
  ASSERT_TRUE(program(words).isOk());
  std::istringstream selectors(mock.selectors());
  std::vector<std::pair<std::string, uint32_t>> messages;
  for (std::string selector; std::getline(selectors, selector);)
    messages.emplace_back(selector, mock.count(selector.c_str()));
  // Messages without a result cannot report a failure. Null for these is an answer, too.
  const std::set<std::string> answers{"count",
                                      "error",
                                      "code",
                                      "UTF8String",
                                      "registryID",
                                      "release",
                                      "retain",
                                      "localizedDescription",
                                      "objectAtIndex:",
                                      "threadExecutionWidth",
                                      "recommendedMaxWorkingSetSize",
                                      "supportsFamily:"};
  int64_t before = mock.live();
  size_t failures = 0;
  for (const auto &[selector, times] : messages) {
    bool reports = !answers.contains(selector) && !selector.starts_with("set") &&
                   selector != "useResource:usage:" && selector != "commit" &&
                   selector != "endEncoding" && selector != "waitUntilCompleted" &&
                   !selector.starts_with("dispatch");
    if (!reports)
      continue;
    for (uint32_t i = 1; i <= times; ++i) {
      mock.reset();
      mock.fail(selector.c_str(), i, 8);
      Status status = program(words);
      mock.fail(nullptr, 0, 0);
      EXPECT_FALSE(status.isOk()) << selector << " number " << i;
      EXPECT_FALSE(status.message().empty());
      EXPECT_EQ(mock.live(), before) << selector << " number " << i;
      ++failures;
    }
  }
  EXPECT_GT(failures, 12u);
  EXPECT_TRUE(program(words).isOk()) << "after the failures, everything works again";
}

TEST(MetalDriver, ADeviceThatIsTakenAwayIsLost) {
  Mock mock;
  ASSERT_NE(mock.fail, nullptr);
  std::vector<uint32_t> words;
  mock.reset();
  mock.fail("status", 1, 11);
  Status status = program(words);
  mock.fail(nullptr, 0, 0);
  EXPECT_EQ(status.code(), StatusCode::DeviceLost) << status.toString();
  EXPECT_NE(status.message().find("kernel 'twice' failed on the device"), std::string::npos)
      << status.toString();
}

TEST(MetalDriver, IsOffOnRequest) {
  setenv("PUMICE_METAL", "off", 1);
  EXPECT_TRUE(metal_driver::MetalDriver::create().value()->devices().value().empty());
  setenv("PUMICE_METAL", "perhaps", 1);
  EXPECT_EQ(metal_driver::MetalDriver::create().status().message(),
            "PUMICE_METAL is 'perhaps'; expected on or off");
  unsetenv("PUMICE_METAL");
}

} // namespace
