//===- ExecutionTest.cpp - launches run, once each, in order ----------------===//
#include "runtime/drivers/vulkan/DriverTest.h"

#include "runtime/hal/kernels/Addressed.comp.h"
#include "runtime/hal/kernels/Chain.comp.h"
#include "runtime/hal/kernels/CountGroups.comp.h"
#include "runtime/hal/kernels/GridCounts.comp.h"
#include "runtime/hal/kernels/GridIds.comp.h"
#include "runtime/hal/kernels/Kept.comp.h"
#include "runtime/hal/kernels/Saxpy.comp.h"
#include "runtime/hal/kernels/TwoSets.comp.h"

#include <chrono>
#include <thread>

namespace pumice::vulkan {
namespace {

using executable::Access;
using hal::BufferRange;
using hal::BufferUse;
using Words = std::vector<uint32_t>;

struct None {};
struct ChainParameters {
  uint32_t count, step;
};

class Execution : public test::DriverTest {
protected:
  hal::KernelSource chain = test::kernelSource(chainSpirv, "chain", 8, {{0, 0}, {0, 1}});
};
PUMICE_DRIVER_TESTS(Execution);

VkResult noPipeline(const CallSite &site) {
  return std::string_view(site.function) == "vkCreateComputePipelines" ? VK_ERROR_UNKNOWN
                                                                       : VK_SUCCESS;
}

TEST_P(Execution, FailuresOfTheDriversCompilerAreReported) {
  faultHook = noPipeline;
  Result<Ref<hal::Kernel>> kernel =
      device->createKernel(test::kernelSource(keptSpirv, "kept", 0, {{0, 0}}));
  faultHook = nullptr;
  ASSERT_FALSE(kernel.isOk());
  EXPECT_EQ(kernel.status().code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(
      kernel.status().message(),
      "kernel 'kept': the driver's compiler gives up on it (vkCreateComputePipelines returned "
      "VK_ERROR_UNKNOWN (an error the driver does not name)); the kernel keeps 404 bytes in "
      "each lane: take a smaller block, or more lanes");
}

TEST_P(Execution, Saxpy) {
  std::vector<float> x(1000), y(1000, 2.0f), out(1000);
  std::iota(x.begin(), x.end(), 1.0f);
  struct {
    float a;
    uint32_t count;
  } parameters{3.0f, 1000};
  Ref<hal::Buffer> bx = newBuffer(4000), by = newBuffer(4000);
  Ref<hal::Kernel> kernel = newKernel(test::kernelSource(saxpySpirv, "saxpy", 8, {{0, 0}, {0, 1}}));
  EXPECT_OK(put(*queue, *bx, x));
  EXPECT_OK(put(*queue, *by, y));
  EXPECT_OK(launch(*queue, *kernel, {16, 1, 1}, parameters, {bx.get(), by.get()}, 1));
  EXPECT_OK(get(*queue, out, *by));
  EXPECT_OK(queue->finish());
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], 3.0f * x[i] + 2.0f) << i;
}

/// Runs far more launches than fit in a batch. Each depends on the one before it.
TEST_P(Execution, ChainsNeedNoWaits) {
  constexpr uint32_t count = 20000, launches = 1001;
  Words values(count), out(count);
  std::iota(values.begin(), values.end(), 0u);
  Ref<hal::Buffer> a = newBuffer(count * 4), b = newBuffer(count * 4);
  Ref<hal::Kernel> kernel = newKernel(chain);
  EXPECT_OK(put(*queue, *a, values));
  for (uint32_t i = 0; i < launches; ++i) {
    EXPECT_OK(launch(*queue, *kernel, {(count + 63) / 64, 1, 1}, ChainParameters{count, i},
                     {a.get(), b.get()}, 1));
    std::swap(a, b);
  }
  EXPECT_OK(get(*queue, out, *a));
  EXPECT_OK(queue->finish());
  uint32_t sum = launches * (launches - 1) / 2;
  for (uint64_t i = 0; i < count; ++i)
    ASSERT_EQ(out[i], (i + uint64_t(4097) * launches) % count + sum) << i;
}

TEST_P(Execution, WorkKeepsWhatItUses) {
  Words out(1000);
  Ref<hal::Buffer> result = newBuffer(4000);
  {
    Ref<hal::Buffer> temporary = newBuffer(4000);
    Ref<hal::Kernel> kernel = newKernel(chain);
    EXPECT_OK(put(*queue, *temporary, Words(1000, 40)));
    EXPECT_OK(launch(*queue, *kernel, {16, 1, 1}, ChainParameters{1000, 2},
                     {temporary.get(), result.get()}, 1));
  }
  EXPECT_OK(get(*queue, out, *result));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, Words(1000, 42));
}

/// A queue collects launches and submits them together. If the device is idle, the queue submits at
/// once.
TEST_P(Execution, SlowRecordingHasTheDeviceBegin) {
  Ref<hal::Kernel> kernel = newKernel(chain);
  Ref<hal::Buffer> a = newBuffer(256, hal::MemoryKind::Host);
  Ref<hal::Buffer> b = newBuffer(256, hal::MemoryKind::Host);
  EXPECT_OK(put(*queue, *a, Words(64, 1)));
  EXPECT_OK(put(*queue, *b, Words(64, 0)));
  EXPECT_OK(queue->finish());
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(launch(*queue, *kernel, {1, 1, 1}, ChainParameters{64, 2}, {a.get(), b.get()}, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto *first = reinterpret_cast<const volatile uint32_t *>(b->hostPointer());
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // The queue must submit without a flush.
  while (*first != 3 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(*first, 3u);
  EXPECT_OK(queue->finish());
}

TEST_P(Execution, SetsOfDescriptorsAndUniforms) {
  Words out(100);
  Ref<hal::Kernel> kernel =
      newKernel(test::kernelSource(twoSetsSpirv, "two sets", 0, {{2, 0, false}, {0, 1, true}}));
  Ref<hal::Buffer> values = newBuffer(400), scales[2] = {newBuffer(16), newBuffer(16)};
  EXPECT_OK(put(*queue, *values, Words(100, 1)));
  EXPECT_OK(put(*queue, *scales[0], Words(4, 2)));
  EXPECT_OK(put(*queue, *scales[1], Words(4, 3)));
  // One batch needs more descriptor sets than a pool holds.
  for (int i = 0; i < 200; ++i) {
    EXPECT_OK(queue->fill({values.get()}, 1));
    for (const Ref<hal::Buffer> &scale : scales)
      EXPECT_OK(launch(*queue, *kernel, {2, 1, 1}, None{}, {values.get(), scale.get()}));
  }
  EXPECT_OK(get(*queue, out, *values));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, Words(100, 6));
}

TEST_P(Execution, RangesOfABinding) {
  Ref<hal::Kernel> kernel =
      newKernel(test::kernelSource(twoSetsSpirv, "two sets", 0, {{2, 0, false}, {0, 1, true}}));
  uint64_t step = std::max<uint64_t>(device->info().limits.bindingAlignment, 4);
  Ref<hal::Buffer> values = newBuffer(4 * step), scale = newBuffer(16);
  Words ones(step, 1), out(step);
  EXPECT_OK(put(*queue, *values, ones));
  EXPECT_OK(put(*queue, *scale, Words(4, 5)));
  BufferRange bindings[] = {{values.get(), 2 * step, step}, {scale.get()}};
  BufferUse uses[] = {{values.get(), Access::ReadWrite}, {scale.get(), Access::Read}};
  EXPECT_OK(queue->dispatch(
      {.kernel = kernel.get(), .groups = {8, 1, 1}, .bindings = bindings, .uses = uses}));
  EXPECT_OK(get(*queue, out, *values));
  EXPECT_OK(queue->finish());
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], i * 4 >= 2 * step && i * 4 < 3 * step ? 5u : 1u) << i;
}

TEST_P(Execution, SpecializationConstants) {
  hal::KernelSource source = test::kernelSource(countGroupsSpirv, "count", 0, {{0, 3}});
  source.constants = {{7, 4, 1000}};
  Ref<hal::Kernel> kernel = newKernel(source);
  Ref<hal::Buffer> result = newBuffer(4);
  Words out(1);
  EXPECT_OK(launch(*queue, *kernel, {9, 1, 1}, None{}, {result.get()}));
  EXPECT_OK(get(*queue, out, *result));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out[0], 9000u);
}

TEST_P(Execution, UnnamedMemoryIsOrdered) {
  if (!device->info().bufferAddresses)
    GTEST_SKIP() << "the device has no buffer addresses";
  Ref<hal::Kernel> kernel = newKernel(test::kernelSource(addressedSpirv, "addressed", 16, {}));
  Ref<hal::Buffer> words = newBuffer(4000);
  struct {
    uint64_t address;
    uint32_t count, unused;
  } parameters{words->deviceAddress(), 1000, 0};
  hal::Dispatch dispatch{.kernel = kernel.get(),
                         .groups = {16, 1, 1},
                         .pushConstants = std::as_bytes(std::span(&parameters, 1)),
                         .touchesUnnamedMemory = true};
  Words out(1000);
  EXPECT_OK(put(*queue, *words, Words(1000, 5)));
  for (int i = 0; i < 100; ++i)
    EXPECT_OK(queue->dispatch(dispatch));
  // The host must not read directly, since the launches may still write the buffer.
  EXPECT_OK(get(*queue, out, *words));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, Words(1000, 105));
}

TEST_P(Execution, ThreadsShareAQueueAndADevice) {
  constexpr uint32_t count = 256, launches = 300;
  Ref<hal::Kernel> kernel = newKernel(chain);
  Ref<hal::Queue> shared = newQueue();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Ref<hal::Queue> own = newQueue();
      hal::Queue &on = t % 2 ? *own : *shared;
      Ref<hal::Buffer> a = newBuffer(count * 4), b = newBuffer(count * 4);
      Words out(count);
      EXPECT_OK(on.fill({a.get()}, 7));
      for (uint32_t i = 0; i < launches; ++i) {
        EXPECT_OK(launch(on, *kernel, {4, 1, 1}, ChainParameters{count, 1}, {a.get(), b.get()}, 1));
        std::swap(a, b);
      }
      EXPECT_OK(get(on, out, *a));
      EXPECT_OK(on.finish());
      EXPECT_EQ(out, Words(count, 7 + launches));
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Execution, InvalidModulesAreRejected) {
  const uint8_t bytes[] = {1, 2, 3, 4, 5};
  hal::KernelSource source;
  source.code = bytes;
  source.symbol = "main";
  source.label = "broken";
  Result<Ref<hal::Kernel>> made = device->createKernel(source);
  ASSERT_FALSE(made.isOk());
  EXPECT_EQ(made.status().code(), StatusCode::InvalidArgument);
  EXPECT_NE(made.status().message().find("'broken'"), std::string::npos);
  for (size_t bytes = 24; bytes < chain.code.size(); bytes += 4) {
    source = chain;
    source.code = chain.code.first(bytes);
    ASSERT_FALSE(device->createKernel(source).isOk()) << "cut to " << bytes;
  }
  source = chain;
  source.symbol = "mai";
  EXPECT_EQ(device->createKernel(source).status().code(), StatusCode::InvalidArgument);
}

/// Simulates a device that runs at most 3 x 2 x 2 workgroups per dispatch.
class SplitGrids : public test::DriverTest {
  void adjust(test::Found &found) override { found.info.limits.maxGroups = {3, 2, 2}; }
};
PUMICE_DRIVER_TESTS(SplitGrids);

TEST_P(SplitGrids, EveryWorkgroupRunsOnceInItsPlace) {
  constexpr uint32_t width = 7 * 4, height = 5 * 2, depth = 3, all = width * height * depth;
  Ref<hal::Kernel> kernel = newKernel(test::kernelSource(gridIdsSpirv, "ids", 8, {{0, 0}, {0, 1}}));
  Ref<hal::Buffer> ids = newBuffer(all * 4), visits = newBuffer(all * 4);
  struct {
    uint32_t width, height;
  } parameters{width, height};
  Words gotIds(all), gotVisits(all);
  EXPECT_OK(queue->fill({visits.get()}, 0));
  EXPECT_OK(launch(*queue, *kernel, {7, 5, 3}, parameters, {ids.get(), visits.get()}));
  EXPECT_OK(get(*queue, gotIds, *ids));
  EXPECT_OK(get(*queue, gotVisits, *visits));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(gotVisits, Words(all, 1));
  for (uint32_t i = 0; i < all; ++i) {
    uint32_t x = i % width / 4, y = i / width % height / 2, z = i / width / height;
    ASSERT_EQ(gotIds[i], x | y << 10 | z << 20) << i;
  }
}

/// Launches GridCounts and checks every word of its result.
void expectCounts(const std::array<uint32_t, 3> &groups, uint32_t component, uint32_t mark,
                  const Words &got) {
  size_t count = size_t(groups[0]) * groups[1] * groups[2];
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(got[4 * i], groups[0]) << i;
    ASSERT_EQ(got[4 * i + 1], groups[1]) << i;
    ASSERT_EQ(got[4 * i + 2], groups[2]) << i;
    ASSERT_EQ(got[4 * i + 3], groups[component] * mark) << i;
  }
  EXPECT_EQ(Words(got.begin() + long(4 * count), got.end()), Words(got.size() - 4 * count));
}

TEST_P(SplitGrids, KernelsSeeTheWholeWorkgroupCount) {
  hal::KernelSource source = test::kernelSource(gridCountsSpirv, "counts", 4, {{0, 0}});
  source.constants = {{3, 4, 5}};
  Ref<hal::Kernel> kernel = newKernel(source);
  const std::array<uint32_t, 3> grids[] = {{4, 1, 1}, {3, 2, 2}, {7, 5, 3}, {1, 3, 1},
                                           {1, 1, 3}, {4, 1, 1}, {2, 2, 1}};
  std::vector<Words> got;
  std::vector<Ref<hal::Buffer>> buffers;
  for (const auto &groups : grids) {
    auto component = static_cast<uint32_t>(got.size() % 3);
    buffers.push_back(newBuffer(120 * 16));
    got.emplace_back(480);
    EXPECT_OK(queue->fill({buffers.back().get()}, 0));
    EXPECT_OK(launch(*queue, *kernel, groups, component, {buffers.back().get()}));
  }
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_OK(get(*queue, got[i], *buffers[i]));
  EXPECT_OK(queue->finish());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NO_FATAL_FAILURE(expectCounts(grids[i], uint32_t(i % 3), 5, got[i]));
}

/// A split grid needs a command for each part. A grid with too many parts is rejected before
/// anything is recorded.
TEST_P(SplitGrids, GridsOfTooManyPartsAreRejected) {
  Ref<hal::Kernel> kernel = newKernel(test::kernelSource(gridCountsSpirv, "counts", 4, {{0, 0}}));
  Ref<hal::Buffer> buffer = newBuffer(64);
  Status status = launch(*queue, *kernel, {UINT32_MAX, UINT32_MAX, 2}, uint32_t(0), {buffer.get()});
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_TRUE(status.message().find("at most 65536 dispatches") != std::string::npos)
      << status.toString();
  EXPECT_OK(queue->finish());
}

/// One batch uses more grid sizes than the number of pipelines that the kernel keeps. The pipelines
/// must live until the batch is done.
TEST_P(SplitGrids, ManyGridSizesInOneBatch) {
  Ref<hal::Kernel> kernel = newKernel(test::kernelSource(gridCountsSpirv, "counts", 4, {{0, 0}}));
  std::vector<Words> got;
  for (uint32_t x = 4; x < 24; ++x) {
    Ref<hal::Buffer> buffer = newBuffer(24 * 16);
    EXPECT_OK(queue->fill({buffer.get()}, 0));
    EXPECT_OK(launch(*queue, *kernel, {x, 1, 1}, uint32_t(0), {buffer.get()}));
    got.emplace_back(96);
    EXPECT_OK(get(*queue, got.back(), *buffer));
  }
  kernel = nullptr;
  EXPECT_OK(queue->finish());
  for (uint32_t x = 4; x < 24; ++x)
    ASSERT_NO_FATAL_FAILURE(expectCounts({x, 1, 1}, 0, 1, got[x - 4]));
}

} // namespace
} // namespace pumice::vulkan
