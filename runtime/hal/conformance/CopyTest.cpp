//===- CopyTest.cpp - copies between and within buffers ---------------------===//
#include "runtime/hal/conformance/Conformance.h"

#include <cstring>

namespace pumice::hal::conformance {

struct Copies : ConformanceTest {
  Result<std::vector<std::byte>> bytesIn(Buffer &buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    PUMICE_RETURN_IF_ERROR(queue->download(bytes, {&buffer}));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    return bytes;
  }
  Result<Ref<Buffer>> bufferOf(std::span<const std::byte> bytes,
                               MemoryKind kind = MemoryKind::Device) {
    PUMICE_TRY(Ref<Buffer> buffer, device->allocate(bytes.size(), kind));
    PUMICE_RETURN_IF_ERROR(queue->upload({buffer.get()}, bytes));
    return buffer;
  }
};
PUMICE_CONFORMANCE_AREA(Copies);

TEST_P(Copies, EveryAlignment) {
  constexpr uint64_t slot = 48; // bytes for each combination
  std::vector<std::byte> source = randomBytes(64);
  std::vector<std::byte> expected = randomBytes(8 * 8 * 25 * slot, 2);
  ASSERT_RESULT(Ref<Buffer> from, bufferOf(source));
  ASSERT_RESULT(Ref<Buffer> to, bufferOf(expected));
  uint64_t at = 0;
  for (uint64_t fromOffset = 0; fromOffset < 8; ++fromOffset)
    for (uint64_t toOffset = 0; toOffset < 8; ++toOffset)
      for (uint64_t bytes = 0; bytes < 25; ++bytes, at += slot) {
        ASSERT_OK(queue->copy({to.get(), at + toOffset, bytes}, {from.get(), fromOffset, bytes}));
        std::memcpy(&expected[at + toOffset], &source[fromOffset], bytes);
      }
  ASSERT_RESULT(std::vector<std::byte> received, bytesIn(*to));
  for (uint64_t i = 0; i < received.size(); ++i)
    ASSERT_EQ(received[i], expected[i])
        << "byte " << i % slot << " for offset " << i / slot / 25 / 8 << " to " << i / slot / 25 % 8
        << ", " << i / slot % 25 << " bytes";
}

TEST_P(Copies, WholeBuffers) {
  for (MemoryKind fromKind : {MemoryKind::Device, MemoryKind::Host})
    for (MemoryKind toKind : {MemoryKind::Device, MemoryKind::Host})
      for (uint64_t bytes : {1, 3, 4, 7, 100, 4095, 65537}) {
        std::vector<std::byte> sent = randomBytes(bytes);
        ASSERT_RESULT(Ref<Buffer> from, bufferOf(sent, fromKind));
        ASSERT_RESULT(Ref<Buffer> to, device->allocate(bytes, toKind));
        ASSERT_OK(queue->copy({to.get()}, {from.get()}));
        ASSERT_RESULT(std::vector<std::byte> received, bytesIn(*to));
        ASSERT_EQ(sent, received) << bytes;
      }
}

TEST_P(Copies, WithinOneBuffer) {
  std::vector<std::byte> expected = randomBytes(300);
  ASSERT_RESULT(Ref<Buffer> buffer, bufferOf(expected));
  Buffer *both = buffer.get();
  // Ranges that touch do not overlap.
  ASSERT_OK(queue->copy({both, 100, 100}, {both, 0, 100}));
  std::memcpy(&expected[100], &expected[0], 100);
  ASSERT_OK(queue->copy({both, 3, 9}, {both, 12, 9}));
  std::memcpy(&expected[3], &expected[12], 9);
  ASSERT_OK(queue->copy({both, 201}, {both, 1, 99}));
  std::memcpy(&expected[201], &expected[1], 99);
  ASSERT_RESULT(std::vector<std::byte> received, bytesIn(*buffer));
  EXPECT_EQ(received, expected);
}

TEST_P(Copies, OverlappingIsRefused) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(100));
  Buffer *both = buffer.get();
  for (uint64_t offset : {0, 1, 49})
    EXPECT_TRUE(isError(queue->copy({both, offset, 50}, {both, 0, 50}), StatusCode::InvalidArgument,
                        {"overlap"}));
  EXPECT_TRUE(isError(queue->copy({both, 0, 50}, {both, 49, 50}), StatusCode::InvalidArgument,
                      {"overlap"}));
  EXPECT_TRUE(queue->copy({both, 0, 50}, {both, 50, 50}).isOk());
  EXPECT_TRUE(queue->finish().isOk());
}

TEST_P(Copies, Chains) {
  // Each copy reads what the previous copy wrote, at another alignment.
  constexpr uint64_t bytes = 997;
  std::vector<std::byte> model = randomBytes(bytes);
  ASSERT_RESULT(Ref<Buffer> a, bufferOf(model));
  ASSERT_RESULT(Ref<Buffer> b, bufferOf(model));
  std::vector<std::byte> modelB = model;
  for (uint64_t i = 0; i < 64; ++i) {
    uint64_t from = i % 7, to = (i * 3) % 11, length = bytes - 11 - i;
    ASSERT_OK(queue->copy({b.get(), to, length}, {a.get(), from, length}));
    std::memcpy(&modelB[to], &model[from], length);
    std::swap(a, b);
    std::swap(model, modelB);
  }
  ASSERT_RESULT(std::vector<std::byte> received, bytesIn(*a));
  EXPECT_EQ(received, model);
}

TEST_P(Copies, Large) {
  constexpr uint64_t bytes = (uint64_t{96} << 20) + 5;
  std::vector<std::byte> sent = randomBytes(bytes), received(bytes - 3);
  ASSERT_RESULT(Ref<Buffer> from, bufferOf(sent));
  ASSERT_RESULT(Ref<Buffer> to, device->allocate(bytes, MemoryKind::Host));
  ASSERT_OK(queue->copy({to.get(), 0, bytes - 3}, {from.get(), 3}));
  ASSERT_OK(queue->download(received, {to.get(), 0, bytes - 3}));
  ASSERT_OK(queue->finish());
  EXPECT_TRUE(std::equal(received.begin(), received.end(), sent.begin() + 3));
}

TEST_P(Copies, RangesOutsideAreRefused) {
  ASSERT_RESULT(Ref<Buffer> a, device->allocate(100));
  ASSERT_RESULT(Ref<Buffer> b, device->allocate(60));
  using enum StatusCode;
  EXPECT_TRUE(isError(queue->copy({a.get(), 0, 101}, {b.get(), 0, 60}), InvalidArgument,
                      {"copy to", "101", "100"}));
  EXPECT_TRUE(isError(queue->copy({a.get(), 0, 30}, {b.get(), 31, 30}), InvalidArgument,
                      {"copy from", "30", "31", "60"}));
  EXPECT_TRUE(isError(queue->copy({a.get(), 200}, {b.get()}), InvalidArgument, {"200", "100"}));
  EXPECT_TRUE(isError(queue->copy({a.get(), UINT64_MAX, 2}, {b.get(), 0, 2}), InvalidArgument,
                      {"copy to"}));
  EXPECT_TRUE(isError(queue->copy({a.get()}, {b.get()}), InvalidArgument, {"100", "60"}));
  EXPECT_TRUE(isError(queue->copy({nullptr}, {b.get()}), InvalidArgument, {"copy to"}));
  // Copies up to the end of a buffer are in range.
  EXPECT_TRUE(queue->copy({a.get(), 100}, {b.get(), 60}).isOk());
  EXPECT_TRUE(queue->finish().isOk());
}

} // namespace pumice::hal::conformance
