//===- ConcurrencyTest.cpp - several queues and threads at once -------------===//
// Runs random programs. A failure prints its seed, and PUMICE_SEED=N runs the same programs again.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/RandomProgram.h"

#include <random>
#include <thread>

namespace pumice::hal::conformance {

struct Concurrency : ConformanceTest {
  /// Runs several rounds of `steps`, and checks the result of each.
  static Status runProgram(Device &device, std::vector<Ref<Queue>> queues, uint32_t seed,
                           uint32_t steps) {
    PUMICE_TRY(auto program, RandomProgram::make(device, std::move(queues), seed));
    for (uint32_t round = 0; round < 3; ++round) {
      for (uint32_t i = 0; i < steps; ++i)
        PUMICE_RETURN_IF_ERROR(program->step());
      PUMICE_RETURN_IF_ERROR(program->check());
    }
    return Status::ok();
  }

  Result<std::vector<Ref<Queue>>> makeQueues(size_t count) {
    std::vector<Ref<Queue>> queues;
    for (size_t i = 0; i < count; ++i) {
      PUMICE_TRY(Ref<Queue> made, device->createQueue());
      queues.push_back(std::move(made));
    }
    return queues;
  }

  /// Compiles code of a length that no other code has, runs it once, and releases it.
  static Status runSteps(Device &device, Queue &queue, uint32_t steps) {
    constexpr uint32_t count = 256;
    PUMICE_TRY(Ref<Kernel> kernel, makeKernel(device, "Steps", {{0, 0}}, 0, {{0, 4, steps}}));
    PUMICE_TRY(Ref<Buffer> buffer, device.allocate(count * 4, MemoryKind::Host));
    PUMICE_TRY(Ref<Timeline> timeline, device.createTimeline());
    const BufferRange bindings[] = {{buffer.get()}};
    const BufferUse uses[] = {{buffer.get(), executable::Access::Write}};
    Dispatch work;
    work.kernel = kernel.get();
    work.groups = {count / 64, 1, 1};
    work.bindings = bindings;
    work.uses = uses;
    PUMICE_RETURN_IF_ERROR(submit(queue, work));
    PUMICE_RETURN_IF_ERROR(queue.signal({timeline.get(), 1}));
    PUMICE_RETURN_IF_ERROR(timeline->wait(1));
    auto *words = reinterpret_cast<const uint32_t *>(buffer->hostPointer());
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t value = i;
      for (uint32_t step = 0; step < steps; ++step)
        value = value * 1664525u + (i ^ step) * 7u;
      if (words[i] != value)
        return Status(StatusCode::Internal,
                      std::to_string(steps) + " steps: word " + std::to_string(i) + " is " +
                          std::to_string(words[i]) + ", not " + std::to_string(value));
    }
    return Status::ok();
  }

  static std::string seedText() { return "PUMICE_SEED=" + std::to_string(seedOfRun()); }
};
PUMICE_CONFORMANCE_AREA(Concurrency);

TEST_P(Concurrency, RandomWorkOnOneQueue) {
  for (uint32_t i = 0; i < 6; ++i)
    EXPECT_TRUE(isError(runProgram(*device, {queue}, seedOfRun() + i, 150), StatusCode::Ok))
        << seedText();
}

TEST_P(Concurrency, RandomWorkOnSeveralQueues) {
  for (uint32_t i = 0; i < 4; ++i) {
    ASSERT_RESULT(std::vector<Ref<Queue>> queues, makeQueues(2 + i));
    EXPECT_TRUE(
        isError(runProgram(*device, std::move(queues), seedOfRun() + i, 150), StatusCode::Ok))
        << seedText();
  }
}

TEST_P(Concurrency, ThreadsWithQueuesOfTheirOwn) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    ASSERT_RESULT(std::vector<Ref<Queue>> queues, makeQueues(1 + i % 2));
    threads.emplace_back([this, i, queues] {
      EXPECT_TRUE(isError(runProgram(*device, queues, seedOfRun() + i, 150), StatusCode::Ok))
          << seedText();
    });
  }
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Concurrency, ThreadsThatShareAQueue) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      EXPECT_TRUE(isError(runProgram(*device, {queue}, seedOfRun() + i, 100), StatusCode::Ok))
          << seedText();
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Concurrency, DevicesAtOnce) {
  // Opens a GPU twice, and uses each device on its own thread.
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i)
    threads.emplace_back([this, i] {
      Result<Ref<Device>> own = openAnother();
      ASSERT_TRUE(own.isOk()) << own.status().toString();
      Result<Ref<Queue>> ownQueue = (*own)->createQueue();
      ASSERT_TRUE(ownQueue.isOk()) << ownQueue.status().toString();
      EXPECT_TRUE(isError(runProgram(**own, {*ownQueue}, seedOfRun() + i, 150), StatusCode::Ok))
          << seedText();
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Concurrency, ObjectsComeAndGo) {
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      for (uint32_t j = 0; j < 50; ++j) {
        Result<Mix> mix = Mix::make(*device);
        Result<Ref<Queue>> own = device->createQueue();
        Result<Ref<Timeline>> timeline = device->createTimeline();
        Result<Ref<Buffer>> buffer = device->allocate(1000 * (j + 1), MemoryKind::Host);
        ASSERT_TRUE(mix.isOk() && own.isOk() && timeline.isOk() && buffer.isOk());
        ASSERT_OK((*own)->fill({buffer->get()}, i));
        ASSERT_OK(mix->dispatch(**own, **buffer, **buffer, **buffer, 200, j));
        ASSERT_OK((*own)->signal({timeline->get(), 1}));
        ASSERT_OK((*timeline)->wait(1));
        auto *words = reinterpret_cast<const uint32_t *>((*buffer)->hostPointer());
        ASSERT_EQ(words[150], Mix::of(i, i, 150, j));
        ASSERT_EQ(words[200], i);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Concurrency, KernelsOfManyLengths) {
  // New code reuses the memory of released code while other threads run kernels.
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      std::mt19937 random(seedOfRun() + i);
      Result<Ref<Queue>> own = device->createQueue();
      ASSERT_TRUE(own.isOk()) << own.status().toString();
      for (uint32_t j = 0; j < 24; ++j)
        ASSERT_TRUE(isError(runSteps(*device, **own, random() % 40), StatusCode::Ok)) << seedText();
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace pumice::hal::conformance
