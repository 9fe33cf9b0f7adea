//===- TimelineTest.cpp - counters between queues and the host --------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <thread>

namespace pumice::hal::conformance {

using namespace std::chrono_literals;

struct Timelines : ConformanceTest {
  using Clock = std::chrono::steady_clock;
};
PUMICE_CONFORMANCE_AREA(Timelines);

TEST_P(Timelines, FromTheHost) {
  for (uint64_t initial : {uint64_t{0}, uint64_t{41}, uint64_t{1} << 40}) {
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline(initial));
    ASSERT_RESULT(uint64_t value, timeline->value());
    EXPECT_EQ(value, initial);
    EXPECT_TRUE(timeline->wait(initial, 0ns).isOk());
    ASSERT_OK(timeline->signal(initial + 1));
    ASSERT_OK(timeline->signal(initial + 10)); // values may be skipped
    ASSERT_RESULT(value, timeline->value());
    EXPECT_EQ(value, initial + 10);
    EXPECT_TRUE(timeline->wait(initial + 5, 0ns).isOk());
    EXPECT_TRUE(timeline->wait(initial + 10).isOk());
  }
}

TEST_P(Timelines, OnlyGrow) {
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline(7));
  for (uint64_t value : {0, 3, 7})
    EXPECT_TRUE(isError(timeline->signal(value), StatusCode::InvalidArgument,
                        {"7", std::to_string(value)}));
  ASSERT_RESULT(uint64_t value, timeline->value());
  EXPECT_EQ(value, 7u);
}

TEST_P(Timelines, TimeOuts) {
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  EXPECT_TRUE(isError(timeline->wait(1, 0ns), StatusCode::DeadlineExceeded));
  Clock::time_point begin = Clock::now();
  EXPECT_TRUE(isError(timeline->wait(1, 30ms), StatusCode::DeadlineExceeded));
  EXPECT_GE(Clock::now() - begin, 30ms);
  EXPECT_LT(Clock::now() - begin, 10s);
  ASSERT_OK(timeline->signal(1)); // a time-out leaves the timeline usable
  EXPECT_TRUE(timeline->wait(1, 0ns).isOk());
}

TEST_P(Timelines, HostWakesHost) {
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  std::thread waker([&] {
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(timeline->signal(5).isOk());
  });
  EXPECT_TRUE(timeline->wait(5, 20s).isOk());
  waker.join();
}

TEST_P(Timelines, QueueWakesHost) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(40000, MemoryKind::Host));
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  for (uint32_t i = 1; i < 20; ++i) {
    ASSERT_OK(queue->fill({buffer.get()}, i));
    ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 10000, 1, 100));
    ASSERT_OK(queue->signal({timeline.get(), i * 3}));
    // The wait submits pending work, whatever value it waits for, up to the signalled one.
    ASSERT_OK(timeline->wait(i * 3 - i % 3, 20s));
    auto *words = reinterpret_cast<const uint32_t *>(buffer->hostPointer());
    for (uint32_t j = 0; j < 10000; j += 999)
      ASSERT_EQ(words[j], Mix::of(i, i, j, 1, 100));
    ASSERT_RESULT(uint64_t value, timeline->value());
    EXPECT_EQ(value, i * 3);
  }
}

TEST_P(Timelines, ValueIsPolledAfterFlush) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 << 20));
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_OK(queue->signal({timeline.get(), 9}));
  ASSERT_OK(queue->flush());
  uint64_t value = 0;
  for (Clock::time_point end = Clock::now() + 20s; value < 9 && Clock::now() < end;) {
    ASSERT_RESULT(value, timeline->value());
    std::this_thread::yield();
  }
  EXPECT_EQ(value, 9u);
}

TEST_P(Timelines, QueueWaitsForHost) {
  ASSERT_RESULT(Ref<Buffer> buffer, upload(std::vector<uint32_t>{1, 1}));
  ASSERT_OK(queue->finish());
  ASSERT_RESULT(Ref<Timeline> gate, device->createTimeline());
  ASSERT_RESULT(Ref<Timeline> done, device->createTimeline());
  ASSERT_OK(queue->wait({gate.get(), 2}));
  ASSERT_OK(queue->fill({buffer.get()}, 2));
  ASSERT_OK(queue->signal({done.get(), 1}));
  ASSERT_OK(queue->flush());
  EXPECT_TRUE(isError(done->wait(1, 20ms), StatusCode::DeadlineExceeded));
  EXPECT_TRUE(isError(queue->finish(20ms), StatusCode::DeadlineExceeded));
  ASSERT_OK(gate->signal(1));
  EXPECT_TRUE(isError(done->wait(1, 20ms), StatusCode::DeadlineExceeded));
  ASSERT_OK(gate->signal(2));
  ASSERT_OK(done->wait(1, 20s));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, (std::vector<uint32_t>{2, 2}));
}

TEST_P(Timelines, QueueWaitsForQueue) {
  // The queue that waits is submitted first. The other queue's work is held back until then.
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Queue> other, device->createQueue());
  std::vector<uint32_t> model = randomWords(1000);
  ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
  ASSERT_OK(queue->finish());
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  ASSERT_OK(queue->wait({timeline.get(), 1}));
  ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 1000, 2));
  ASSERT_OK(queue->flush());
  ASSERT_OK(mix.dispatch(*other, *buffer, *buffer, *buffer, 1000, 5, 1000));
  ASSERT_OK(other->signal({timeline.get(), 1}));
  ASSERT_OK(queue->finish(20s));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  model = Mix::of(model, model, 5, 1000);
  EXPECT_EQ(received, Mix::of(model, model, 2));
}

TEST_P(Timelines, PingPong) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Queue> other, device->createQueue());
  std::vector<uint32_t> model = randomWords(500);
  ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  ASSERT_OK(queue->signal({timeline.get(), 1}));
  for (uint64_t i = 1; i < 100; ++i) {
    Queue &turn = i % 2 ? *other : *queue;
    ASSERT_OK(turn.wait({timeline.get(), i}));
    ASSERT_OK(mix.dispatch(turn, *buffer, *buffer, *buffer, 500, static_cast<uint32_t>(i), 20));
    ASSERT_OK(turn.signal({timeline.get(), i + 1}));
    model = Mix::of(model, model, static_cast<uint32_t>(i), 20);
  }
  ASSERT_OK(timeline->wait(100, 20s));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, model);
}

/// Queues take turns on one timeline. Each step waits for the step before it, which another queue
/// runs. A queue's own later signal must not count as the point for which it waits.
TEST_P(Timelines, QueuesInTurnsRecordedInAnyOrder) {
  constexpr uint32_t steps = 12;
  constexpr size_t turns = 3;
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  for (uint32_t way = 0; way < 8; ++way) {
    bool backwards = way & 1, flushed = way & 2, finished = way & 4;
    SCOPED_TRACE("way " + std::to_string(way));
    std::vector<uint32_t> model = randomWords(100);
    ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
    ASSERT_OK(queue->finish());
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
    std::vector<Ref<Queue>> queues;
    for (size_t i = 0; i < turns; ++i) {
      ASSERT_RESULT(Ref<Queue> own, device->createQueue());
      size_t turn = backwards ? turns - 1 - i : i;
      for (uint32_t step = static_cast<uint32_t>(turn); step < steps; step += turns) {
        ASSERT_OK(own->wait({timeline.get(), step}));
        ASSERT_OK(mix.dispatch(*own, *buffer, *buffer, *buffer, 100, step, 20));
        ASSERT_OK(own->signal({timeline.get(), step + 1}));
      }
      if (flushed)
        ASSERT_OK(own->flush());
      queues.push_back(std::move(own));
    }
    for (uint32_t step = 0; step < steps; ++step)
      model = Mix::of(model, model, step, 20);
    if (finished)
      for (const Ref<Queue> &own : queues)
        ASSERT_OK(own->finish(20s));
    else
      ASSERT_OK(timeline->wait(steps, 20s));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received, model);
  }
}

TEST_P(Timelines, TheFirstOfSeveralSignalsEndsTheWait) {
  for (uint64_t later : {1, 9}) {
    SCOPED_TRACE("later " + std::to_string(later));
    ASSERT_RESULT(Ref<Timeline> gate, device->createTimeline());
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
    ASSERT_RESULT(Ref<Timeline> done, device->createTimeline());
    ASSERT_RESULT(Ref<Queue> held, device->createQueue());
    ASSERT_RESULT(Ref<Queue> other, device->createQueue());
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
    ASSERT_OK(held->wait({gate.get(), 1}));
    ASSERT_OK(held->signal({timeline.get(), later}));
    ASSERT_OK(other->fill({buffer.get()}, 4));
    ASSERT_OK(other->signal({timeline.get(), 5}));
    ASSERT_OK(queue->wait({timeline.get(), 1}));
    ASSERT_OK(queue->signal({done.get(), 1}));
    EXPECT_TRUE(timeline->wait(1, 20s).isOk());
    EXPECT_TRUE(done->wait(1, 20s).isOk());
    EXPECT_TRUE(queue->finish(20s).isOk());
    ASSERT_OK(gate->signal(1));
    EXPECT_TRUE(held->finish(20s).isOk());
    ASSERT_RESULT(uint64_t value, timeline->value());
    EXPECT_EQ(value, std::max<uint64_t>(later, 5));
  }
}

TEST_P(Timelines, OneSignalManyWaiters) {
  ASSERT_RESULT(Ref<Timeline> gate, device->createTimeline());
  std::vector<Ref<Queue>> queues;
  std::vector<Ref<Buffer>> buffers;
  for (uint32_t i = 0; i < 6; ++i) {
    ASSERT_RESULT(Ref<Queue> waiter, device->createQueue());
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
    ASSERT_OK(waiter->wait({gate.get(), i + 1}));
    ASSERT_OK(waiter->fill({buffer.get()}, i));
    ASSERT_OK(waiter->flush());
    queues.push_back(std::move(waiter));
    buffers.push_back(std::move(buffer));
  }
  ASSERT_OK(gate->signal(100));
  for (uint32_t i = 0; i < 6; ++i) {
    ASSERT_OK(queues[i]->finish(20s));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffers[i]));
    EXPECT_EQ(received, std::vector<uint32_t>(16, i));
  }
}

TEST_P(Timelines, WaitForAReachedValue) {
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline(5));
  for (uint64_t value : {0, 4, 5})
    ASSERT_OK(queue->wait({timeline.get(), value}));
  ASSERT_OK(queue->signal({timeline.get(), 6}));
  ASSERT_OK(queue->wait({timeline.get(), 6})); // waits for a signal of the same queue
  ASSERT_OK(queue->finish(20s));
  ASSERT_RESULT(uint64_t value, timeline->value());
  EXPECT_EQ(value, 6u);
}

TEST_P(Timelines, ManyPoints) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4));
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  for (uint64_t i = 1; i <= 3000; ++i) {
    ASSERT_OK(queue->fill({buffer.get()}, static_cast<uint32_t>(i)));
    ASSERT_OK(queue->signal({timeline.get(), i}));
  }
  ASSERT_OK(timeline->wait(3000, 60s));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received[0], 3000u);
}

TEST_P(Timelines, ManyThreadsWait) {
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i <= 8; ++i)
    threads.emplace_back([&timeline, i] {
      EXPECT_TRUE(timeline->wait(i, 20s).isOk());
      Result<uint64_t> value = timeline->value();
      EXPECT_TRUE(value.isOk() && *value >= i);
    });
  for (uint64_t i = 1; i <= 8; ++i) {
    if (i % 2)
      EXPECT_TRUE(timeline->signal(i).isOk());
    else {
      EXPECT_TRUE(queue->signal({timeline.get(), i}).isOk());
      EXPECT_TRUE(queue->finish(20s).isOk());
    }
  }
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace pumice::hal::conformance
