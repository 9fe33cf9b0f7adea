//===- SlackTest.cpp - kernels that stray a little --------------------------===//
// A kernel may read memory around a buffer, which holds zeros. It may also write there, and no
// other buffer changes.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/Slack.h"
#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/DriverTest.h"

#include "runtime/hal/kernels/Stray.comp.h"

namespace pumice::vulkan {
namespace {

using hal::MemoryKind;
using Words = std::vector<uint32_t>;

TEST(SlackBytes, GrowsWithTheBufferAndStaysASmallPartOfTheHeap) {
  constexpr uint64_t heap = uint64_t(8) << 30, room = uint64_t(1) << 40, kib = 1024;
  EXPECT_EQ(slackBytes(4, 0, heap, room), 64 * kib);
  EXPECT_EQ(slackBytes(1024 * kib, 0, heap, room), 64 * kib);
  EXPECT_EQ(slackBytes(3000 * kib, 0, heap, room), 128 * kib);
  EXPECT_EQ(slackBytes(heap / 2, 0, heap, room), 2048 * kib);
  EXPECT_EQ(slackBytes(4, heap / 16, heap, room), 4 * kib);
  EXPECT_EQ(slackBytes(4, 0, heap, 100 * kib), 0u);
  EXPECT_EQ(slackBytes(4, 0, 0, room), 4 * kib);
}

class SlackTest : public test::DriverTest {
protected:
  struct Parameters {
    uint64_t from, to;
    uint32_t count;
  };

  void SetUp() override {
    test::DriverTest::SetUp();
    if (IsSkipped())
      return;
    if (!device->plan.bufferAddresses)
      GTEST_SKIP() << "the device has no buffer addresses";
    kernel = newKernel(test::kernelSource(straySpirv, "stray", 20, {}));
  }

  /// Lets a kernel read `count` words from `address`. The launch names only the buffer `uses`.
  Words read(uint64_t address, uint32_t count, hal::Buffer &uses) {
    Ref<hal::Buffer> found = newBuffer(4 * count);
    copy(address, found->deviceAddress(), count, {&uses, found.get()});
    Words words(count, 1);
    EXPECT_OK(get(*queue, words, *found));
    EXPECT_OK(queue->finish());
    return words;
  }

  void copy(uint64_t from, uint64_t to, uint32_t count, std::vector<hal::Buffer *> buffers) {
    std::vector<test::BufferUse> uses;
    for (hal::Buffer *buffer : buffers)
      uses.push_back({buffer});
    Parameters parameters{from, to, count};
    EXPECT_OK(queue->dispatch({.kernel = kernel.get(),
                               .groups = {(count + 63) / 64, 1, 1},
                               .pushConstants = std::as_bytes(std::span(&parameters, 1)).first(20),
                               .uses = uses}));
  }

  Ref<hal::Kernel> kernel;
};
PUMICE_DRIVER_TESTS(SlackTest);

constexpr uint32_t strayWords = 16384 / 4;

TEST_P(SlackTest, ReadsAroundABufferFindZeros) {
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host})
    for (uint64_t bytes : {uint64_t(4096), uint64_t(100001), uint64_t(20) << 20})
      for (int round = 0; round < 2; ++round) { // the second round gets used memory
        Ref<hal::Buffer> buffer = newBuffer(bytes, kind);
        uint64_t whole = VulkanBuffer::wholeWords(bytes);
        EXPECT_OK(queue->fill({buffer.get(), 0, bytes / 4 * 4}, 0x5a5a5a5a));
        Words none(strayWords, 0);
        EXPECT_EQ(read(buffer->deviceAddress() - 4 * strayWords, strayWords, *buffer), none);
        EXPECT_EQ(read(buffer->deviceAddress() + whole, strayWords, *buffer), none);
        EXPECT_EQ(read(buffer->deviceAddress(), 4, *buffer), Words(4, 0x5a5a5a5a));
      }
}

TEST_P(SlackTest, WritesAroundABufferReachNoOtherOne) {
  std::vector<Ref<hal::Buffer>> all;
  for (int i = 0; i < 9; ++i) {
    all.push_back(newBuffer(4096));
    EXPECT_OK(queue->fill({all[i].get()}, 1000 + i));
  }
  Ref<hal::Buffer> source = newBuffer(4 * strayWords);
  EXPECT_OK(queue->fill({source.get()}, 0xbad));
  hal::Buffer &astray = *all[4];
  for (uint64_t to : {astray.deviceAddress() - 4 * strayWords, astray.deviceAddress() + 4096})
    copy(source->deviceAddress(), to, strayWords, {source.get(), &astray});
  for (int i = 0; i < 9; ++i) {
    Words words(1024);
    EXPECT_OK(get(*queue, words, *all[i]));
    EXPECT_OK(queue->finish());
    EXPECT_EQ(words, Words(1024, 1000 + i)) << i;
  }
}

TEST_P(SlackTest, IsGivenBackWithTheBuffer) {
  uint64_t before = device->slackHeld.load();
  Ref<hal::Buffer> buffer = newBuffer(1000);
  EXPECT_EQ(device->slackHeld.load(), before + 2 * usualSlack);
  buffer = nullptr;
  EXPECT_EQ(device->slackHeld.load(), before);
}

} // namespace
} // namespace pumice::vulkan
