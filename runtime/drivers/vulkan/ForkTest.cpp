//===- ForkTest.cpp - devices are lost in a child of a fork -----------------===//
#include "runtime/drivers/vulkan/TestDevice.h"

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

using namespace pumice;
using namespace pumice::vulkan;

namespace {

/// Returns the result of `body` in a child process, or false if the child hangs or crashes.
template <typename Body> bool inChild(Body body) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool saysForked(const Status &status, StatusCode code) {
  bool says = status.code() == code && status.message().find("forked off") != std::string::npos &&
              status.message().find("spawn") != std::string::npos;
  if (!says)
    fprintf(stderr, "in the child: %s\n", status.toString().c_str());
  return says;
}

Result<Ref<VulkanDevice>> openFound(const test::Found &found) {
  return openPlanned(found.instance, found.facts, found.plan, found.info, {});
}

class VulkanFork : public testing::Test {
protected:
  void SetUp() override {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
#endif
#endif
    Result<test::Found> result = test::findTestDevice();
    if (!result.isOk())
      GTEST_SKIP() << result.status().toString();
    found.emplace(std::move(*result));
  }

  std::optional<test::Found> found;
};

} // namespace

TEST_F(VulkanFork, AChildCannotUseTheParentsDevice) {
  Ref<VulkanDevice> device = openFound(*found).value();
  Ref<hal::Queue> queue = device->createQueue({}).value();
  Ref<hal::Timeline> timeline = device->createTimeline(0).value();
  Ref<hal::Buffer> buffer = device->allocate(4096, hal::MemoryKind::Host).value();
  auto works = [&] { return queue->fill({buffer.get()}, 7, 4).isOk() && queue->finish().isOk(); };
  ASSERT_TRUE(works());
  ASSERT_TRUE(queue->fill({buffer.get()}, 8, 4).isOk()); // this work is pending during the fork
  EXPECT_TRUE(inChild([&] {
    StatusCode lost = StatusCode::DeviceLost;
    return saysForked(device->health(), lost) && saysForked(queue->finish(), lost) &&
           saysForked(queue->fill({buffer.get()}, 7, 4), lost) &&
           saysForked(timeline->wait(1, hal::Timeout::max()), lost) &&
           saysForked(device->allocate(64, hal::MemoryKind::Device).status(), lost) &&
           saysForked(openFound(*found).status(), StatusCode::Unsupported);
  }));
  // Destroying the objects in a child must leave the parent's objects intact.
  EXPECT_TRUE(inChild([&] {
    buffer = nullptr, timeline = nullptr, queue = nullptr, device = nullptr, found.reset();
    return true;
  }));
  EXPECT_TRUE(queue->finish().isOk());
  EXPECT_TRUE(works());
}

TEST_F(VulkanFork, AfterADeviceWasClosed) {
  (void)openFound(*found).value();
  EXPECT_TRUE(
      inChild([&] { return saysForked(openFound(*found).status(), StatusCode::Unsupported); }));
}

TEST_F(VulkanFork, AChildOpensADeviceThatItsParentOnlyListed) {
  EXPECT_TRUE(inChild([&] {
    Result<Ref<VulkanDevice>> device = openFound(*found);
    return device.isOk() && (*device)->health().isOk();
  }));
}

#endif
