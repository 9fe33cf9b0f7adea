//===- DriverTest.h - a device, and helpers for tests of the driver ---------===//
// Every test of the driver runs in two modes: with all features of the device, and with the
// fallbacks for devices that lack them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/TestDevice.h"

#include <cstring>
#include <numeric>
#include <vector>

#define EXPECT_OK(expression)                                                                      \
  do {                                                                                             \
    ::pumice::Status outcome = (expression);                                                       \
    EXPECT_TRUE(outcome.isOk()) << outcome.toString();                                             \
  } while (false)

namespace pumice::vulkan::test {

struct Mode {
  const char *name;
  /// True means all features of the device. False means fences, descriptor pools, and staging for
  /// all transfers.
  bool asThereIs;
};
inline void PrintTo(const Mode &mode, std::ostream *out) { *out << mode.name; }

using hal::BufferRange;
using hal::BufferUse;

/// Creates one of the kernels in runtime/hal/kernels.
template <size_t words>
hal::KernelSource kernelSource(const uint32_t (&code)[words], const char *label,
                               uint32_t pushConstantBytes, std::vector<hal::BindingSlot> bindings) {
  hal::KernelSource source;
  source.code = {reinterpret_cast<const uint8_t *>(code), sizeof code};
  source.symbol = "main";
  source.label = label;
  source.pushConstantBytes = pushConstantBytes;
  source.bindings = std::move(bindings);
  return source;
}

class DriverTest : public testing::TestWithParam<Mode> {
protected:
  void SetUp() override {
    Result<test::Found> found = test::findTestDevice();
    if (!found.isOk())
      GTEST_SKIP() << found.status().toString();
    if (!GetParam().asThereIs) {
      found->plan.timelineSemaphores = found->plan.pushDescriptors = false;
      options.directTransfers = false;
    }
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
  Ref<hal::Timeline> newTimeline(uint64_t initial = 0) {
    Result<Ref<hal::Timeline>> made = device->createTimeline(initial);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    return made.isOk() ? *made : nullptr;
  }
  Ref<hal::Kernel> newKernel(const hal::KernelSource &source) {
    Result<Ref<hal::Kernel>> made = device->createKernel(source);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    return made.isOk() ? *made : nullptr;
  }
  /// Launches a kernel with descriptors. It only reads the first `reads` bindings, and reads and
  /// writes the others.
  template <typename Parameters>
  static Status launch(hal::Queue &on, hal::Kernel &kernel, std::array<uint32_t, 3> groups,
                       const Parameters &parameters, std::vector<hal::Buffer *> buffers,
                       size_t reads = 0) {
    std::vector<BufferRange> bindings;
    std::vector<BufferUse> uses;
    for (hal::Buffer *buffer : buffers) {
      bindings.push_back({buffer});
      uses.push_back(
          {buffer, uses.size() < reads ? executable::Access::Read : executable::Access::ReadWrite});
    }
    auto bytes = std::as_bytes(std::span(&parameters, 1));
    return on.dispatch({.kernel = &kernel,
                        .groups = groups,
                        .pushConstants = bytes.first(kernel.pushConstantBytes()),
                        .bindings = bindings,
                        .uses = uses});
  }
  template <typename T> static Status put(hal::Queue &on, hal::Buffer &to, const T &values) {
    return on.upload({&to, 0, values.size() * sizeof(values[0])}, std::as_bytes(std::span(values)));
  }
  template <typename T> static Status get(hal::Queue &on, T &values, hal::Buffer &from) {
    return on.download(std::as_writable_bytes(std::span(values)),
                       {&from, 0, values.size() * sizeof(values[0])});
  }

  DeviceOptions options;
  Ref<VulkanDevice> device;
  Ref<hal::Queue> queue;
};

#define PUMICE_DRIVER_TESTS(suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      Modes, suite,                                                                                \
      testing::Values(test::Mode{"AsThereIs", true}, test::Mode{"Fallbacks", false}),              \
      [](const auto &info) { return info.param.name; })

} // namespace pumice::vulkan::test
