//===- ExecutionTest.cpp - native kernels on the CPU driver -----------------===//
#include "runtime/drivers/cpu/TestKernels.h"

#include <cstring>
#include <thread>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
using namespace std::chrono_literals;
using hal::Buffer;
using hal::BufferRange;
using hal::Kernel;
using hal::Queue;

namespace {

std::vector<float> saxpy(unsigned threads, uint32_t count) {
  Ref<CpuDevice> device = makeDevice({.threads = threads});
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Saxpy", {{0, 2, false}, {0, 4, false}}, 8);
  Ref<Buffer> x = device->allocate(count * 4).value(), y = device->allocate(count * 4).value();
  for (uint32_t i = 0; i < count; ++i) {
    wordsOf<float>(*x)[i] = static_cast<float>(i) * 0.3f;
    wordsOf<float>(*y)[i] = static_cast<float>(count - i);
  }
  struct {
    float a;
    uint32_t count;
  } push{1.7f, count};
  // Slot 0 is binding 2, which is y.
  const BufferRange bindings[] = {{y.get()}, {x.get()}};
  for (int round = 0; round < 3; ++round)
    EXPECT_TRUE(launch(*queue, *kernel, {(count + 63) / 64, 1, 1}, bindings,
                       std::as_bytes(std::span(&push, 1)))
                    .isOk());
  EXPECT_TRUE(queue->finish().isOk());
  return {wordsOf<float>(*y), wordsOf<float>(*y) + count};
}

} // namespace

TEST(CpuExecution, ResultsDoNotDependOnThreads) {
  for (uint32_t count : {1u, 64u, 1000u, 300'001u}) {
    std::vector<float> one = saxpy(1, count);
    ASSERT_NEAR(one[count / 2],
                3 * 1.7f * 0.3f * static_cast<float>(count / 2) +
                    static_cast<float>(count - count / 2),
                1e-3f * static_cast<float>(count));
    for (unsigned threads : {2u, 3u, 7u})
      EXPECT_EQ(saxpy(threads, count), one) << count << " elements, " << threads << " threads";
  }
}

TEST(CpuExecution, EveryWorkgroupOnce) {
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Visits", {{0, 0, false}});
  for (std::array<uint32_t, 3> groups : {std::array<uint32_t, 3>{1, 1, 1},
                                         {1000, 1, 1},
                                         {1, 1000, 1},
                                         {7, 11, 13},
                                         {70000, 3, 2},
                                         {1, 2, 100'000}}) {
    uint64_t total = uint64_t{groups[0]} * groups[1] * groups[2];
    Ref<Buffer> visits = device->allocate(total * 4).value();
    ASSERT_TRUE(queue->fill({visits.get()}, 0).isOk());
    const BufferRange bindings[] = {{visits.get()}};
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(launch(*queue, *kernel, groups, bindings).isOk());
    ASSERT_TRUE(queue->finish().isOk());
    for (uint64_t i = 0; i < total; ++i)
      ASSERT_EQ(wordsOf<uint32_t>(*visits)[i], 3u) << i << " of " << total;
  }
}

TEST(CpuExecution, GridsOfAnySize) {
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Empty");
  // The grid has 2^62 workgroups. It ends quickly, since no workgroup does anything.
  ASSERT_TRUE(launch(*queue, *kernel, {1u << 31, 1u << 31, 1}).isOk());
  ASSERT_TRUE(queue->finish().isOk());
  Status status = launch(*queue, *kernel, {1u << 31, 1u << 31, 2});
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("2147483648"), std::string::npos) << status.message();
}

TEST(CpuExecution, MemoryOfWorkgroups) {
  for (unsigned threads : {1u, 4u}) {
    Ref<CpuDevice> device = makeDevice({.threads = threads});
    Ref<Queue> queue = device->createQueue().value();
    Ref<Kernel> kernel = makeKernel(*device, "Shared", {{0, 0, false}});
    constexpr uint32_t groups = 3000;
    Ref<Buffer> data = device->allocate(groups * 257 * 4).value();
    auto *words = wordsOf<uint32_t>(*data);
    for (uint32_t i = 0; i < groups * 257; ++i)
      words[i] = i;
    const BufferRange bindings[] = {{data.get()}};
    ASSERT_TRUE(launch(*queue, *kernel, {groups, 1, 1}, bindings).isOk());
    ASSERT_TRUE(queue->finish().isOk());
    for (uint32_t group = 0; group < groups; ++group) {
      for (uint32_t i = 0; i < 256; ++i)
        ASSERT_EQ(words[group * 257 + i], group * 257 + 255 - i) << group;
      ASSERT_EQ(words[group * 257 + 256], 0u) << "memory that is not aligned";
    }
  }
}

TEST(CpuExecution, TheThreadsOwnRoundingPlaysNoPart) {
#if defined(__x86_64__)
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Rounding", {{0, 0, false}});
  Ref<Buffer> data = device->allocate(8).value();
  const BufferRange bindings[] = {{data.get()}};
  unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80 | 0x8040 | 0x4000); // denormals are zeros, and rounding is upwards
  ASSERT_TRUE(launch(*queue, *kernel, {1, 1, 1}, bindings).isOk());
  Status status = queue->finish();
  EXPECT_EQ(_mm_getcsr() & ~0x3fu, 0x1f80u | 0x8040u | 0x4000u) << "it is the caller's";
  _mm_setcsr(before);
  ASSERT_TRUE(status.isOk());
  EXPECT_EQ(wordsOf<uint32_t>(*data)[0], 0x3eaaaaabu);
  EXPECT_EQ(wordsOf<uint32_t>(*data)[1], 0x00400000u);
#else
  GTEST_SKIP() << "x86-64 only";
#endif
}

TEST(CpuExecution, BindingsThatAreMissing) {
  Ref<CpuDevice> device = makeDevice();
  Status status = device->createKernel(Source("Saxpy", {{0, 2, false}}, 8)).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "kernel 'Saxpy': the code reads set 0 binding 4, which is not among its bindings");
}

TEST(CpuExecution, RequestsMustMatchTheCode) {
  Ref<CpuDevice> device = makeDevice();
  Source source("Saxpy", {{0, 2, false}, {0, 4, false}}, 8);
  source.requiredSubgroupSize = 16;
  EXPECT_EQ(device->createKernel(source).status().code(), StatusCode::Unsupported);
  source.requiredSubgroupSize = 8;
  EXPECT_TRUE(device->createKernel(source).isOk());
  source.workgroupSize = {32, 1, 1};
  EXPECT_EQ(device->createKernel(source).status().code(), StatusCode::InvalidArgument);
  source.workgroupSize = {64, 1, 1};
  EXPECT_TRUE(device->createKernel(source).isOk());
  source.dynamicMemoryBytes = 2u << 20;
  EXPECT_EQ(device->createKernel(source).status().code(), StatusCode::Unsupported);
}

TEST(CpuExecution, SpirvWithoutACompiler) {
  Ref<CpuDevice> device = CpuDevice::create(
      describe(hostCpu(), 1u << 30), {.threads = 1}, [](const hal::KernelSource &) {
        return Result<std::vector<uint8_t>>(Status(StatusCode::Unsupported, "no compiler"));
      });
  hal::KernelSource source;
  EXPECT_FALSE(device->createKernel(source).isOk());
}

TEST(CpuExecution, CopiesAndFillsOfAllSizes) {
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  // Large enough to bypass the caches and to use several threads.
  constexpr uint64_t largest = 40u << 20;
  Ref<Buffer> a = device->allocate(largest + 64).value(),
              b = device->allocate(largest + 64).value();
  std::byte *to = b->hostPointer(), *from = a->hostPointer();
  for (uint64_t i = 0; i < largest + 64; ++i)
    from[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (uint64_t bytes : {uint64_t{1}, uint64_t{63}, uint64_t{5000}, uint64_t{2} << 20, largest})
    for (uint64_t shift : {0, 1, 13}) {
      ASSERT_TRUE(queue->fill({b.get()}, 0xee, 1).isOk());
      ASSERT_TRUE(queue->copy({b.get(), shift, bytes}, {a.get(), 3, bytes}).isOk());
      ASSERT_TRUE(queue->finish().isOk());
      ASSERT_EQ(std::memcmp(to + shift, from + 3, bytes), 0) << bytes << " to " << shift;
      ASSERT_EQ(to[shift + bytes], std::byte{0xee});
      if (shift)
        ASSERT_EQ(to[shift - 1], std::byte{0xee});
      ASSERT_TRUE(queue->fill({b.get(), shift, bytes / 4 * 4}, 0x04030201).isOk());
      ASSERT_TRUE(queue->finish().isOk());
      for (uint64_t i = 0; i < bytes / 4 * 4; ++i)
        ASSERT_EQ(to[shift + i], static_cast<std::byte>(i % 4 + 1)) << i << " of " << bytes;
    }
}

TEST(CpuExecution, MemoryIsTheHosts) {
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  std::vector<uint32_t> words(1001, 5);
  // Downloads work at any address and with any size.
  auto *odd = reinterpret_cast<std::byte *>(words.data()) + 1;
  Ref<Buffer> imported = device->importHost(odd, 4001).value();
  EXPECT_EQ(imported->hostPointer(), odd);
  EXPECT_EQ(imported->deviceAddress(), reinterpret_cast<uintptr_t>(odd));
  ASSERT_TRUE(queue->fill({imported.get()}, 0xff, 1).isOk());
  ASSERT_TRUE(queue->finish().isOk());
  EXPECT_EQ(words[0], 0xffffff05u);
  EXPECT_EQ(words[1000], 0xffffu);
  Ref<Buffer> own = device->allocate(5).value();
  EXPECT_EQ(own->deviceAddress() % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(own->hostPointer()), own->deviceAddress());
}

TEST(CpuExecution, WorkStartsWithoutAWait) {
  // The work is too long for the submitting thread, so the queue's own thread starts it.
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Busy", {{0, 0, false}}, 4);
  Ref<Buffer> data = device->allocate(4000).value();
  ASSERT_TRUE(queue->fill({data.get()}, 1).isOk());
  const uint32_t steps = 20'000;
  const BufferRange bindings[] = {{data.get()}};
  std::atomic<bool> done = false;
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(launch(*queue, *kernel, {1000, 1, 1}, bindings, std::as_bytes(std::span(&steps, 1)))
                    .isOk());
  ASSERT_TRUE(queue->onDone([&](const Status &) { done = true; }).isOk());
  ASSERT_TRUE(queue->flush().isOk());
  for (int i = 0; i < 20000 && !done; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(done);
}

TEST(CpuExecution, WaitsThatTimeOut) {
  Ref<CpuDevice> device = makeDevice({.threads = 2, .timeout = 400ms});
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Spin");
  // The grid is small, but the queue does not know how long the kernel runs.
  ASSERT_TRUE(launch(*queue, *kernel, {1, 1, 1}).isOk());
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(queue->finish(20ms).code(), StatusCode::DeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 300ms) << "the wait's own limit";
  Status status = queue->finish();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  // A debug build also names the kernel's source line between these two parts.
  EXPECT_NE(status.message().find("kernel 'Spin': "), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("it ran longer than 400 ms"), std::string::npos)
      << status.message();
}

TEST(CpuExecution, OptionsOfTheDevice) {
  Ref<CpuDevice> device = makeDevice();
  EXPECT_TRUE(device->setOption("threads", 2).isOk());
  EXPECT_EQ(device->pool.threads(), 2u);
  EXPECT_EQ(device->setOption("threads", 0).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(device->setOption("timeout_ms", -1).code(), StatusCode::InvalidArgument);
  Status status = device->setOption("warp_size", 32);
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_NE(status.message().find("threads and timeout_ms"), std::string::npos);
}

TEST(CpuExecution, TheWatchdogEndsALaunch) {
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  ASSERT_TRUE(device->setOption("timeout_ms", 50).isOk());
  Ref<Kernel> spin = makeKernel(*device, "Spin");
  Ref<hal::Timeline> timeline = device->createTimeline().value();
  Ref<Buffer> data = device->allocate(4).value();
  for (int round = 0; round < 3; ++round) {
    auto value = static_cast<uint64_t>(round) + 1;
    Status told;
    ASSERT_TRUE(launch(*queue, *spin, {1000, 2, 1}).isOk());
    ASSERT_TRUE(queue->onDone([&](const Status &status) { told = status; }).isOk());
    ASSERT_TRUE(queue->signal({timeline.get(), value}).isOk());
    Status late = queue->finish();
    EXPECT_EQ(late.code(), StatusCode::DeadlineExceeded);
    EXPECT_NE(late.message().find("kernel 'Spin': "), std::string::npos) << late.message();
    EXPECT_NE(late.message().find("it ran longer than 50 ms"), std::string::npos) << late.message();
    EXPECT_EQ(told.code(), StatusCode::DeadlineExceeded);
    EXPECT_EQ(timeline->wait(value).code(), StatusCode::DeadlineExceeded);
    // The device is not lost, and this queue continues to work.
    EXPECT_TRUE(device->health().isOk());
    ASSERT_TRUE(queue->fill({data.get()}, value).isOk());
    ASSERT_TRUE(queue->finish().isOk());
    EXPECT_EQ(*wordsOf<uint32_t>(*data), value);
  }
  ASSERT_TRUE(device->setOption("timeout_ms", 0).isOk());
  Ref<Kernel> empty = makeKernel(*device, "Empty");
  ASSERT_TRUE(launch(*queue, *empty, {1, 1, 1}).isOk());
  EXPECT_TRUE(queue->finish().isOk());
}

TEST(CpuExecution, TheWatchdogEndsAGridOfManyWorkgroups) {
  for (unsigned threads : {1, 2}) {
    Ref<CpuDevice> device = makeDevice({.threads = threads, .timeout = 50ms});
    Ref<Queue> queue = device->createQueue().value();
    Ref<Kernel> empty = makeKernel(*device, "Empty"); // this kernel never checks for cancellation
    ASSERT_TRUE(launch(*queue, *empty, {65535, 65535, 65535}).isOk());
    EXPECT_EQ(queue->finish().code(), StatusCode::DeadlineExceeded);
    ASSERT_TRUE(launch(*queue, *empty, {1, 1, 1}).isOk());
    EXPECT_TRUE(queue->finish().isOk());
  }
}
