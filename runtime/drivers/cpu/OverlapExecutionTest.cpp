//===- OverlapExecutionTest.cpp - launches that run at once -----------------===//
#include "runtime/drivers/cpu/TestKernels.h"

#include <random>

using namespace pumice;
using namespace pumice::cpu_driver;
using namespace pumice::cpu_driver::testing;
using hal::Buffer;
using hal::BufferRange;
using hal::Kernel;
using hal::Queue;

namespace {

/// Makes launches of one workgroup. If two launches run at the same time, each waits for the other.
struct Meeting : ::testing::Test {
  Ref<CpuDevice> device = makeDevice({.threads = 4, .timeout = std::chrono::milliseconds(5000)});
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Meet", {{0, 0, false}}, 16);
  Ref<Buffer> a = device->allocate(4).value(), b = device->allocate(4).value();
  std::atomic<uint32_t> word = 0;

  void add(Buffer &buffer, uint32_t wanted) {
    struct {
      std::atomic<uint32_t> *word;
      uint32_t wanted, steps;
    } push{&word, wanted, 20'000};
    const BufferRange bindings[] = {{&buffer}};
    ASSERT_TRUE(
        launch(*queue, *kernel, {1, 1, 1}, bindings, std::as_bytes(std::span(&push, 1))).isOk());
  }
  /// Runs the kernel once, so that the queue knows how long it takes.
  void runOnce() {
    add(*a, 0);
    ASSERT_TRUE(queue->finish().isOk());
    word = 0;
  }
};

/// Returns the contents of buffers after many launches of y = 31 y + x on random pairs of them.
std::vector<uint32_t> chain(unsigned threads, unsigned seed) {
  Ref<CpuDevice> device = makeDevice({.threads = threads});
  Ref<Queue> queue = device->createQueue().value();
  Ref<Kernel> kernel = makeKernel(*device, "Mix", {{0, 0, false}, {0, 1, false}});
  constexpr uint32_t words = 8 * 8192, count = 7;
  std::vector<Ref<Buffer>> buffers;
  for (uint32_t first = 0; first < count; ++first) {
    buffers.push_back(device->allocate(words * 4).value());
    for (uint32_t i = 0; i < words; ++i)
      wordsOf<uint32_t>(*buffers.back())[i] = first * 1000 + i % 7;
  }
  std::mt19937 random(seed);
  for (uint32_t i = 0; i < 400; ++i) {
    size_t x = random() % count, y = (x + 1 + random() % (count - 1)) % count;
    const BufferRange bindings[] = {{buffers[y].get()}, {buffers[x].get()}};
    const hal::BufferUse uses[] = {{buffers[y].get(), executable::Access::ReadWrite},
                                   {buffers[x].get(), executable::Access::Read}};
    hal::Dispatch work;
    work.kernel = kernel.get();
    work.groups = {1 + static_cast<uint32_t>(random() % 8), 1, 1};
    work.bindings = bindings;
    work.uses = uses;
    EXPECT_TRUE(queue->dispatch(work).isOk());
    if (random() % 16 == 0)
      EXPECT_TRUE(queue->fill({buffers[x].get()}, i).isOk());
    if (i == 0)
      EXPECT_TRUE(queue->finish().isOk()); // now the queue knows how long the kernel takes
  }
  EXPECT_TRUE(queue->finish().isOk());
  std::vector<uint32_t> all;
  for (const Ref<Buffer> &buffer : buffers)
    all.insert(all.end(), wordsOf<uint32_t>(*buffer), wordsOf<uint32_t>(*buffer) + words);
  return all;
}

} // namespace

TEST_F(Meeting, LaunchesWithoutConflict) {
  runOnce();
  add(*a, 2);
  add(*b, 2);
  Status status = queue->finish();
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(*wordsOf<uint32_t>(*b), 1u);
}

TEST_F(Meeting, LaunchesThatConflictAreInOrder) {
  runOnce();
  ASSERT_TRUE(device->setOption("timeout_ms", 200).isOk());
  add(*a, 2);
  add(*a, 2);
  EXPECT_EQ(queue->finish().code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(word, 1u); // the second launch has not begun
}

TEST_F(Meeting, FailuresAreReported) {
  runOnce();
  ASSERT_TRUE(device->setOption("timeout_ms", 200).isOk());
  add(*a, 3);
  add(*b, 3);
  Status status = queue->finish();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("kernel 'Meet'"), std::string::npos) << status.message();
  word = 0;
  add(*a, 1); // launches after the error run
  EXPECT_TRUE(queue->finish().isOk());
}

TEST(CpuOverlap, AnyOrderThatIsRight) {
  for (unsigned seed : {1u, 2u, 3u, 4u})
    EXPECT_EQ(chain(4, seed), chain(1, seed)) << seed;
}
