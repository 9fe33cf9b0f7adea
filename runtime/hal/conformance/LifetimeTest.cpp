//===- LifetimeTest.cpp - objects let go of before their work is done -------===//
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

struct Lifetime : ConformanceTest {
  static constexpr uint32_t count = 20000;

  /// Records work that takes some time. Nothing else keeps its buffers and its kernel alive.
  Status recordOnTemporaries(const Ref<Buffer> &result, uint32_t factor) {
    PUMICE_TRY(Mix mix, Mix::make(*device));
    PUMICE_TRY(Ref<Buffer> a, upload(std::vector<uint32_t>(count, factor)));
    PUMICE_TRY(Ref<Buffer> b, device->allocate(count * 4));
    PUMICE_RETURN_IF_ERROR(queue->fill({b.get()}, 5));
    PUMICE_TRY(Ref<Buffer> between, device->allocate(count * 4));
    PUMICE_RETURN_IF_ERROR(mix.dispatch(*queue, *between, *a, *b, count, factor, 200));
    return queue->copy({result.get()}, {between.get()});
  }
};
PUMICE_CONFORMANCE_AREA(Lifetime);

TEST_P(Lifetime, BuffersAndKernels) {
  std::vector<Ref<Buffer>> results;
  for (uint32_t i = 0; i < 40; ++i) {
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
    ASSERT_OK(recordOnTemporaries(result, i));
    if (i % 8 == 7)
      ASSERT_OK(queue->flush());
    results.push_back(std::move(result));
  }
  for (uint32_t i = 0; i < results.size(); ++i) {
    ASSERT_RESULT(std::vector<uint32_t> received, download(*results[i]));
    for (uint32_t j = 0; j < count; j += 37)
      ASSERT_EQ(received[j], Mix::of(i, 5, j, i, 200)) << i;
  }
}

TEST_P(Lifetime, ResultsAndDestinations) {
  // No one reads the results of this work.
  for (uint32_t i = 0; i < 20; ++i) {
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
    ASSERT_OK(recordOnTemporaries(result, i));
    if (i % 5 == 0)
      ASSERT_OK(queue->flush());
  }
  ASSERT_OK(queue->finish());
}

TEST_P(Lifetime, Timelines) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
  {
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
    ASSERT_OK(queue->signal({timeline.get(), 1}));
    ASSERT_OK(queue->wait({timeline.get(), 1}));
  }
  ASSERT_OK(queue->fill({buffer.get()}, 3));
  {
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline(4));
    ASSERT_OK(queue->wait({timeline.get(), 2}));
    ASSERT_OK(queue->signal({timeline.get(), 5}));
    ASSERT_OK(queue->flush());
  }
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, std::vector<uint32_t>(16, 3));
}

TEST_P(Lifetime, QueuesWithWorkInFlight) {
  for (uint32_t i = 0; i < 10; ++i) {
    ASSERT_RESULT(Mix mix, Mix::make(*device));
    ASSERT_RESULT(Ref<Buffer> buffer, upload(std::vector<uint32_t>(count, i)));
    ASSERT_OK(queue->finish());
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
    {
      ASSERT_RESULT(Ref<Queue> own, device->createQueue());
      ASSERT_OK(mix.dispatch(*own, *buffer, *buffer, *buffer, count, 3, 500));
      ASSERT_OK(own->signal({timeline.get(), 1}));
      if (i % 2) // otherwise, destroying the queue must submit the work
        ASSERT_OK(own->flush());
    }
    ASSERT_OK(timeline->wait(1, std::chrono::seconds(20)));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    for (uint32_t j = 0; j < count; j += 371)
      ASSERT_EQ(received[j], Mix::of(i, i, j, 3, 500));
  }
}

TEST_P(Lifetime, ManyQueuesOneAfterTheOther) {
  // Each queue waits for the one before it, which is destroyed by then.
  std::vector<uint32_t> model(16, 1);
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
  ASSERT_OK(queue->finish());
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  for (uint64_t i = 0; i < 600; ++i) {
    ASSERT_RESULT(Ref<Queue> own, device->createQueue());
    ASSERT_OK(own->wait({timeline.get(), i}));
    ASSERT_OK(mix.dispatch(*own, *buffer, *buffer, *buffer, 16, 3, 10));
    ASSERT_OK(own->signal({timeline.get(), i + 1}));
    model = Mix::of(model, model, 3, 10);
    ASSERT_OK(own->flush());
  }
  ASSERT_OK(timeline->wait(600, std::chrono::seconds(20)));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, model);
}

TEST_P(Lifetime, ChildrenKeepTheDeviceOpen) {
  ASSERT_RESULT(Ref<Device> other, openAnother());
  ASSERT_RESULT(Ref<Queue> itsQueue, other->createQueue());
  ASSERT_RESULT(Ref<Buffer> buffer, other->allocate(64));
  ASSERT_RESULT(Ref<Timeline> timeline, other->createTimeline());
  ASSERT_RESULT(Mix mix, Mix::make(*other));
  other = nullptr;
  ASSERT_OK(itsQueue->fill({buffer.get()}, 2));
  ASSERT_OK(mix.dispatch(*itsQueue, *buffer, *buffer, *buffer, 16));
  ASSERT_OK(itsQueue->signal({timeline.get(), 1}));
  itsQueue = nullptr;
  ASSERT_OK(timeline->wait(1, std::chrono::seconds(20)));
  EXPECT_EQ(&buffer->device(), &timeline->device());
  timeline = nullptr;
  ASSERT_RESULT(itsQueue, buffer->device().createQueue());
  std::vector<uint32_t> received(16);
  ASSERT_OK(itsQueue->download(writableBytesOf(received), {buffer.get()}));
  ASSERT_OK(itsQueue->finish());
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(received[i], Mix::of(2, 2, i));
}

TEST_P(Lifetime, UnobservedDownloadsAreDropped) {
  // After an error, nobody waits, and `to` may be freed before the queue. So destroying the queue
  // abandons downloads that have not happened yet. On a busy host, all work may have finished by
  // then; the test then tries again with more work.
  const std::vector<uint32_t> nothing(1000, 0);
  std::vector<uint32_t> unheard;
  for (uint32_t turns = 4000; turns <= 4000 << 5 && unheard != nothing; turns *= 2) {
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4000));
    ASSERT_RESULT(Ref<Buffer> large, device->allocate(1 << 20));
    ASSERT_RESULT(Mix mix, Mix::make(*device));
    std::vector<uint32_t> heard(1000);
    unheard = nothing;
    ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
    {
      ASSERT_RESULT(Ref<Queue> own, device->createQueue());
      ASSERT_OK(own->fill({buffer.get()}, 9)); // so that there is something to wait for
      ASSERT_OK(own->download(writableBytesOf(heard), {buffer.get()}));
      ASSERT_OK(own->signal({timeline.get(), 1}));
      ASSERT_OK(own->fill({buffer.get()}, 8));
      ASSERT_OK(mix.dispatch(*own, *large, *large, *large, 1 << 18, 3, turns));
      ASSERT_OK(own->download(writableBytesOf(unheard), {buffer.get()}));
    }
    ASSERT_OK(timeline->wait(1, std::chrono::seconds(20)));
    EXPECT_EQ(heard, std::vector<uint32_t>(1000, 9));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer)); // all other work was done
    EXPECT_EQ(received, std::vector<uint32_t>(1000, 8));
  }
  EXPECT_EQ(unheard, nothing);
}

TEST_P(Lifetime, DownloadsBeforeACallbackAreDone) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4000));
  std::vector<uint32_t> heard(1000), told;
  {
    ASSERT_RESULT(Ref<Queue> own, device->createQueue());
    ASSERT_OK(own->fill({buffer.get()}, 9));
    ASSERT_OK(own->download(writableBytesOf(heard), {buffer.get()}));
    ASSERT_OK(own->onDone([&](const Status &) { told = heard; }));
  }
  EXPECT_EQ(told, std::vector<uint32_t>(1000, 9));
}

TEST_P(Lifetime, DownloadsMayEndWithTheQueueAlive) {
  // `to` may be freed after a later wait has returned.
  ASSERT_RESULT(Ref<Buffer> buffer, upload(std::vector<uint32_t>(1000, 9)));
  for (int i = 0; i < 50; ++i) {
    auto received = std::make_unique<std::vector<uint32_t>>(1000);
    ASSERT_OK(queue->download(writableBytesOf(*received), {buffer.get()}));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(received->back(), 9u);
  }
}

} // namespace pumice::hal::conformance
