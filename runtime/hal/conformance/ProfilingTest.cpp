//===- ProfilingTest.cpp - measurements of queues ---------------------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <array>
#include <atomic>

namespace pumice::hal::conformance {

struct Profiling : ConformanceTest {
  void SetUp() override {
    ConformanceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    ASSERT_RESULT(queue, device->createQueue({.profiling = true}));
  }
};
PUMICE_CONFORMANCE_AREA(Profiling);

TEST_P(Profiling, EachPieceInOrder) {
  using Kind = ProfileRecord::Kind;
  NEEDS(limits().timestampNanoseconds > 0, "timestamps");
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> words = randomWords(100000);
  ASSERT_RESULT(Ref<Buffer> a, device->allocate(400000));
  ASSERT_RESULT(Ref<Buffer> b, device->allocate(400000));
  ASSERT_OK(queue->upload({a.get()}, bytesOf(words)));
  ASSERT_OK(queue->copy({b.get()}, {a.get()}));
  ASSERT_OK(mix.dispatch(*queue, *a, *a, *b, 100000, 3, 100));
  ASSERT_OK(queue->fill({b.get(), 0, 1000}, 1));
  ASSERT_OK(queue->download(writableBytesOf(words), {a.get()}));
  ASSERT_OK(queue->finish());
  ASSERT_RESULT(std::vector<ProfileRecord> records, queue->takeProfile());
  const Kind kinds[] = {Kind::Upload, Kind::Copy, Kind::Dispatch, Kind::Fill, Kind::Download};
  const uint64_t bytes[] = {400000, 400000, 0, 1000, 400000};
  ASSERT_EQ(records.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(records[i].kind, kinds[i]) << i;
    EXPECT_EQ(records[i].bytes, bytes[i]) << i;
    EXPECT_LE(records[i].deviceBegin, records[i].deviceEnd) << i;
    EXPECT_GT(records[i].hostNanoseconds, 0u) << i;
    EXPECT_LT(records[i].hostNanoseconds, 60'000'000'000u) << i;
  }
  EXPECT_EQ(records[2].label, "Mix");
  EXPECT_GT(records[2].deviceEnd, records[2].deviceBegin) << "ten million steps take some time";
}

TEST_P(Profiling, TimeOnlyGrows) {
  NEEDS(limits().timestampNanoseconds > 0, "timestamps");
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4000));
  uint64_t last = 0;
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 500; ++i)
      ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 1000, i, 10));
    ASSERT_OK(queue->finish());
    ASSERT_RESULT(std::vector<ProfileRecord> records, queue->takeProfile());
    ASSERT_EQ(records.size(), 500u);
    for (const ProfileRecord &record : records) {
      // Each launch depends on the one before it, so it cannot begin earlier.
      EXPECT_GE(record.deviceBegin, last);
      EXPECT_GE(record.deviceEnd, record.deviceBegin);
      last = record.deviceBegin;
    }
  }
}

TEST_P(Profiling, LongerWorkTakesLonger) {
  NEEDS(limits().timestampNanoseconds > 0, "timestamps");
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 << 20));
  uint64_t best[2] = {UINT64_MAX, UINT64_MAX};
  // Measures from before the first dispatch, because the device may be done before the host waits.
  auto begin = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < 10; ++i)
    ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 1 << 18, 3, i % 2 ? 4000 : 0));
  ASSERT_OK(queue->finish());
  auto host = std::chrono::steady_clock::now() - begin;
  ASSERT_RESULT(std::vector<ProfileRecord> records, queue->takeProfile());
  ASSERT_EQ(records.size(), 10u);
  uint64_t sum = 0;
  for (size_t i = 0; i < 10; ++i) {
    uint64_t time = records[i].deviceEnd - records[i].deviceBegin;
    best[i % 2] = std::min(best[i % 2], time);
    sum += time;
  }
  EXPECT_GT(best[1], best[0]);
  // The times must be nanoseconds, and not ticks of a clock that runs at another rate.
  auto waited = static_cast<uint64_t>(std::chrono::nanoseconds(host).count());
  EXPECT_LT(sum, waited * 5 + 50'000'000) << "the host saw " << waited;
}

TEST_P(Profiling, TimesOfWorkWithoutProfiling) {
  NEEDS(limits().timestampNanoseconds > 0, "timestamps");
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 << 20));
  ASSERT_RESULT(Ref<Queue> plain, device->createQueue());
  std::array<std::atomic<uint64_t>, 40> times{};
  auto note = [&](size_t i) {
    return plain->onTime([&times, i](const Status &status, uint64_t nanoseconds) {
      times[i] = status.isOk() ? nanoseconds : 0;
    });
  };
  // An H200 took 56 us for 2000 rounds, and 170 us for the other launches.
  uint32_t most = device->info().kind == DeviceKind::Discrete ? 20000 : 2000;
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < times.size(); ++i) { // more than fit into a batch
    ASSERT_OK(note(i));
    if (i % 2 == 0)
      ASSERT_OK(mix.dispatch(*plain, *buffer, *buffer, *buffer, 1 << 18, 3, i == 20 ? most : 1));
  }
  ASSERT_OK(plain->finish());
  auto host = std::chrono::steady_clock::now() - begin;
  for (size_t i = 1; i < times.size(); ++i) {
    EXPECT_GT(times[i - 1], 0u) << i;
    EXPECT_GE(times[i], times[i - 1]) << i;
  }
  uint64_t longest = times[21] - times[20], all = times.back() - times.front();
  const std::string &driver = device->info().driver;
  if (driver == "vulkan" || driver == "cpu") // others only have the host's times
    EXPECT_GT(longest, all / 2);
  auto waited = static_cast<uint64_t>(std::chrono::nanoseconds(host).count());
  EXPECT_LT(all, waited * 5 + 50'000'000) << "the host saw " << waited;
}

TEST_P(Profiling, TakenOnce) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4));
  ASSERT_OK(queue->fill({buffer.get()}, 1));
  ASSERT_OK(queue->finish());
  ASSERT_RESULT(std::vector<ProfileRecord> records, queue->takeProfile());
  EXPECT_LE(records.size(), 1u);
  ASSERT_RESULT(records, queue->takeProfile());
  EXPECT_TRUE(records.empty());
}

TEST_P(Profiling, NothingUnlessAsked) {
  ASSERT_RESULT(Ref<Queue> plain, device->createQueue());
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4));
  ASSERT_OK(plain->fill({buffer.get()}, 1));
  ASSERT_OK(plain->finish());
  ASSERT_RESULT(std::vector<ProfileRecord> records, plain->takeProfile());
  EXPECT_TRUE(records.empty());
}

} // namespace pumice::hal::conformance
