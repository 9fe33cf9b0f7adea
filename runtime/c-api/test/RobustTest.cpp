//===- RobustTest.cpp - accesses outside of buffers, with robust access -----===//
// Inaccessible pages follow the buffers, so an access beyond a buffer would end the process. The
// tests are skipped if the CPU device has no compiler library.
//===-------------------------------------------------------------------------===//
#include "runtime/c-api/test/CApiFixture.h"

#include "runtime/c-api/test/Stray.comp.h"

#ifndef _WIN32

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace pumice::capi_test;

namespace {

/// Words between two inaccessible pages. The last word ends where the second page begins.
class Guarded {
public:
  explicit Guarded(size_t words) : words(words) {
    auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t inner = (words * 4 + page - 1) / page * page;
    total = inner + 2 * page;
    void *all = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(all, MAP_FAILED);
    map = static_cast<char *>(all);
    EXPECT_EQ(mprotect(map + page, inner, PROT_READ | PROT_WRITE), 0);
    data = reinterpret_cast<uint32_t *>(map + page + inner) - words;
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  ~Guarded() { munmap(map, total); }

  const size_t words;
  uint32_t *data;

private:
  char *map;
  size_t total;
};

constexpr int lanes = 192, held = 37;

class Robust : public testing::Test {
protected:
  void SetUp() override {
    if (pumice_device_open("cpu:0", &device) != PUMICE_OK)
      GTEST_SKIP() << said();
    pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
    options.devices = &device;
    options.device_count = 1;
    options.source_name = "Stray.comp";
    pumice_status status = pumice_compile(straySpirv, sizeof straySpirv, &options, &blob);
    if (status == PUMICE_UNSUPPORTED)
      GTEST_SKIP() << said();
    ASSERT_EQ(status, PUMICE_OK) << said();
    ASSERT_OK(pumice_executable_load(device, pumice_blob_data(blob), pumice_blob_size(blob),
                                     &executable));
    pumice_function_options chosen = PUMICE_INIT(pumice_function_options);
    chosen.robust_access = 1;
    ASSERT_OK(pumice_executable_function(executable, nullptr, &chosen, &function));
    ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
    for (Guarded *memory : {&index, &from, &to, &seen, &fours}) {
      pumice_buffer *buffer = nullptr;
      ASSERT_OK(pumice_buffer_import_host(device, memory->data, memory->words * 4, nullptr, nullptr,
                                          &buffer));
      buffers.push_back(buffer);
    }
    for (size_t i = 0; i < held; ++i) {
      from.data[i] = 100 + static_cast<uint32_t>(i);
      to.data[i] = 5000;
    }
    std::fill_n(fours.data, fours.words, 3);
    std::fill_n(seen.data, lanes, 99);
    // Indices inside the buffer, at both ends, beyond them, and at the limits of 32 bits.
    const int32_t odd[] = {0, held - 1, held, -1, INT32_MAX, INT32_MIN, 1 << 30, -(1 << 30)};
    for (int i = 0; i < lanes; ++i)
      index.data[i] = static_cast<uint32_t>(i % 3 ? i : odd[i / 3 % 8]);
  }
  void TearDown() override {
    for (pumice_buffer *buffer : buffers)
      pumice_buffer_release(buffer);
    pumice_queue_release(queue);
    pumice_function_release(function);
    pumice_executable_release(executable);
    pumice_blob_release(blob);
    pumice_device_release(device);
  }
  void run(int32_t mode, int32_t shift) {
    std::vector<pumice_argument> arguments;
    for (pumice_buffer *buffer : buffers)
      arguments.push_back(pumice_argument_buffer(buffer));
    arguments.push_back(pumice_argument_i32(mode));
    arguments.push_back(pumice_argument_i32(shift));
    pumice_launch_options grid = pumice_groups(lanes / 64, 1, 1);
    ASSERT_OK(pumice_launch(queue, function, &grid, arguments.data(), arguments.size()));
    ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  }
  int at(int lane) const { return static_cast<int32_t>(index.data[lane]); }
  static bool inside(int64_t word) { return word >= 0 && word < held; }

  Guarded index{lanes}, from{held}, to{held}, seen{lanes}, fours{held};
  pumice_device *device = nullptr;
  pumice_blob *blob = nullptr;
  pumice_executable *executable = nullptr;
  pumice_function *function = nullptr;
  pumice_queue *queue = nullptr;
  std::vector<pumice_buffer *> buffers;
};

TEST_F(Robust, ArbitraryIndices) {
  run(0, 0);
  std::vector<bool> written(held, false);
  for (int i = 0; i < lanes; ++i) {
    EXPECT_EQ(seen.data[i], inside(at(i)) ? 100u + static_cast<uint32_t>(at(i)) : 0u) << at(i);
    if (inside(at(i)))
      written[static_cast<size_t>(at(i))] = true;
  }
  for (int i = 0; i < held; ++i)
    EXPECT_EQ(to.data[i] != 5000, written[static_cast<size_t>(i)]) << i;
}

TEST_F(Robust, ConsecutiveIndices) {
  for (int shift : {0, 30, -5, -1000, 1000, INT32_MAX - lanes, INT32_MIN, INT32_MAX - 20}) {
    std::fill_n(to.data, held, 5000);
    run(1, shift);
    for (int i = 0; i < lanes; ++i)
      EXPECT_EQ(seen.data[i], inside(int64_t{i} + shift) ? 100u + uint32_t(i + shift) : 0u)
          << i << " and " << shift;
    for (int i = 0; i < held; ++i) {
      int64_t writer = int64_t{i} - shift;
      EXPECT_EQ(to.data[i], writer >= 0 && writer < lanes ? uint32_t(writer) : 5000u)
          << i << " and " << shift;
    }
  }
}

TEST_F(Robust, TheSameForAll) {
  for (int shift : {0, held - 1, held, -1, INT32_MAX, INT32_MIN}) {
    std::fill_n(to.data, held, 5000);
    run(2, shift);
    for (int i = 0; i < lanes; ++i)
      EXPECT_EQ(seen.data[i], inside(shift) ? 100u + uint32_t(shift) : 0u) << shift;
    EXPECT_EQ(std::count(to.data, to.data + held, 7u), inside(shift) ? 1 : 0) << shift;
  }
}

TEST_F(Robust, Atomics) {
  run(3, 1);
  std::vector<uint32_t> counts(held, 5000);
  for (int i = 0; i < lanes; ++i) {
    if (inside(at(i)))
      ++counts[static_cast<size_t>(at(i))];
    if (!inside(at(i)) && !inside(int64_t{at(i)} + 1))
      EXPECT_EQ(seen.data[i], 0u) << at(i);
  }
  EXPECT_TRUE(std::equal(counts.begin(), counts.end(), to.data));
}

/// The buffer holds nine vectors and one more word, so the whole tenth vector is out of range.
TEST_F(Robust, SeveralScalars) {
  run(4, 0);
  for (int i = 0; i < lanes; ++i)
    EXPECT_EQ(seen.data[i], at(i) >= 0 && at(i) < held / 4 ? 12u : 0u) << at(i);
}

TEST_F(Robust, OtherNumbersAreRefused) {
  pumice_function_options chosen = PUMICE_INIT(pumice_function_options);
  chosen.robust_access = 2;
  pumice_function *none = nullptr;
  EXPECT_FAILS(pumice_executable_function(executable, nullptr, &chosen, &none),
               PUMICE_INVALID_ARGUMENT, "robust_access is 2; expected 0 or 1");
}

} // namespace

#endif // not Windows
