//===- GraphTest.cpp - captured work, and its replays -----------------------===//
#include "runtime/hal/Graph.h"
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

struct Graphs : ConformanceTest {};
PUMICE_CONFORMANCE_AREA(Graphs);

TEST_P(Graphs, RunOnlyWhenReplayed) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> a = randomWords(1000, 1), b = randomWords(1000, 2),
                        c = randomWords(1000, 3);
  ASSERT_RESULT(Ref<Buffer> x, upload(a));
  ASSERT_RESULT(Ref<Buffer> y, upload(b));
  ASSERT_RESULT(Ref<Buffer> z, upload(c));
  ASSERT_RESULT(Ref<Buffer> copied, device->allocate(4000));
  ASSERT_OK(queue->beginCapture());
  EXPECT_TRUE(queue->isCapturing());
  ASSERT_OK(queue->upload({y.get()}, bytesOf(b))); // the graph keeps these bytes
  ASSERT_OK(mix.dispatch(*queue, *z, *x, *y, 1000));
  ASSERT_OK(queue->copy({copied.get()}, {z.get()}));
  ASSERT_OK(queue->fill({z.get(), 5, 11}, 0xab, 1));
  ASSERT_RESULT(Ref<Graph> graph, queue->endCapture());
  EXPECT_FALSE(queue->isCapturing());
  ASSERT_RESULT(std::vector<uint32_t> words, download(*z));
  EXPECT_EQ(words, c) << "nothing has run";

  for (uint32_t seed : {4, 5}) {
    a = randomWords(1000, seed);
    ASSERT_OK(queue->upload({x.get()}, bytesOf(a)));
    ASSERT_OK(queue->fill({y.get()}, 7)); // the replay restores it
    ASSERT_OK(queue->replay(*graph));
    std::vector<uint32_t> expected = Mix::of(a, b);
    ASSERT_RESULT(words, download(*copied));
    EXPECT_EQ(words, expected);
    std::memset(reinterpret_cast<std::byte *>(expected.data()) + 5, 0xab, 11);
    ASSERT_RESULT(words, download(*z));
    EXPECT_EQ(words, expected);
  }
}

TEST_P(Graphs, ReplaysRunOneAfterTheOther) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  constexpr uint32_t count = 4096, rounds = 50;
  std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
  ASSERT_RESULT(Ref<Buffer> x, upload(a));
  ASSERT_RESULT(Ref<Buffer> y, upload(b));
  ASSERT_OK(queue->beginCapture());
  ASSERT_OK(mix.dispatch(*queue, *x, *x, *y, count));
  ASSERT_OK(mix.dispatch(*queue, *y, *x, *y, count, 5));
  ASSERT_RESULT(Ref<Graph> graph, queue->endCapture());
  EXPECT_EQ(graph->size(), 2u);
  for (uint32_t i = 0; i < rounds; ++i) {
    ASSERT_OK(queue->replay(*graph));
    a = Mix::of(a, b);
    b = Mix::of(a, b, 5);
    if (i % 10 == 3) { // other work in between
      ASSERT_OK(mix.dispatch(*queue, *y, *y, *x, count, 7));
      b = Mix::of(b, a, 7);
    }
  }
  ASSERT_RESULT(std::vector<uint32_t> words, download(*x));
  EXPECT_EQ(words, a);
  ASSERT_RESULT(words, download(*y));
  EXPECT_EQ(words, b);
}

TEST_P(Graphs, KeepWhatTheyUse) {
  std::vector<uint32_t> a = randomWords(1000, 1), b = randomWords(1000, 2);
  ASSERT_RESULT(Ref<Buffer> z, device->allocate(4000));
  Ref<Graph> graph;
  {
    ASSERT_RESULT(Mix mix, Mix::make(*device));
    ASSERT_RESULT(Ref<Buffer> x, upload(a));
    ASSERT_RESULT(Ref<Buffer> y, upload(b));
    ASSERT_RESULT(Ref<Queue> other, device->createQueue());
    ASSERT_OK(other->beginCapture());
    ASSERT_OK(mix.dispatch(*other, *z, *x, *y, 1000));
    ASSERT_RESULT(graph, other->endCapture());
  }
  ASSERT_OK(queue->replay(*graph)); // its queue is gone
  graph = nullptr;                  // the replay keeps it
  ASSERT_RESULT(std::vector<uint32_t> words, download(*z));
  EXPECT_EQ(words, Mix::of(a, b));
}

TEST_P(Graphs, RejectWhatCannotRunAgain) {
  constexpr auto invalid = StatusCode::InvalidArgument;
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(64));
  ASSERT_RESULT(Ref<Timeline> timeline, device->createTimeline());
  EXPECT_TRUE(isError(queue->endCapture(), invalid, {"not capturing", "beginCapture"}));
  ASSERT_OK(queue->beginCapture());
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_RESULT(Ref<Graph> graph, queue->endCapture());

  ASSERT_OK(queue->beginCapture());
  std::byte bytes[64];
  auto rejects = [&](const Status &status, std::string_view what) {
    return isError(status, invalid, {what, "capturing a graph", "before the capture begins"});
  };
  EXPECT_TRUE(rejects(queue->download(bytes, {buffer.get()}), "download"));
  EXPECT_TRUE(rejects(queue->finish(), "finish"));
  EXPECT_TRUE(rejects(queue->wait({timeline.get(), 1}), "wait"));
  EXPECT_TRUE(rejects(queue->signal({timeline.get(), 1}), "signal"));
  EXPECT_TRUE(rejects(queue->onDone([](const Status &) {}), "callback"));
  EXPECT_TRUE(rejects(queue->replay(*graph), "replay"));
  EXPECT_TRUE(isError(queue->beginCapture(), invalid, {"end that capture first"}));
  queue->dropCapture();
  EXPECT_FALSE(queue->isCapturing());
  ASSERT_OK(queue->finish()); // the queue works as before

  ASSERT_RESULT(Ref<Device> another, openAnother());
  ASSERT_RESULT(Ref<Queue> foreign, another->createQueue());
  if (another.get() != device.get())
    EXPECT_TRUE(isError(foreign->replay(*graph), invalid, {"the graph belongs to"}));
}

TEST_P(Graphs, MayBeEmpty) {
  ASSERT_OK(queue->beginCapture());
  ASSERT_RESULT(Ref<Graph> graph, queue->endCapture());
  EXPECT_EQ(graph->size(), 0u);
  ASSERT_OK(queue->replay(*graph));
  ASSERT_OK(queue->finish());
}

TEST_P(Graphs, ReplayOnOtherQueuesAndWithManyCommands) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  constexpr uint32_t count = 64, rounds = 600; // more than one batch takes
  std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
  ASSERT_RESULT(Ref<Buffer> x, upload(a));
  ASSERT_RESULT(Ref<Buffer> y, upload(b));
  ASSERT_OK(queue->beginCapture());
  for (uint32_t i = 0; i < rounds; ++i) {
    ASSERT_OK(mix.dispatch(*queue, *x, *x, *y, count, i));
    a = Mix::of(a, b, i);
  }
  ASSERT_RESULT(Ref<Graph> graph, queue->endCapture());
  ASSERT_RESULT(Ref<Queue> other, device->createQueue());
  ASSERT_OK(queue->finish()); // the uploads, for which another queue does not wait
  ASSERT_OK(other->replay(*graph));
  ASSERT_OK(other->finish());
  ASSERT_RESULT(std::vector<uint32_t> words, download(*x));
  EXPECT_EQ(words, a);
}

TEST_P(Graphs, AreMeasuredByLaunch) {
  NEEDS(limits().timestampNanoseconds > 0, "timestamps");
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4000));
  ASSERT_RESULT(Ref<Queue> measured, device->createQueue({.profiling = true}));
  ASSERT_OK(measured->beginCapture());
  ASSERT_OK(measured->fill({buffer.get()}, 1));
  ASSERT_OK(mix.dispatch(*measured, *buffer, *buffer, *buffer, 1000));
  ASSERT_RESULT(Ref<Graph> graph, measured->endCapture());
  ASSERT_OK(measured->replay(*graph));
  ASSERT_OK(measured->finish());
  ASSERT_RESULT(std::vector<ProfileRecord> records, measured->takeProfile());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].label, "Mix");
}

} // namespace pumice::hal::conformance
