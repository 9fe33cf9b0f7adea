//===- CodeGateTest.cpp - pipelines and submissions take turns --------------===//
// The device under test claims to be a device that needs the gate, and then one that does not need
// it.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/DriverTest.h"
#include "runtime/hal/kernels/Saxpy.comp.h"

#include <future>

namespace pumice::vulkan {
namespace {

using namespace std::chrono_literals;

class Gated : public test::DriverTest {
protected:
  void adjust(test::Found &found) override { found.facts.driver = VK_DRIVER_ID_NVIDIA_PROPRIETARY; }
  Status fillAndWait() {
    Ref<hal::Buffer> buffer = newBuffer(400000);
    PUMICE_RETURN_IF_ERROR(queue->fill({buffer.get()}, 7));
    return queue->finish();
  }
};
class Ungated : public Gated {
protected:
  void adjust(test::Found &found) override { found.facts.driver = VK_DRIVER_ID_MESA_LLVMPIPE; }
};
PUMICE_DRIVER_TESTS(Gated);
PUMICE_DRIVER_TESTS(Ungated);

TEST_P(Gated, SubmissionsWaitForPipelines) {
  auto making = CodeGate(VK_DRIVER_ID_NVIDIA_PROPRIETARY).making();
  std::future<Status> work = std::async(std::launch::async, [this] { return fillAndWait(); });
  EXPECT_EQ(work.wait_for(100ms), std::future_status::timeout);
  making.unlock();
  EXPECT_OK(work.get());
}

TEST_P(Gated, PipelinesWaitForSubmissions) {
  auto submitting = CodeGate(VK_DRIVER_ID_NVIDIA_PROPRIETARY).submitting();
  std::future<Ref<hal::Kernel>> work = std::async(std::launch::async, [this] {
    return newKernel(test::kernelSource(saxpySpirv, "saxpy", 8, {{0, 0}, {0, 1}}));
  });
  EXPECT_EQ(work.wait_for(100ms), std::future_status::timeout);
  // Other submissions need not wait. This one runs on another thread, because a thread must not
  // lock a shared mutex twice.
  EXPECT_OK(std::async(std::launch::async, [this] { return fillAndWait(); }).get());
  submitting.unlock();
  EXPECT_NE(work.get(), nullptr);
}

TEST_P(Ungated, NobodyWaits) {
  auto making = CodeGate(VK_DRIVER_ID_NVIDIA_PROPRIETARY).making();
  EXPECT_OK(fillAndWait());
  EXPECT_NE(newKernel(test::kernelSource(saxpySpirv, "saxpy", 8, {{0, 0}, {0, 1}})), nullptr);
}

} // namespace
} // namespace pumice::vulkan
