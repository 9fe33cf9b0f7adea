//===- ForkTest.cpp - both sides of a fork go on ----------------------------===//
#include "runtime/drivers/cpu/TestKernels.h"

#include <thread>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
using hal::Buffer;
using hal::BufferRange;
using hal::Kernel;
using hal::Queue;

#if defined(__SANITIZE_THREAD__)
#define PUMICE_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PUMICE_UNDER_TSAN 1
#endif
#endif

namespace {

/// Launches a kernel on all workers, and checks the result.
bool works(Queue &queue, Kernel &visits, Buffer &words) {
  constexpr uint32_t groups = 200'000;
  if (!queue.fill({&words}, 0).isOk())
    return false;
  const BufferRange bindings[] = {{&words}};
  for (int i = 0; i < 2; ++i)
    if (!launch(queue, visits, {groups, 1, 1}, bindings).isOk())
      return false;
  if (!queue.finish().isOk())
    return false;
  for (uint32_t i = 0; i < groups; ++i)
    if (wordsOf<uint32_t>(words)[i] != 2)
      return false;
  return true;
}

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

} // namespace

TEST(CpuFork, BothProcessesKeepWorking) {
#ifdef PUMICE_UNDER_TSAN
  GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
#endif
  Ref<CpuDevice> device = makeDevice();
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> visits = makeKernel(*device, "Visits", {{0, 0, false}});
  Ref<Buffer> words = device->allocate(200'000 * 4).value();
  ASSERT_TRUE(works(*queue, *visits, *words)); // starts the workers
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(inChild([&] {
      Ref<Queue> another = device->createQueue().value();
      return works(*queue, *visits, *words) && works(*another, *visits, *words);
    }));
    EXPECT_TRUE(works(*queue, *visits, *words));
  }
}

TEST(CpuFork, OtherThreadsWorkDuringTheFork) {
#ifdef PUMICE_UNDER_TSAN
  GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
#endif
  Ref<CpuDevice> device = makeDevice();
  Ref<Kernel> visits = makeKernel(*device, "Visits", {{0, 0, false}});
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      Ref<Queue> own = device->createQueue().value();
      Ref<Buffer> words = device->allocate(200'000 * 4).value();
      while (!stop)
        EXPECT_TRUE(works(*own, *visits, *words));
    });
  Ref<Queue> queue = device->createQueue().value();
  Ref<Buffer> words = device->allocate(200'000 * 4).value();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(inChild([&] {
      // The child must also be able to destroy the device.
      bool worked = works(*queue, *visits, *words);
      queue = nullptr;
      return worked;
    })) << i;
    EXPECT_TRUE(works(*queue, *visits, *words));
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CpuFork, RunningWorkIsReportedAsFailed) {
#ifdef PUMICE_UNDER_TSAN
  GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
#endif
  Ref<CpuDevice> device = makeDevice({.threads = 2, .timeout = std::chrono::milliseconds(300)});
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> spin = makeKernel(*device, "Spin");
  ASSERT_TRUE(launch(*queue, *spin, {50'000, 1, 1}).isOk());
  ASSERT_TRUE(queue->flush().isOk());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(inChild([&] {
    Status status = queue->finish();
    return status.code() == StatusCode::Internal && queue->finish().isOk();
  }));
  EXPECT_EQ(queue->finish().code(), StatusCode::DeadlineExceeded);
}

#endif
