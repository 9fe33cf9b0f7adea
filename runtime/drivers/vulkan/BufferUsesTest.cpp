//===- BufferUsesTest.cpp - buffers live as long as work uses them ----------===//
#include "runtime/drivers/vulkan/Buffer.h"
#include "runtime/drivers/vulkan/TestDevice.h"

#include <atomic>
#include <thread>

namespace pumice::vulkan::test {
namespace {

struct BufferUsesTest : testing::Test {
  Ref<VulkanDevice> device;

  void SetUp() override {
    Result<Found> found = findTestDevice();
    if (found.status().code() == StatusCode::NotFound)
      GTEST_SKIP() << found.status().toString();
    ASSERT_TRUE(found.isOk()) << found.status().toString();
    auto opened = openPlanned(found->instance, found->facts, found->plan, found->info, {});
    ASSERT_TRUE(opened.isOk()) << opened.status().toString();
    device = *opened;
  }
  Ref<hal::Buffer> buffer(bool *gone = nullptr) {
    Result<Ref<hal::Buffer>> made = device->allocate(64);
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    if (gone)
      (*made)->whenDestroyed([gone] { *gone = true; });
    return *made;
  }
};

TEST_F(BufferUsesTest, ABatchThatIsDoneUsesNothing) {
  StreamUses stream(device->uses);
  Ref<hal::Buffer> first = buffer(), second = buffer();
  EXPECT_FALSE(first->isInUse());
  stream.note(first->number(), 1);
  stream.note(second->number(), 1);
  stream.note(second->number(), 2);
  EXPECT_TRUE(first->isInUse());
  stream.retire(1);
  EXPECT_FALSE(first->isInUse());
  EXPECT_TRUE(second->isInUse());
  stream.retire(2);
  EXPECT_FALSE(second->isInUse());
}

TEST_F(BufferUsesTest, EachStreamKeepsWhatItUses) {
  StreamUses one(device->uses), other(device->uses);
  bool gone = false;
  Ref<hal::Buffer> used = buffer(&gone);
  one.note(used->number(), 3);
  other.note(used->number(), 7);
  used = nullptr;
  EXPECT_FALSE(gone);
  one.retire(3);
  one.releaseRetired();
  EXPECT_FALSE(gone) << "the other stream's batch is not done";
  other.retire(6);
  other.releaseRetired();
  EXPECT_FALSE(gone);
  other.retire(7);
  EXPECT_FALSE(gone) << "who retires may hold locks";
  other.releaseRetired();
  EXPECT_TRUE(gone);
}

TEST_F(BufferUsesTest, UnusedBuffersAreFreedAtOnce) {
  StreamUses stream(device->uses);
  bool gone = false;
  Ref<hal::Buffer> used = buffer(&gone);
  stream.note(used->number(), 1);
  stream.retire(1);
  used = nullptr;
  EXPECT_TRUE(gone);
}

TEST_F(BufferUsesTest, DestroyedStreamsReleaseTheirBuffers) {
  bool gone = false;
  {
    StreamUses stream(device->uses);
    Ref<hal::Buffer> used = buffer(&gone);
    stream.note(used->number(), 1);
    used = nullptr;
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

TEST_F(BufferUsesTest, ManyBuffersHaveNumbersOfTheirOwn) {
  StreamUses stream(device->uses);
  std::vector<Ref<hal::Buffer>> buffers;
  for (int i = 0; i < 1500; ++i) {
    buffers.push_back(buffer());
    if (i % 2) // the table grows while some of its entries are in use
      stream.note(buffers.back()->number(), 1);
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    ASSERT_EQ(buffers[i]->isInUse(), i % 2 == 1) << i;
  uint32_t number = buffers[0]->number();
  buffers[0] = nullptr;
  EXPECT_EQ(buffer()->number(), number) << "numbers are used again: tables stay small";
}

/// One thread notes and retires uses, as a queue does. The others query uses and release buffers.
TEST_F(BufferUsesTest, Concurrently) {
  StreamUses stream(device->uses);
  std::atomic<int> gone = 0;
  constexpr int rounds = 400, each = 8;
  for (int round = 1; round <= rounds; ++round) {
    std::vector<Ref<hal::Buffer>> buffers;
    for (int i = 0; i < each; ++i) {
      buffers.push_back(buffer());
      buffers.back()->whenDestroyed([&] { ++gone; });
      stream.note(buffers.back()->number(), static_cast<uint64_t>(round));
    }
    std::thread releaser([&] {
      for (Ref<hal::Buffer> &buffer : buffers) {
        (void)buffer->isInUse();
        buffer = nullptr;
      }
    });
    stream.retire(static_cast<uint64_t>(round));
    stream.releaseRetired();
    releaser.join();
    stream.releaseRetired();
    ASSERT_EQ(gone, round * each);
  }
}

} // namespace
} // namespace pumice::vulkan::test
