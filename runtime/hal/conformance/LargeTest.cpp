//===- LargeTest.cpp - buffers and offsets beyond 4 GiB ---------------------===//
// Only the ends and the middle of a buffer are accessed. A host that allocates pages on their first
// write then needs little memory.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Large : ConformanceTest {
  static constexpr uint64_t fourGiB = uint64_t{1} << 32, bytes = fourGiB + (uint64_t{64} << 20);

  void SetUp() override {
    ConformanceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    NEEDS(limits().maxBufferBytes >= bytes,
          "buffers beyond 4 GiB: maxBufferBytes is " << limits().maxBufferBytes);
    Result<Ref<Buffer>> buffer = device->allocate(bytes);
    NEEDS(buffer.isOk() || buffer.status().code() != StatusCode::ResourceExhausted,
          "memory for " << bytes << " bytes: " << buffer.status().toString());
    ASSERT_TRUE(buffer.isOk()) << buffer.status().toString();
    large = std::move(buffer).value();
  }
  void TearDown() override {
    large = nullptr;
    ConformanceTest::TearDown();
  }

  Ref<Buffer> large;
};
PUMICE_CONFORMANCE_AREA(Large);

TEST_P(Large, UploadsAndDownloads) {
  EXPECT_EQ(large->bytes(), bytes);
  // These ranges would overlap if an offset lost its high bits.
  for (uint64_t offset : {uint64_t{0}, fourGiB - 2000, fourGiB, bytes - 4000})
    ASSERT_OK(queue->upload({large.get(), offset, 4000},
                            bytesOf(randomWords(1000, static_cast<uint32_t>(offset / 1000)))));
  for (uint64_t offset : {uint64_t{0}, fourGiB, bytes - 4000}) {
    std::vector<uint32_t> received(1000);
    ASSERT_OK(queue->download(writableBytesOf(received), {large.get(), offset, 4000}));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(received, randomWords(1000, static_cast<uint32_t>(offset / 1000))) << offset;
  }
}

TEST_P(Large, CopiesAndFills) {
  ASSERT_OK(queue->fill({large.get(), 0, 4096}, 1));
  ASSERT_OK(queue->fill({large.get(), fourGiB + 3, 4093}, 2, 1));
  ASSERT_OK(queue->fill({large.get(), fourGiB - 4096, 4096}, 3));
  ASSERT_OK(queue->copy({large.get(), bytes - 1001, 1001}, {large.get(), fourGiB + 5, 1001}));
  ASSERT_OK(queue->copy({large.get(), 8192, 4096}, {large.get(), fourGiB - 4096, 4096}));
  std::vector<std::byte> received(1001);
  ASSERT_OK(queue->download(received, {large.get(), bytes - 1001}));
  std::vector<uint32_t> first(3072);
  ASSERT_OK(queue->download(writableBytesOf(first), {large.get(), 0, 12288}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(received, std::vector<std::byte>(1001, std::byte{2}));
  EXPECT_EQ(std::count(first.begin(), first.begin() + 1024, 1u), 1024);
  EXPECT_EQ(std::count(first.begin() + 2048, first.end(), 3u), 1024);
}

TEST_P(Large, FillAcrossTheBorder) {
  ASSERT_OK(queue->fill({large.get(), 0, 64}, 7));
  ASSERT_OK(queue->fill({large.get(), fourGiB - (1 << 20), 2 << 20}, 9));
  std::vector<uint32_t> received(1 << 19), first(16);
  ASSERT_OK(
      queue->download(writableBytesOf(received), {large.get(), fourGiB - (1 << 20), 2 << 20}));
  ASSERT_OK(queue->download(writableBytesOf(first), {large.get(), 0, 64}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(received, std::vector<uint32_t>(1 << 19, 9));
  EXPECT_EQ(first, std::vector<uint32_t>(16, 7));
}

TEST_P(Large, DescriptorsBeyond) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> a = randomWords(1000, 1), b = randomWords(1000, 2);
  uint64_t step = std::max<uint64_t>(limits().bindingAlignment, 4096);
  ASSERT_OK(queue->upload({large.get(), fourGiB, 4000}, bytesOf(a)));
  ASSERT_OK(queue->upload({large.get(), fourGiB + step, 4000}, bytesOf(b)));
  ASSERT_OK(queue->fill({large.get(), 0, 4000}, 1));
  const BufferRange bindings[] = {{large.get(), fourGiB + 2 * step, 4000},
                                  {large.get(), fourGiB, 4000},
                                  {large.get(), fourGiB + step, 4000}};
  const BufferUse uses[] = {{large.get()}};
  const uint32_t parameters[] = {1000, 3, 0};
  Dispatch work;
  work.kernel = mix.kernel().get();
  work.groups = {16, 1, 1};
  work.pushConstants = bytesOf(parameters);
  work.bindings = bindings;
  work.uses = uses;
  ASSERT_OK(submit(*queue, work));
  std::vector<uint32_t> received(1000), first(1000);
  ASSERT_OK(queue->download(writableBytesOf(received), {large.get(), fourGiB + 2 * step, 4000}));
  ASSERT_OK(queue->download(writableBytesOf(first), {large.get(), 0, 4000}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(received, Mix::of(a, b));
  EXPECT_EQ(first, std::vector<uint32_t>(1000, 1));
}

TEST_P(Large, AddressesBeyond) {
  NEEDS(info().bufferAddresses, "buffer device addresses");
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "MixAddress", {}, 36));
  std::vector<uint32_t> a = randomWords(1000, 1);
  ASSERT_OK(queue->upload({large.get(), fourGiB + 4, 4000}, bytesOf(a)));
  ASSERT_OK(queue->fill({large.get(), 0, 8192}, 1));
  uint64_t from = large->deviceAddress() + fourGiB + 4, to = from + 8192;
  std::array<uint32_t, 9> parameters{static_cast<uint32_t>(to),
                                     static_cast<uint32_t>(to >> 32),
                                     static_cast<uint32_t>(from),
                                     static_cast<uint32_t>(from >> 32),
                                     static_cast<uint32_t>(from),
                                     static_cast<uint32_t>(from >> 32),
                                     1000,
                                     3,
                                     0};
  const BufferUse uses[] = {{large.get()}};
  Dispatch work;
  work.kernel = kernel.get();
  work.groups = {16, 1, 1};
  work.pushConstants = bytesOf(parameters);
  work.uses = uses;
  ASSERT_OK(submit(*queue, work));
  std::vector<uint32_t> received(1000);
  ASSERT_OK(queue->download(writableBytesOf(received), {large.get(), fourGiB + 4 + 8192, 4000}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(received, Mix::of(a, a));
}

} // namespace pumice::hal::conformance
