//===- ExecutionTest.cpp - work really runs, in order -----------------------===//
#include "runtime/drivers/vulkan/TestDevice.h"

#include "runtime/hal/kernels/Saxpy.comp.h"

#include <cstring>
#include <numeric>

namespace pumice::vulkan {
namespace {

using hal::BufferRange;
using hal::BufferUse;

struct SaxpyParameters {
  float a;
  uint32_t count;
};

class Execution : public testing::Test {
protected:
  void SetUp() override {
    Result<test::Found> found = test::findTestDevice();
    if (!found.isOk())
      GTEST_SKIP() << found.status().toString();
    options.diskCache = false;
    adjust(*found);
    Result<Ref<VulkanDevice>> opened =
        openPlanned(found->instance, found->facts, found->plan, found->info, options);
    ASSERT_TRUE(opened.isOk()) << opened.status().toString();
    device = *opened;
    queue = newQueue();
  }
  virtual void adjust(test::Found &) {}

  Ref<hal::Queue> newQueue(hal::QueueOptions with = {}) {
    Result<Ref<hal::Queue>> made = device->createQueue(with);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    return made.isOk() ? *made : nullptr;
  }
  Ref<hal::Buffer> newBuffer(uint64_t bytes, hal::MemoryKind kind = hal::MemoryKind::Device) {
    Result<Ref<hal::Buffer>> made = device->allocate(bytes, kind);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    return made.isOk() ? *made : nullptr;
  }
  Ref<hal::Kernel> saxpyKernel() {
    hal::KernelSource source;
    source.code = {reinterpret_cast<const uint8_t *>(saxpySpirv), sizeof saxpySpirv};
    source.symbol = "main";
    source.label = "saxpy";
    source.pushConstantBytes = sizeof(SaxpyParameters);
    source.bindings = {{0, 0}, {0, 1}};
    Result<Ref<hal::Kernel>> made = device->createKernel(source);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    return made.isOk() ? *made : nullptr;
  }
  Status saxpy(hal::Queue &on, hal::Kernel &kernel, float a, hal::Buffer &x, hal::Buffer &y) {
    SaxpyParameters parameters{a, static_cast<uint32_t>(y.bytes() / 4)};
    BufferRange bindings[] = {{&x}, {&y}};
    BufferUse uses[] = {{&x, executable::Access::Read}, {&y, executable::Access::ReadWrite}};
    hal::Dispatch dispatch{.kernel = &kernel,
                           .groups = {(parameters.count + 63) / 64, 1, 1},
                           .pushConstants = std::as_bytes(std::span(&parameters, 1)),
                           .bindings = bindings,
                           .uses = uses};
    return on.dispatch(dispatch);
  }
  static std::vector<float> ramp(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
  }

  DeviceOptions options;
  Ref<VulkanDevice> device;
  Ref<hal::Queue> queue;
};

#define EXPECT_OK(expression)                                                                      \
  do {                                                                                             \
    ::pumice::Status status = (expression);                                                        \
    EXPECT_TRUE(status.isOk()) << status.toString();                                               \
  } while (false)

TEST_F(Execution, Saxpy) {
  std::vector<float> x = ramp(1000), y(1000, 2.0f), out(1000);
  Ref<hal::Buffer> bx = newBuffer(4000), by = newBuffer(4000);
  Ref<hal::Kernel> kernel = saxpyKernel();
  EXPECT_OK(queue->upload({bx.get()}, std::as_bytes(std::span(x))));
  EXPECT_OK(queue->upload({by.get()}, std::as_bytes(std::span(y))));
  EXPECT_OK(saxpy(*queue, *kernel, 3.0f, *bx, *by));
  EXPECT_OK(queue->download(std::as_writable_bytes(std::span(out)), {by.get()}));
  EXPECT_OK(queue->finish());
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], 3.0f * x[i] + 2.0f) << i;
}

} // namespace
} // namespace pumice::vulkan
