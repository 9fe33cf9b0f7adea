//===- TimelineTest.cpp - points are reached when their work is done --------===//
#include "runtime/drivers/vulkan/DriverTest.h"

#include <functional>
#include <thread>

namespace pumice::vulkan {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<uint32_t>;

class Timelines : public test::DriverTest {};
PUMICE_DRIVER_TESTS(Timelines);

TEST_P(Timelines, StartAndGrow) {
  Ref<hal::Timeline> timeline = newTimeline(5);
  EXPECT_EQ(*timeline->value(), 5u);
  EXPECT_OK(timeline->wait(5));
  EXPECT_OK(timeline->signal(9));
  EXPECT_EQ(*timeline->value(), 9u);
  EXPECT_FALSE(timeline->signal(9).isOk());
}

TEST_P(Timelines, WaitsSubmitPendingWork) {
  Ref<hal::Timeline> timeline = newTimeline();
  Ref<hal::Buffer> buffer = newBuffer(4000);
  EXPECT_OK(queue->fill({buffer.get()}, 1));
  EXPECT_OK(queue->signal({timeline.get(), 3}));
  EXPECT_OK(timeline->wait(2));
  EXPECT_EQ(*timeline->value(), 3u);
}

/// Nobody waits, and no call follows: the device's starter submits what `letBegin` left.
TEST_P(Timelines, LeftWorkBeginsOnceTheDeviceHasLittleToDo) {
  Ref<hal::Timeline> timeline = newTimeline();
  Ref<hal::Buffer> large = newBuffer(64 << 20), small = newBuffer(4000);
  for (uint64_t turn = 1; turn <= 3; ++turn) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(queue->fill({large.get()}, 1));
      EXPECT_OK(queue->flush());
    }
    EXPECT_OK(queue->fill({small.get()}, 2));
    EXPECT_OK(queue->signal({timeline.get(), turn}));
    EXPECT_OK(queue->letBegin());
    EXPECT_OK(queue->letBegin());
    auto end = std::chrono::steady_clock::now() + 60s;
    while (*timeline->value() < turn && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(1ms);
    EXPECT_EQ(*timeline->value(), turn);
  }
}

/// The starter may look at a queue that another thread destroys.
TEST_P(Timelines, QueuesWithLeftWorkMayBeDestroyed) {
  Ref<hal::Buffer> buffer = newBuffer(1 << 20);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        Ref<hal::Queue> own = newQueue();
        for (int launch = 0; launch < 10; ++launch) {
          EXPECT_OK(own->fill({buffer.get()}, 1));
          EXPECT_OK(own->letBegin());
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_P(Timelines, TimeOuts) {
  Ref<hal::Timeline> timeline = newTimeline();
  EXPECT_EQ(timeline->wait(1, 5ms).code(), StatusCode::DeadlineExceeded);
  EXPECT_OK(queue->wait({timeline.get(), 1}));
  EXPECT_EQ(queue->finish(5ms).code(), StatusCode::DeadlineExceeded);
  EXPECT_OK(timeline->signal(1));
  EXPECT_OK(queue->finish(10s));
}

/// A callback runs inside the call that notices the completion. The callback may release the queue
/// on which the call was made.
TEST_P(Timelines, AQueueLivesUntilTheCallEndsThatNoticed) {
  Ref<hal::Buffer> buffer = newBuffer(4000);
  Words to(1000);
  auto bytes = std::as_writable_bytes(std::span(to));
  std::function<Status(hal::Queue &)> calls[] = {
      [&](hal::Queue &own) { return own.finish(); },
      [&](hal::Queue &own) { return own.flush(); },
      [&](hal::Queue &own) { return own.fill({buffer.get()}, 2); },
      [&](hal::Queue &own) { return own.download(bytes, {buffer.get()}); },
      [&](hal::Queue &own) { return own.takeProfile().status(); },
  };
  for (const auto &call : calls) {
    bool gone = false;
    auto last = std::make_shared<Ref<hal::Queue>>(newQueue());
    hal::Queue &own = **last;
    EXPECT_OK(own.fill({buffer.get()}, 1));
    EXPECT_OK(own.onDone([&gone, last](const Status &) {
      *last = nullptr;
      gone = true;
    }));
    last.reset();
    EXPECT_OK(own.flush());
    // The device may be busy with the work of other processes.
    auto patience = std::chrono::steady_clock::now() + 20s;
    while (!gone && std::chrono::steady_clock::now() < patience)
      EXPECT_OK(call(own));
    EXPECT_TRUE(gone);
  }
}

TEST_P(Timelines, QueuesWaitForEachOther) {
  Ref<hal::Queue> other = newQueue();
  Ref<hal::Timeline> timeline = newTimeline();
  Ref<hal::Buffer> a = newBuffer(400000), b = newBuffer(400000);
  uint64_t now = 0;
  Words out(100000);
  for (uint32_t round = 1; round < 50; ++round) {
    EXPECT_OK(queue->wait({timeline.get(), now}));
    EXPECT_OK(queue->fill({a.get()}, round));
    EXPECT_OK(queue->signal({timeline.get(), ++now}));
    EXPECT_OK(other->wait({timeline.get(), now}));
    EXPECT_OK(other->copy({b.get()}, {a.get()}));
    EXPECT_OK(other->signal({timeline.get(), ++now}));
    if (round % 7 == 0) {
      EXPECT_OK(get(*other, out, *b));
      EXPECT_OK(other->finish());
      EXPECT_EQ(out, Words(100000, round));
    }
  }
  EXPECT_OK(timeline->wait(now));
}

/// The wait is recorded and flushed before any signal is recorded.
TEST_P(Timelines, WaitsMayComeBeforeSignals) {
  Ref<hal::Queue> other = newQueue(), third = newQueue();
  Ref<hal::Timeline> first = newTimeline(), second = newTimeline();
  Ref<hal::Buffer> a = newBuffer(4000);
  Words out(1000);
  EXPECT_OK(third->wait({second.get(), 1}));
  EXPECT_OK(get(*third, out, *a));
  EXPECT_OK(third->flush());
  EXPECT_OK(other->wait({first.get(), 1}));
  EXPECT_OK(other->fill({a.get()}, 6));
  EXPECT_OK(other->signal({second.get(), 1}));
  EXPECT_OK(other->flush());
  // The waits of `other` and `third` must not block `queue`, although all three may use the same
  // VkQueue.
  Ref<hal::Buffer> b = newBuffer(4000);
  EXPECT_OK(queue->fill({b.get()}, 1));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(*second->value(), 0u);
  EXPECT_OK(queue->signal({first.get(), 1}));
  EXPECT_OK(third->finish()); // submits all work on which it depends
  EXPECT_EQ(out, Words(1000, 6));
}

TEST_P(Timelines, TheHostSignalsFromAnotherThread) {
  Ref<hal::Timeline> timeline = newTimeline();
  Ref<hal::Buffer> a = newBuffer(4000);
  Words out(1000);
  EXPECT_OK(queue->wait({timeline.get(), 1}));
  EXPECT_OK(queue->fill({a.get()}, 8));
  EXPECT_OK(get(*queue, out, *a));
  EXPECT_OK(queue->signal({timeline.get(), 2}));
  std::thread signaler([&] {
    std::this_thread::sleep_for(10ms);
    EXPECT_OK(timeline->signal(1));
  });
  EXPECT_OK(timeline->wait(2));
  EXPECT_EQ(out, Words(1000, 8));
  signaler.join();
}

TEST_P(Timelines, CallbacksRunInOrder) {
  Ref<hal::Buffer> a = newBuffer(4000);
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    EXPECT_OK(queue->fill({a.get()}, 1));
    EXPECT_OK(queue->onDone([&order, i](const Status &status) {
      EXPECT_OK(status);
      order.push_back(i);
    }));
  }
  EXPECT_OK(queue->finish());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_OK(queue->onDone([&](const Status &) { order.push_back(5); }));
  queue = nullptr; // destroying a queue also runs its callbacks
  EXPECT_EQ(order.back(), 5);
}

TEST_P(Timelines, ADestroyedQueueCancelsBlockedWork) {
  Ref<hal::Timeline> never = newTimeline(), after = newTimeline();
  Ref<hal::Buffer> a = newBuffer(4000);
  Status told;
  EXPECT_OK(queue->wait({never.get(), 1}));
  EXPECT_OK(queue->fill({a.get()}, 1));
  EXPECT_OK(queue->onDone([&](const Status &status) { told = status; }));
  EXPECT_OK(queue->signal({after.get(), 1}));
  queue = nullptr;
  EXPECT_FALSE(told.isOk());
  Status status = after->wait(1, 1s);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.toString();
}

TEST_P(Timelines, ManyThreadsWaitForOneQueue) {
  Ref<hal::Timeline> timeline = newTimeline();
  Ref<hal::Buffer> a = newBuffer(4000);
  constexpr uint64_t points = 60;
  std::vector<std::thread> threads;
  for (uint64_t t = 1; t <= 3; ++t)
    threads.emplace_back([&, t] {
      for (uint64_t value = t; value <= points; value += t)
        EXPECT_OK(timeline->wait(value));
    });
  for (uint64_t value = 1; value <= points; ++value) {
    EXPECT_OK(queue->fill({a.get()}, 1));
    EXPECT_OK(queue->signal({timeline.get(), value}));
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(*timeline->value(), points);
}

TEST_P(Timelines, ProfilesMeasureEachPiece) {
  Ref<hal::Queue> measured = newQueue({.profiling = true});
  constexpr uint64_t bytes = 8 << 20;
  Ref<hal::Buffer> a = newBuffer(bytes), b = newBuffer(bytes);
  for (int i = 0; i < 300; ++i) // more than fit in a batch
    EXPECT_OK(measured->fill({a.get(), 0, 4096}, 1));
  EXPECT_OK(measured->copy({b.get()}, {a.get()}));
  EXPECT_OK(measured->finish());
  Result<std::vector<hal::ProfileRecord>> records = measured->takeProfile();
  ASSERT_TRUE(records.isOk());
  ASSERT_EQ(records->size(), 301u);
  const hal::ProfileRecord &copy = records->back();
  EXPECT_EQ(copy.kind, hal::ProfileRecord::Kind::Copy);
  EXPECT_EQ(copy.bytes, bytes);
  EXPECT_GT(copy.hostNanoseconds, 0u);
  if (device->info().limits.timestampNanoseconds > 0) {
    EXPECT_GT(copy.deviceEnd, copy.deviceBegin);
    EXPECT_GE(copy.deviceBegin, records->front().deviceEnd);
  }
  EXPECT_TRUE(measured->takeProfile()->empty());
}

} // namespace
} // namespace pumice::vulkan
