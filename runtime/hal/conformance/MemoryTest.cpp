//===- MemoryTest.cpp - buffers of every size, kind and number --------------===//
#include "runtime/hal/conformance/Conformance.h"
#include "support/testing/AlignedMemory.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Memory : ConformanceTest {
  /// Uploads random bytes through the queue, and downloads them again.
  void roundTrip(Buffer &buffer, uint32_t seed) {
    std::vector<std::byte> sent = randomBytes(buffer.bytes(), seed), received(buffer.bytes());
    ASSERT_OK(queue->upload({&buffer}, sent));
    ASSERT_OK(queue->download(received, {&buffer}));
    ASSERT_OK(queue->finish());
    ASSERT_EQ(sent, received) << buffer.bytes() << " bytes";
  }
};
PUMICE_CONFORMANCE_AREA(Memory);

TEST_P(Memory, EverySize) {
  std::vector<uint64_t> sizes;
  for (uint64_t bytes = 1; bytes <= 33; ++bytes)
    sizes.push_back(bytes);
  for (uint64_t bytes = 64; bytes <= 64 << 20; bytes *= 8)
    sizes.insert(sizes.end(), {bytes - 1, bytes, bytes + 1});
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host})
    for (uint64_t bytes : sizes) {
      ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes, kind));
      EXPECT_EQ(buffer->bytes(), bytes);
      EXPECT_EQ(buffer->kind(), kind);
      EXPECT_EQ(&buffer->device(), device.get());
      // Arguments name buffers by numbers if kernels have no descriptors.
      EXPECT_EQ(buffer->deviceAddress() != 0, info().bufferAddresses || !hasDescriptors());
      if (kind == MemoryKind::Host)
        EXPECT_NE(buffer->hostPointer(), nullptr);
      ASSERT_NO_FATAL_FAILURE(roundTrip(*buffer, static_cast<uint32_t>(bytes)));
    }
}

TEST_P(Memory, AlignedForEveryElement) {
  std::vector<Ref<Buffer>> buffers;
  for (uint64_t bytes : {1, 5, 8, 100, 3, 4097, 12, 1})
    for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host}) {
      ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes, kind));
      // 32 bytes hold four doubles, the widest vector that a kernel loads at once.
      EXPECT_EQ(buffer->deviceAddress() % 32, 0u) << bytes << " bytes";
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->hostPointer()) % 16, 0u) << bytes << " bytes";
      buffers.push_back(std::move(buffer));
    }
}

TEST_P(Memory, HostMemoryIsShared) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  constexpr uint32_t count = 1000;
  std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
  std::vector<Ref<Buffer>> buffers;
  for (int i = 0; i < 3; ++i) {
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(count * 4, MemoryKind::Host));
    ASSERT_NE(buffer->hostPointer(), nullptr);
    buffers.push_back(std::move(buffer));
  }
  auto *result = reinterpret_cast<uint32_t *>(buffers[0]->hostPointer());
  std::copy(a.begin(), a.end(), reinterpret_cast<uint32_t *>(buffers[1]->hostPointer()));
  std::copy(b.begin(), b.end(), reinterpret_cast<uint32_t *>(buffers[2]->hostPointer()));
  ASSERT_OK(mix.dispatch(*queue, *buffers[0], *buffers[1], *buffers[2], count));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(std::vector<uint32_t>(result, result + count), Mix::of(a, b));

  // Runs once more, with data that the host writes between two launches.
  std::fill_n(reinterpret_cast<uint32_t *>(buffers[1]->hostPointer()), count, 7u);
  ASSERT_OK(mix.dispatch(*queue, *buffers[0], *buffers[1], *buffers[2], count));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(std::vector<uint32_t>(result, result + count),
            Mix::of(std::vector<uint32_t>(count, 7), b));
}

TEST_P(Memory, ManySmallAllocations) {
  // Some drivers allow fewer allocations, so buffers must share them.
  constexpr uint32_t count = 5000, words = 25;
  std::vector<Ref<Buffer>> buffers;
  for (uint32_t i = 0; i < count; ++i) {
    ASSERT_RESULT(Ref<Buffer> buffer,
                  device->allocate(words * 4, i % 5 ? MemoryKind::Device : MemoryKind::Host));
    ASSERT_OK(queue->fill({buffer.get()}, i));
    buffers.push_back(std::move(buffer));
  }
  std::vector<uint32_t> received(count * words);
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_OK(queue->download(std::as_writable_bytes(std::span(received).subspan(i * words, words)),
                              {buffers[i].get()}));
  ASSERT_OK(queue->finish());
  for (uint32_t i = 0; i < count * words; ++i)
    ASSERT_EQ(received[i], i / words) << "word " << i % words;
}

TEST_P(Memory, AddressesDoNotOverlap) {
  NEEDS(info().bufferAddresses, "buffer device addresses");
  std::vector<Ref<Buffer>> buffers;
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 + random() % 10000));
    buffers.push_back(std::move(buffer));
    if (i % 3 == 2) // leaves gaps for later buffers
      buffers.erase(buffers.begin() + static_cast<ptrdiff_t>(random() % buffers.size()));
  }
  std::sort(buffers.begin(), buffers.end(), [](const Ref<Buffer> &a, const Ref<Buffer> &b) {
    return a->deviceAddress() < b->deviceAddress();
  });
  for (size_t i = 1; i < buffers.size(); ++i)
    EXPECT_LE(buffers[i - 1]->deviceAddress() + (buffers[i - 1]->bytes() + 3) / 4 * 4,
              buffers[i]->deviceAddress());
}

TEST_P(Memory, FreedMemoryIsUsedAgain) {
  // The buffers together need more memory than the device has.
  uint64_t bytes = std::min<uint64_t>(256 << 20, limits().maxBufferBytes);
  uint64_t total = info().memoryBytes + info().memoryBytes / 4;
  for (uint64_t sum = 0; sum < total; sum += bytes) {
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(bytes));
    ASSERT_OK(queue->fill({buffer.get(), bytes - 4}, 1));
    ASSERT_OK(queue->finish());
  }
}

TEST_P(Memory, RefusedSizes) {
  EXPECT_TRUE(isError(device->allocate(0), StatusCode::InvalidArgument, {"at least one byte"}));
  EXPECT_TRUE(isError(device->allocate(16, MemoryKind::Imported), StatusCode::InvalidArgument,
                      {"importHost"}));
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host})
    for (uint64_t bytes : {limits().maxBufferBytes + 1, UINT64_MAX - 3, UINT64_MAX})
      if (bytes > limits().maxBufferBytes)
        EXPECT_TRUE(isError(device->allocate(bytes, kind), StatusCode::ResourceExhausted,
                            {std::to_string(bytes)}));
  EXPECT_TRUE(device->health().isOk());
}

TEST_P(Memory, Exhaustion) {
  // Some drivers on a CPU write to the memory that they allocate. Then the whole host, and not only
  // the test, would run out of memory.
  NEEDS(info().kind != DeviceKind::Cpu, "memory of the device's own: it is a CPU");
  std::vector<Ref<Buffer>> buffers;
  uint64_t bytes = std::min(limits().maxBufferBytes, std::max<uint64_t>(info().memoryBytes / 4, 1));
  Status failure;
  for (int i = 0; i < 64 && failure.isOk(); ++i) {
    Result<Ref<Buffer>> buffer = device->allocate(bytes);
    if (buffer.isOk())
      buffers.push_back(std::move(buffer).value());
    else
      failure = buffer.status();
  }
  NEEDS(!failure.isOk(), "a bound on memory: 64 buffers of a quarter of it were given");
  EXPECT_TRUE(isError(failure, StatusCode::ResourceExhausted, {std::to_string(bytes)}));
  EXPECT_TRUE(device->health().isOk());
  buffers.clear();
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(1 << 20));
  roundTrip(*buffer, 1);
}

TEST_P(Memory, ImportedHostMemory) {
  uint64_t alignment = limits().hostImportAlignment;
  NEEDS(alignment, "import of host memory");
  constexpr uint32_t count = 64 << 10;
  ASSERT_EQ(count * 4 % alignment, 0u);
  testing_support::AlignedMemory memory =
      testing_support::alignedMemory(std::max<uint64_t>(alignment, 64), count * 4);
  auto *words = static_cast<uint32_t *>(memory.get());
  std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
  std::copy(a.begin(), a.end(), words);

  ASSERT_RESULT(Ref<Buffer> imported, device->importHost(words, count * 4));
  EXPECT_EQ(imported->bytes(), count * 4);
  EXPECT_EQ(imported->kind(), MemoryKind::Imported);
  EXPECT_EQ(static_cast<void *>(imported->hostPointer()), memory.get());
  ASSERT_RESULT(Ref<Buffer> other, upload(b));
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  ASSERT_OK(mix.dispatch(*queue, *imported, *imported, *other, count));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(std::vector<uint32_t>(words, words + count), Mix::of(a, b));

  ASSERT_OK(queue->fill({imported.get(), 8, 8}, 5));
  ASSERT_OK(queue->copy({imported.get(), 4096, 100}, {other.get(), 0, 100}));
  ASSERT_OK(queue->finish());
  EXPECT_EQ(words[2], 5u);
  EXPECT_EQ(words[3], 5u);
  EXPECT_TRUE(std::equal(b.begin(), b.begin() + 25, words + 1024));
  imported = nullptr;
  words[0] = 1; // the memory still belongs to the caller
}

TEST_P(Memory, ReadOnlyMemory) {
  uint64_t alignment = limits().hostImportAlignment;
  NEEDS(alignment, "import of host memory");
  constexpr uint32_t count = 64 << 10;
  testing_support::AlignedMemory memory =
      testing_support::alignedMemory(std::max<uint64_t>(alignment, 64), count * 4);
  auto *words = static_cast<uint32_t *>(memory.get());
  std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
  std::copy(a.begin(), a.end(), words);
  ASSERT_RESULT(Ref<Buffer> lent, device->importHost(words, count * 4));
  lent->forbidWrites();
  ASSERT_RESULT(Ref<Buffer> other, upload(b));
  ASSERT_RESULT(Mix mix, Mix::make(*device));

  auto refused = [](const Status &status, std::string_view place) {
    return isError(status, StatusCode::InvalidArgument, {place, "lent for reading only"});
  };
  EXPECT_TRUE(refused(queue->fill({lent.get(), 8, 8}, 5), "fill"));
  EXPECT_TRUE(refused(queue->upload({lent.get(), 0, 4}, bytesOf(b).first(4)), "upload"));
  EXPECT_TRUE(refused(queue->copy({lent.get(), 0, 4}, {other.get(), 0, 4}), "copy to"));
  EXPECT_TRUE(refused(mix.dispatch(*queue, *lent, *lent, *other, count), "'Mix'"));
  // A kernel may read the buffer.
  ASSERT_OK(mix.dispatch(*queue, *other, *lent, *other, count));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*other));
  EXPECT_EQ(received, Mix::of(a, b));
  EXPECT_EQ(std::vector<uint32_t>(words, words + count), a);
}

TEST_P(Memory, RefusedImports) {
  uint64_t alignment = std::max<uint64_t>(limits().hostImportAlignment, 4096);
  testing_support::AlignedMemory memory = testing_support::alignedMemory(alignment, 4 * alignment);
  auto *bytes = static_cast<std::byte *>(memory.get());
  EXPECT_TRUE(isError(device->importHost(nullptr, alignment), StatusCode::InvalidArgument));
  EXPECT_TRUE(isError(device->importHost(bytes, 0), StatusCode::InvalidArgument));
  if (limits().hostImportAlignment == 0) {
    EXPECT_TRUE(isError(device->importHost(bytes, alignment), StatusCode::Unsupported,
                        {info().id, "allocate and upload"}));
    return;
  }
  if (limits().hostImportAlignment == 1) { // any address and any size are allowed
    EXPECT_TRUE(isError(device->importHost(bytes + 5, alignment + 1), StatusCode::Ok));
    return;
  }
  std::string needed = std::to_string(limits().hostImportAlignment);
  EXPECT_TRUE(
      isError(device->importHost(bytes + 4, alignment), StatusCode::Unsupported, {needed, "4"}));
  EXPECT_TRUE(isError(device->importHost(bytes, alignment + 1), StatusCode::Unsupported,
                      {needed, std::to_string(alignment + 1)}));
}

} // namespace pumice::hal::conformance
