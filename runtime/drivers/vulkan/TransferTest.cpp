//===- TransferTest.cpp - bytes arrive whole, whatever their place and size -===//
#include "runtime/drivers/vulkan/DriverTest.h"

#include <cstdlib>
#include <random>

namespace pumice::vulkan {
namespace {

using hal::MemoryKind;
using Bytes = std::vector<uint8_t>;

class Transfer : public test::DriverTest {
protected:
  void adjust(test::Found &) override {
    options.stagingChunkBytes = 4096; // far less than the data
    options.stagingChunks = 3;
  }
  static Bytes noise(size_t count) {
    std::mt19937 random(static_cast<uint32_t>(count));
    Bytes bytes(count);
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    return bytes;
  }
};
PUMICE_DRIVER_TESTS(Transfer);

TEST_P(Transfer, MoreThanStagingHolds) {
  Bytes in = noise(1000003), out(in.size());
  Ref<hal::Buffer> a = newBuffer(in.size()), b = newBuffer(in.size());
  EXPECT_OK(put(*queue, *a, in));
  EXPECT_OK(queue->copy({b.get()}, {a.get()}));
  EXPECT_OK(get(*queue, out, *b));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(in, out);
}

TEST_P(Transfer, AnyOffsetAndLength) {
  constexpr size_t size = 64;
  Bytes expected = noise(size), out(size);
  Ref<hal::Buffer> a = newBuffer(size), b = newBuffer(size);
  EXPECT_OK(put(*queue, *a, expected));
  for (uint64_t offset = 0; offset < 9; ++offset)
    for (uint64_t length = 1; length < 12; ++length) {
      Bytes piece = noise(length);
      EXPECT_OK(queue->upload({a.get(), offset, length}, std::as_bytes(std::span(piece))));
      std::copy(piece.begin(), piece.end(), expected.begin() + offset);
      EXPECT_OK(queue->copy({a.get(), 30 + offset, length}, {a.get(), offset, length}));
      std::copy_n(expected.begin() + offset, length, expected.begin() + 30 + offset);
      uint32_t pattern = 0x44332211u + 0x01010101u * static_cast<uint32_t>(length);
      uint64_t words = length % 4 ? 0 : length;
      EXPECT_OK(queue->fill({a.get(), 50 - offset, words}, pattern));
      for (uint64_t i = 0; i < words; ++i)
        expected[50 - offset + i] = static_cast<uint8_t>(pattern >> (8 * (i % 4)));
    }
  EXPECT_OK(queue->copy({b.get()}, {a.get()}));
  EXPECT_OK(get(*queue, out, *b));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, expected);
}

TEST_P(Transfer, FillsWithNarrowPatterns) {
  for (uint64_t offset = 0; offset < 5; ++offset)
    for (uint64_t length = 0; length < 14; length += 2) {
      Ref<hal::Buffer> buffer = newBuffer(23);
      Bytes out(23);
      EXPECT_OK(queue->fill({buffer.get()}, 0xEE, 1));
      EXPECT_OK(queue->fill({buffer.get(), offset, length}, 0xBBAA, 2));
      EXPECT_OK(get(*queue, out, *buffer));
      EXPECT_OK(queue->finish());
      for (size_t i = 0; i < out.size(); ++i) {
        bool inside = i >= offset && i < offset + length;
        ASSERT_EQ(out[i], !inside            ? 0xEE
                          : (i - offset) % 2 ? 0xBB
                                             : 0xAA)
            << "byte " << i << " of a fill of " << length << " from " << offset << " on";
      }
    }
}

TEST_P(Transfer, EveryKindOfMemory) {
  Bytes in = noise(5000), out(5000);
  for (MemoryKind from : {MemoryKind::Device, MemoryKind::Host})
    for (MemoryKind to : {MemoryKind::Device, MemoryKind::Host}) {
      Ref<hal::Buffer> a = newBuffer(5000, from), b = newBuffer(5000, to);
      EXPECT_OK(put(*queue, *a, in));
      EXPECT_OK(queue->copy({b.get()}, {a.get()}));
      std::fill(out.begin(), out.end(), 0);
      EXPECT_OK(get(*queue, out, *b));
      EXPECT_OK(queue->finish());
      EXPECT_EQ(in, out);
      if (to == MemoryKind::Host) {
        ASSERT_NE(b->hostPointer(), nullptr);
        EXPECT_EQ(std::memcmp(b->hostPointer(), in.data(), in.size()), 0);
      }
    }
}

TEST_P(Transfer, UploadsDoNotOvertakeWork) {
  Bytes first(100000, 1), second(100000, 2), out(100000);
  Ref<hal::Buffer> a = newBuffer(100000), b = newBuffer(100000);
  EXPECT_OK(put(*queue, *a, first));
  EXPECT_OK(queue->copy({b.get()}, {a.get()})); // not yet submitted
  EXPECT_OK(put(*queue, *a, second));
  EXPECT_OK(get(*queue, out, *b));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, first);
}

TEST_P(Transfer, UploadsWaitForTheirPoint) {
  Bytes one(64, 1), two(64, 2), out(64);
  Ref<hal::Buffer> a = newBuffer(64);
  Ref<hal::Timeline> timeline = newTimeline();
  EXPECT_OK(put(*queue, *a, one));
  EXPECT_OK(queue->finish());
  EXPECT_OK(queue->wait({timeline.get(), 1}));
  EXPECT_OK(put(*queue, *a, two));
  Ref<hal::Queue> other = newQueue();
  EXPECT_OK(get(*other, out, *a));
  EXPECT_OK(other->finish());
  EXPECT_EQ(out, one);
  EXPECT_OK(timeline->signal(1));
  EXPECT_OK(queue->finish());
  EXPECT_OK(get(*other, out, *a));
  EXPECT_OK(other->finish());
  EXPECT_EQ(out, two);
}

TEST_P(Transfer, HeldWorkTakesMoreStagingThanThereIs) {
  Bytes in = noise(50000), out(in.size());
  Ref<hal::Buffer> a = newBuffer(in.size());
  Ref<hal::Timeline> timeline = newTimeline();
  EXPECT_OK(queue->wait({timeline.get(), 1}));
  EXPECT_OK(put(*queue, *a, in)); // must not wait for the point that this thread reaches later
  EXPECT_OK(get(*queue, out, *a));
  EXPECT_OK(timeline->signal(1));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(in, out);
}

TEST_P(Transfer, ImportedMemoryIsUsedInPlace) {
  uint64_t alignment = device->info().limits.hostImportAlignment;
  if (!alignment)
    GTEST_SKIP() << "the device imports no host memory";
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t, Free> memory(
      static_cast<uint8_t *>(std::aligned_alloc(alignment, 2 * alignment)));
  std::memset(memory.get(), 1, 2 * alignment);
  Result<Ref<hal::Buffer>> imported = device->importHost(memory.get(), 2 * alignment);
  ASSERT_TRUE(imported.isOk()) << imported.status().toString();
  EXPECT_EQ((*imported)->kind(), MemoryKind::Imported);
  EXPECT_EQ(static_cast<void *>((*imported)->hostPointer()), memory.get());
  Ref<hal::Buffer> copy = newBuffer(2 * alignment);
  Bytes out(2 * alignment);
  EXPECT_OK(queue->copy({copy.get()}, {imported->get()}));
  EXPECT_OK(queue->fill({imported->get(), 0, 4}, 0x05050505));
  EXPECT_OK(get(*queue, out, *copy));
  EXPECT_OK(queue->finish());
  EXPECT_EQ(out, Bytes(2 * alignment, 1));
  EXPECT_EQ(memory.get()[3], 5);
  EXPECT_EQ(memory.get()[4], 1);
  EXPECT_FALSE(device->importHost(memory.get() + 1, alignment).isOk());
}

TEST_P(Transfer, ManyBuffersShareMemory) {
  MemoryPool::Counts before = device->memory.counts();
  {
    std::vector<Ref<hal::Buffer>> buffers;
    for (int i = 0; i < 1000; ++i)
      buffers.push_back(newBuffer(1000 + i));
    MemoryPool::Counts counts = device->memory.counts();
    // Blocks have 4 to 64 MiB, and each buffer has slack.
    EXPECT_LE(counts.blocks, before.blocks + 6);
    EXPECT_GE(counts.usedBytes, before.usedBytes + 1000 * 1000);
  }
  EXPECT_EQ(device->memory.counts().usedBytes, before.usedBytes);
  device->memory.trim();
  EXPECT_LE(device->memory.counts().blocks, before.blocks);
}

} // namespace
} // namespace pumice::vulkan
