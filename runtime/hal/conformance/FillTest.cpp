//===- FillTest.cpp - fills of every pattern, offset and length -------------===//
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

struct Fills : ConformanceTest {
  static void fillModel(std::span<std::byte> bytes, uint32_t pattern, uint32_t patternBytes) {
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(pattern >> (8 * (i % patternBytes)));
  }
};
PUMICE_CONFORMANCE_AREA(Fills);

TEST_P(Fills, EveryAlignment) {
  constexpr uint64_t slot = 40;
  std::vector<std::byte> expected = randomBytes(3 * 8 * 25 * slot);
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(expected.size()));
  ASSERT_OK(queue->upload({buffer.get()}, expected));
  uint64_t at = 0;
  for (uint32_t patternBytes : {1, 2, 4})
    for (uint64_t offset = 0; offset < 8; ++offset)
      for (uint64_t bytes = 0; bytes < 25; ++bytes, at += slot) {
        if (bytes % patternBytes)
          continue;
        uint32_t pattern = 0x04030201u * static_cast<uint32_t>(bytes + 1);
        ASSERT_OK(queue->fill({buffer.get(), at + offset, bytes}, pattern, patternBytes));
        fillModel(std::span(expected).subspan(at + offset, bytes), pattern, patternBytes);
      }
  std::vector<std::byte> received(expected.size());
  ASSERT_OK(queue->download(received, {buffer.get()}));
  ASSERT_OK(queue->finish());
  for (uint64_t i = 0; i < received.size(); ++i)
    ASSERT_EQ(received[i], expected[i])
        << "byte " << i % slot << " for pattern " << i / slot / 25 / 8 << ", offset "
        << i / slot / 25 % 8 << ", " << i / slot % 25 << " bytes";
}

TEST_P(Fills, WholeBuffers) {
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host})
    for (uint64_t bytes : {1, 2, 3, 4, 5, 6, 7, 8, 4093, 65536, 1000002})
      for (uint32_t patternBytes : {1, 2, 4}) {
        if (bytes % patternBytes)
          continue;
        std::vector<std::byte> expected(bytes), received(bytes);
        ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes, kind));
        ASSERT_OK(queue->fill({buffer.get()}, 0x89abcdef, patternBytes));
        ASSERT_OK(queue->download(received, {buffer.get()}));
        ASSERT_OK(queue->finish());
        fillModel(expected, 0x89abcdef, patternBytes);
        ASSERT_EQ(received, expected) << bytes << " bytes, pattern of " << patternBytes;
      }
}

TEST_P(Fills, HighBitsOfThePatternDoNotCount) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(8));
  ASSERT_OK(queue->fill({buffer.get(), 0, 4}, 0x12345678, 1));
  ASSERT_OK(queue->fill({buffer.get(), 4, 4}, 0x12345678, 2));
  ASSERT_RESULT(std::vector<uint32_t> words, download(*buffer));
  EXPECT_EQ(words, (std::vector<uint32_t>{0x78787878, 0x56785678}));
}

TEST_P(Fills, Large) {
  constexpr uint64_t bytes = (uint64_t{96} << 20) + 7;
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes));
  ASSERT_OK(queue->fill({buffer.get()}, 0x5a, 1));
  ASSERT_OK(queue->fill({buffer.get(), 1, bytes - 3}, 0xc0ffee11, 4));
  std::vector<std::byte> expected(bytes), received(bytes);
  fillModel(expected, 0x5a, 1);
  fillModel(std::span(expected).subspan(1, bytes - 3), 0xc0ffee11, 4);
  ASSERT_OK(queue->download(received, {buffer.get()}));
  ASSERT_OK(queue->finish());
  EXPECT_TRUE(received == expected);
}

TEST_P(Fills, RefusedPatternsAndRanges) {
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(10));
  using enum StatusCode;
  for (uint32_t patternBytes : {0, 3, 5, 8, 16})
    EXPECT_TRUE(isError(queue->fill({buffer.get(), 0, 0}, 1, patternBytes), InvalidArgument,
                        {std::to_string(patternBytes), "1, 2 or 4"}));
  EXPECT_TRUE(isError(queue->fill({buffer.get()}, 1, 4), InvalidArgument, {"10", "4"}));
  EXPECT_TRUE(isError(queue->fill({buffer.get(), 0, 3}, 1, 2), InvalidArgument, {"3", "2"}));
  EXPECT_TRUE(isError(queue->fill({buffer.get(), 8, 4}, 1), InvalidArgument, {"8", "4", "10"}));
  EXPECT_TRUE(isError(queue->fill({nullptr}, 1), InvalidArgument, {"fill"}));
  EXPECT_TRUE(queue->fill({buffer.get(), 10}, 1).isOk());
  EXPECT_TRUE(queue->finish().isOk());
}

} // namespace pumice::hal::conformance
