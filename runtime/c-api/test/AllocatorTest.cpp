//===- AllocatorTest.cpp - the CPU device computes in the program's memory --===//
#include "runtime/c-api/test/CApiFixture.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

namespace pumice::capi_test {
namespace {

/// Plays the memory of a program, and records which parts are in use.
class Arena {
public:
  pumice_host_allocator allocator() {
    pumice_host_allocator made = PUMICE_INIT(pumice_host_allocator);
    made.user = this;
    made.allocate = [](void *user, size_t bytes, size_t alignment) {
      return static_cast<Arena *>(user)->allocate(bytes, alignment);
    };
    made.release = [](void *user, void *memory) { static_cast<Arena *>(user)->release(memory); };
    return made;
  }
  bool owns(const void *memory) {
    std::lock_guard lock(mutex);
    return used.count(const_cast<void *>(memory)) != 0;
  }
  size_t largest = 0;

private:
  void *allocate(size_t bytes, size_t alignment) {
    if (bytes > size_t{1} << 30)
      return nullptr;
    void *memory = nullptr;
    EXPECT_EQ(posix_memalign(&memory, alignment, bytes), 0);
    std::lock_guard lock(mutex);
    largest = std::max(largest, bytes);
    used.insert(memory);
    return memory;
  }
  void release(void *memory) {
    {
      std::lock_guard lock(mutex);
      EXPECT_EQ(used.erase(memory), 1u) << "released, but not allocated here";
    }
    std::free(memory);
  }
  std::mutex mutex;
  std::set<void *> used;
};

/// The arena is never destroyed, because threads free their memory while the process exits.
Arena &arena() {
  static auto *one = new Arena;
  return *one;
}

class Allocator : public OnDevice {
protected:
  static void SetUpTestSuite() {
    setenv("PUMICE_DEVICE", "cpu", 1);
    unsetenv("PUMICE_CPU_GUARDS");
    pumice_host_allocator incomplete = arena().allocator();
    EXPECT_FAILS(pumice_set_host_allocator(nullptr), PUMICE_INVALID_ARGUMENT,
                 "allocator is NULL; expected functions");
    incomplete.release = nullptr;
    EXPECT_FAILS(pumice_set_host_allocator(&incomplete), PUMICE_INVALID_ARGUMENT,
                 "allocator: release is NULL; expected both functions");
    incomplete.struct_size = 0;
    EXPECT_FAILS(pumice_set_host_allocator(&incomplete), PUMICE_INVALID_ARGUMENT,
                 "struct_size is 0");
    pumice_host_allocator allocator = arena().allocator();
    EXPECT_OK(pumice_set_host_allocator(&allocator));
  }
};

TEST_F(Allocator, BuffersAreInTheProgramsMemory) {
  pumice_buffer *x = newBuffer(256), *y = newBuffer(256);
  EXPECT_TRUE(arena().owns(pumice_buffer_map(x)));
  EXPECT_TRUE(arena().owns(pumice_buffer_map(y)));
  EXPECT_GE(arena().largest, 256u);

  std::vector<int32_t> values(64, 3);
  EXPECT_OK(pumice_queue_upload(queue, x, 0, values.data(), 256));
  pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                                 pumice_argument_i32(1)};
  pumice_launch_options grid = pumice_groups(4, 1, 1);
  EXPECT_OK(pumice_launch(queue, affine(16), &grid, arguments, 3));
  EXPECT_EQ(contents(y), std::vector<int32_t>(64, 7));
}

TEST_F(Allocator, ItsFailureIsOutOfMemory) {
  pumice_buffer *large = nullptr;
  EXPECT_FAILS(pumice_buffer_create(device, uint64_t{2} << 30, PUMICE_MEMORY_DEVICE, &large),
               PUMICE_RESOURCE_EXHAUSTED, "no memory left for a buffer of 2147483648 bytes");
}

TEST_F(Allocator, StaysAfterTheFirstAllocation) {
  newBuffer(64);
  pumice_host_allocator allocator = arena().allocator();
  EXPECT_FAILS(pumice_set_host_allocator(&allocator), PUMICE_INVALID_ARGUMENT,
               "set it before the first device is opened");
}

} // namespace
} // namespace pumice::capi_test
