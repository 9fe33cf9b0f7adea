//===- CallbackTest.cpp - callbacks when work is done -----------------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <thread>

namespace pumice::hal::conformance {

struct Callbacks : ConformanceTest {};
PUMICE_CONFORMANCE_AREA(Callbacks);

TEST_P(Callbacks, AfterTheWorkBeforeThem) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(40000, MemoryKind::Host));
  auto *words = reinterpret_cast<volatile uint32_t *>(buffer->hostPointer());
  std::atomic<uint32_t> seen = 0, calls = 0;
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 10000, 2, 300));
  ASSERT_OK(queue->onDone([&](const Status &status) {
    EXPECT_TRUE(status.isOk()) << status.toString();
    seen = words[9999];
    ++calls;
  }));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(calls, 1u) << "finish returns when callbacks have run";
  EXPECT_EQ(seen, Mix::of(1, 1, 9999, 2, 300));
}

TEST_P(Callbacks, InOrderAndOnce) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4));
  std::vector<int> order;
  std::mutex mutex;
  for (int i = 0; i < 500; ++i) {
    ASSERT_OK(queue->fill({buffer.get()}, 1));
    ASSERT_OK(queue->onDone([&, i](const Status &status) {
      EXPECT_TRUE(status.isOk());
      std::lock_guard lock(mutex);
      order.push_back(i);
    }));
    if (i % 100 == 50)
      ASSERT_OK(queue->flush());
    if (i % 7 == 3)
      ASSERT_OK(queue->letBegin());
  }
  ASSERT_OK(queue->finish());
  ASSERT_OK(queue->finish());
  ASSERT_EQ(order.size(), 500u);
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_P(Callbacks, MayReleaseTheirQueue) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4000, MemoryKind::Host));
  auto *words = reinterpret_cast<volatile uint32_t *>(buffer->hostPointer());
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  std::atomic<int> calls = 0;
  {
    ASSERT_RESULT(Ref<Queue> own, device->createQueue());
    ASSERT_OK(own->fill({buffer.get()}, 6));
    auto last = std::make_shared<Ref<Queue>>(own);
    ASSERT_OK(own->onDone([&calls, last](const Status &) {
      *last = nullptr;
      ++calls;
    }));
    ASSERT_OK(own->signal({timeline.get(), 1}));
    ASSERT_OK(own->fill({buffer.get()}, 7)); // the queue finishes this before it is destroyed
  }
  ASSERT_OK(timeline->wait(1, std::chrono::seconds(20)));
  // The callback may run on any thread.
  for (int i = 0; i < 20000 && (calls == 0 || words[999] != 7); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(words[999], 7u);
}

TEST_P(Callbacks, OnAnIdleQueue) {
  std::atomic<int> calls = 0;
  ASSERT_OK(queue->onDone([&](const Status &) { ++calls; }));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(calls, 1);
}

TEST_P(Callbacks, NoticedWithoutAWait) {
  // The caller never waits, but keeps calling the queue. One of these calls must run the callback.
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
  std::atomic<int> calls = 0;
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_OK(queue->onDone([&](const Status &) { ++calls; }));
  ASSERT_OK(queue->flush());
  for (int i = 0; i < 2000 && calls == 0; ++i) {
    ASSERT_OK(queue->flush());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(calls, 1);
  ASSERT_OK(queue->finish());
  EXPECT_EQ(calls, 1);
}

TEST_P(Callbacks, ReleaseTheirObjects) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watched = held;
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_OK(queue->onDone([held, buffer](const Status &) mutable { buffer = nullptr; }));
  held = nullptr;
  buffer = nullptr;
  ASSERT_OK(queue->finish());
  EXPECT_TRUE(watched.expired());
}

TEST_P(Callbacks, WhenTheQueueIsLetGo) {
  std::atomic<int> calls = 0;
  {
    ASSERT_RESULT(Ref<Queue> own, device->createQueue());
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 << 20));
    ASSERT_OK(own->fill({buffer.get()}, 1));
    ASSERT_OK(own->onDone([&](const Status &) { ++calls; }));
  }
  for (int i = 0; i < 2000 && calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(calls, 1);
}

} // namespace pumice::hal::conformance
