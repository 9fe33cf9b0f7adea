//===- TransferTest.cpp - uploads and downloads -----------------------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Transfers : ConformanceTest {};
PUMICE_CONFORMANCE_AREA(Transfers);

TEST_P(Transfers, OddSizesAndOffsets) {
  std::vector<std::byte> model = randomBytes(100000, 3);
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(model.size()));
  ASSERT_OK(queue->upload({buffer.get()}, model));
  std::mt19937 random(5);
  std::vector<std::vector<std::byte>> received, expected;
  for (int i = 0; i < 300; ++i) {
    uint64_t bytes = i % 3 ? random() % 64 : random() % 5000;
    uint64_t offset = random() % (model.size() - bytes);
    std::vector<std::byte> sent = randomBytes(bytes, random());
    ASSERT_OK(queue->upload({buffer.get(), offset, bytes}, sent));
    std::copy(sent.begin(), sent.end(), model.begin() + static_cast<ptrdiff_t>(offset));
    bytes = random() % 200;
    offset = random() % (model.size() - bytes);
    auto begin = model.begin() + static_cast<ptrdiff_t>(offset);
    expected.emplace_back(begin, begin + static_cast<ptrdiff_t>(bytes));
    received.emplace_back(bytes);
    ASSERT_OK(queue->download(received.back(), {buffer.get(), offset, bytes}));
  }
  ASSERT_OK(queue->finish());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(received[i], expected[i]) << i;
}

TEST_P(Transfers, LargerThanAnyStaging) {
  for (uint64_t bytes : {(uint64_t{1} << 24) + 1, (uint64_t{300} << 20) + 3}) {
    std::vector<std::byte> sent = randomBytes(bytes), received(bytes);
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes));
    ASSERT_OK(queue->upload({buffer.get()}, sent));
    ASSERT_OK(queue->download(received, {buffer.get()}));
    ASSERT_OK(queue->finish());
    EXPECT_TRUE(sent == received) << bytes;
  }
}

TEST_P(Transfers, MoreInAllThanAnyStaging) {
  // No call waits in between, so the queue must reuse its staging memory.
  constexpr uint32_t pieces = 400, words = (1 << 18) / 4;
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(pieces * words * 4));
  std::vector<uint32_t> piece(words), received(pieces * words);
  for (uint32_t i = 0; i < pieces; ++i) {
    std::fill(piece.begin(), piece.end(), i);
    ASSERT_OK(queue->upload({buffer.get(), i * words * 4, words * 4}, bytesOf(piece)));
  }
  for (uint32_t i = 0; i < pieces; ++i)
    ASSERT_OK(queue->download(std::as_writable_bytes(std::span(received).subspan(i * words, words)),
                              {buffer.get(), i * words * 4, words * 4}));
  ASSERT_OK(queue->finish());
  for (uint32_t i = 0; i < pieces * words; ++i)
    ASSERT_EQ(received[i], i / words) << i;
}

TEST_P(Transfers, ManySmall) {
  constexpr uint32_t count = 20000;
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(count * 4));
  std::vector<uint32_t> expected = randomWords(count), received(count);
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_OK(queue->upload({buffer.get(), i * 4, 4}, std::as_bytes(std::span(&expected[i], 1))));
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_OK(queue->download(std::as_writable_bytes(std::span(&received[i], 1)),
                              {buffer.get(), i * 4, 4}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(received, expected);
}

TEST_P(Transfers, SourceIsReadBeforeTheCallReturns) {
  for (uint32_t words : {1u, 100u, 1u << 20, 20u << 20}) {
    std::vector<uint32_t> sent = randomWords(words), kept = sent;
    ASSERT_RESULT(Ref<Buffer> buffer, upload(sent));
    std::fill(sent.begin(), sent.end(), 0xdeadbeef);
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_TRUE(received == kept) << words;
  }
}

TEST_P(Transfers, BetweenKernels) {
  // The results must be as if each piece ran after the one before it.
  constexpr uint32_t count = 5000;
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> b = randomWords(count, 9);
  ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
  ASSERT_RESULT(Ref<Buffer> bufferA, device->allocate(count * 4));
  ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
  std::vector<std::vector<uint32_t>> expected, received(40, std::vector<uint32_t>(count));
  for (uint32_t i = 0; i < received.size(); ++i) {
    std::vector<uint32_t> a = randomWords(count, i);
    ASSERT_OK(queue->upload({bufferA.get()}, bytesOf(a)));
    ASSERT_OK(mix.dispatch(*queue, *result, *bufferA, *bufferB, count, i, 50));
    ASSERT_OK(queue->download(writableBytesOf(received[i]), {result.get()}));
    expected.push_back(Mix::of(a, b, i, 50));
  }
  ASSERT_OK(queue->finish());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(received[i], expected[i]) << i;
}

TEST_P(Transfers, RefusedLengths) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(16));
  std::vector<std::byte> bytes(17);
  using enum StatusCode;
  EXPECT_TRUE(isError(queue->upload({buffer.get()}, bytes), InvalidArgument, {"17", "16"}));
  EXPECT_TRUE(isError(queue->upload({buffer.get(), 0, 17}, bytes), InvalidArgument,
                      {"upload", "17", "16"}));
  EXPECT_TRUE(isError(queue->download(bytes, {buffer.get()}), InvalidArgument, {"16", "17"}));
  EXPECT_TRUE(isError(queue->download(bytes, {buffer.get(), 1, 17}), InvalidArgument,
                      {"download", "17", "1", "16"}));
  EXPECT_TRUE(isError(queue->upload({nullptr, 0, 17}, bytes), InvalidArgument, {"upload"}));
  EXPECT_TRUE(queue->upload({buffer.get(), 16}, {}).isOk());
  EXPECT_TRUE(queue->download({}, {buffer.get(), 3, 0}).isOk());
  EXPECT_TRUE(queue->finish().isOk());
}

} // namespace pumice::hal::conformance
