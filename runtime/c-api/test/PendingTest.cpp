//===- PendingTest.cpp - functions made on other threads, and the log -------===//
#include "runtime/c-api/test/CApiFixture.h"

#include "pumice/pumice.hpp"

#include <atomic>
#include <cstdlib>
#include <thread>

namespace pumice::capi_test {
namespace {

class Pending : public OnDevice {
protected:
  pumice_pending_function *begin(uint32_t workgroup, uint64_t factor = 2) {
    pumice_constant constant{5, 4, factor};
    pumice_function_options options = PUMICE_INIT(pumice_function_options);
    options.workgroup_size[0] = workgroup;
    options.constants = &constant;
    options.constant_count = 1;
    pumice_pending_function *pending = nullptr;
    EXPECT_OK(pumice_executable_begin_function(executable, "affine", &options, &pending));
    return pending;
  }
  /// Checks that the function computes y = factor x + 1.
  void expectAffine(pumice_function *function, uint32_t workgroup, int32_t factor) {
    std::vector<int32_t> x(64, 3);
    pumice_buffer *from = newBuffer(256), *to = newBuffer(256);
    EXPECT_OK(pumice_queue_upload(queue, from, 0, x.data(), 256));
    pumice_argument arguments[] = {pumice_argument_buffer(from), pumice_argument_buffer(to),
                                   pumice_argument_i32(1)};
    pumice_launch_options grid = pumice_groups(64 / workgroup, 1, 1);
    EXPECT_OK(pumice_launch(queue, function, &grid, arguments, 3));
    EXPECT_EQ(contents(to), std::vector<int32_t>(64, 3 * factor + 1));
  }
};

TEST_F(Pending, FunctionsAreMadeOnOtherThreads) {
  std::vector<pumice_pending_function *> pending;
  for (uint32_t i = 0; i < 8; ++i)
    pending.push_back(begin(16, 10 + i));
  for (uint32_t i = 0; i < 8; ++i) {
    pumice_function *function = nullptr, *again = nullptr;
    ASSERT_OK(pumice_pending_function_wait(pending[i], PUMICE_FOREVER, &function));
    ASSERT_OK(pumice_pending_function_wait(pending[i], 0, &again));
    EXPECT_EQ(function, again);
    pumice_pending_function_release(pending[i]);
    pumice_function_release(again);
    expectAffine(function, 16, static_cast<int32_t>(10 + i));
    pumice_function_release(function);
  }
}

TEST_F(Pending, ManyThreadsBeginAndWait) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (uint32_t t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 20; ++i) {
        pumice_pending_function *pending = begin(8, 100 * t + i);
        pumice_function *function = nullptr;
        if (i % 3 != 0)
          right += pumice_pending_function_wait(pending, PUMICE_FOREVER, &function) == PUMICE_OK;
        pumice_pending_function_release(pending); // a third is released without a wait
        pumice_function_release(function);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 6 * 13);
}

TEST_F(Pending, FailuresComeFromTheWait) {
  pumice_pending_function *pending = nullptr;
  ASSERT_OK(pumice_executable_begin_function(executable, "missing", nullptr, &pending));
  pumice_function *function = nullptr;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILS(pumice_pending_function_wait(pending, PUMICE_FOREVER, &function), PUMICE_NOT_FOUND,
                 "missing");
    EXPECT_EQ(function, nullptr);
  }
  pumice_pending_function_release(pending);
}

TEST_F(Pending, MisuseIsAnError) {
  pumice_pending_function *pending = nullptr;
  pumice_function *function = nullptr;
  EXPECT_FAILS(pumice_executable_begin_function(nullptr, "affine", nullptr, &pending),
               PUMICE_INVALID_ARGUMENT, "executable is NULL");
  EXPECT_FAILS(pumice_executable_begin_function(executable, "affine", nullptr, nullptr),
               PUMICE_INVALID_ARGUMENT, "pending is NULL; expected a place");
  pumice_function_options options = PUMICE_INIT(pumice_function_options);
  options.robust_access = 2;
  EXPECT_FAILS(pumice_executable_begin_function(executable, "affine", &options, &pending),
               PUMICE_INVALID_ARGUMENT, "robust_access");
  EXPECT_FAILS(pumice_pending_function_wait(nullptr, 0, &function), PUMICE_INVALID_ARGUMENT,
               "pending is NULL");
  auto *wrong = reinterpret_cast<pumice_pending_function *>(device);
  EXPECT_FAILS(pumice_pending_function_wait(wrong, 0, &function), PUMICE_INVALID_ARGUMENT,
               "pending is a device");
  pumice_pending_function_release(nullptr);
}

TEST_F(Pending, TheCppLayerWaits) {
  std::vector<uint8_t> file = affineFile();
  pumice::Device opened = pumice::Device::open().value();
  pumice::Executable loaded = opened.load(file.data(), file.size()).value();
  pumice::FunctionOptions options;
  options.workgroupSize = {16, 0, 0};
  options.constants = {{5, 4, 9}};
  pumice::PendingFunction pending = loaded.beginFunction("affine", options).value();
  expectAffine(pending.wait().value().get(), 16, 9);
  EXPECT_EQ(loaded.beginFunction("missing").value().wait().error().code, PUMICE_NOT_FOUND);
}

#ifndef _WIN32
/// Most failures that are only logged cannot be provoked on every machine. A driver that fails to
/// start can, so the test uses one.
TEST(Log, TakesMessagesThatNoCallReturns) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
        setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
        std::string heard;
        pumice::setLog([&](pumice_log_level level, std::string_view text) {
          heard += std::to_string(level) + " " + std::string(text);
        });
        pumice_device_list *list = nullptr;
        (void)pumice_list_devices(&list);
        pumice_device_list_release(list);
        std::string before = heard;
        pumice::setLog(nullptr);
        (void)pumice_list_devices(&list);
        std::exit(before.rfind("1 driver vulkan: ", 0) == 0 && heard == before ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif

} // namespace
} // namespace pumice::capi_test
