//===- LaunchTest.cpp - the C API on a device -------------------------------===//
#include "runtime/c-api/test/CApiFixture.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>

using namespace pumice::capi_test;

namespace {

std::vector<int32_t> counting(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

class Launch : public OnDevice {
protected:
  static constexpr size_t count = 1000;
  void SetUp() override {
    OnDevice::SetUp();
    if (!device)
      return;
    x = newBuffer(count * 4);
    y = newBuffer(count * 4);
    std::vector<int32_t> values = counting(count);
    ASSERT_OK(pumice_queue_upload(queue, x, 0, values.data(), count * 4));
  }
  pumice_status launch(pumice_function *function, uint32_t groups, int32_t addend) {
    pumice_launch_options options = pumice_groups(groups, 1, 1);
    pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                                   pumice_argument_i32(addend)};
    return pumice_launch(queue, function, &options, arguments, 3);
  }
  pumice_buffer *x = nullptr, *y = nullptr;
};

TEST_F(Launch, ConstantsAndWorkgroupSizes) {
  ASSERT_OK(launch(affine(64, 2), 16, 7));
  EXPECT_EQ(contents(y)[999], 2 * 999 + 7);
  ASSERT_OK(launch(affine(32, 10), 32, -1));
  EXPECT_EQ(contents(y)[999], 9989);
}

TEST_F(Launch, PartsOfBuffers) {
  pumice_function *function = affine(64);
  pumice_launch_options options = pumice_groups(16, 1, 1);
  pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                                 pumice_argument_i32(0)};
  ASSERT_OK(pumice_queue_fill(queue, y, 0, PUMICE_TO_END, 0xffffffffu, 4));
  arguments[0].bytes = 256 * 4;
  arguments[1].offset = 256 * 4; // a multiple of every device's alignment
  arguments[1].bytes = 256 * 4;
  ASSERT_OK(pumice_launch(queue, function, &options, arguments, 3));
  std::vector<int32_t> values = contents(y);
  EXPECT_EQ(values[255], -1);
  EXPECT_EQ(values[256 + 100], 200);
  EXPECT_EQ(values[512], -1);
}

TEST_F(Launch, WrongArgumentsAreNamed) {
  pumice_function *function = affine(64);
  pumice_launch_options options = pumice_groups(1, 1, 1);
  pumice_argument good[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                            pumice_argument_i32(0)};
  auto with = [&](size_t index, pumice_argument argument) {
    pumice_argument arguments[] = {good[0], good[1], good[2]};
    arguments[index] = argument;
    return pumice_launch(queue, function, &options, arguments, 3);
  };
  constexpr pumice_status invalid = PUMICE_INVALID_ARGUMENT;
  EXPECT_FAILS(pumice_launch(queue, function, &options, good, 2), invalid, "2");
  EXPECT_FAILS(pumice_launch(queue, function, &options, nullptr, 3), invalid, "NULL");
  EXPECT_FAILS(pumice_launch(queue, function, nullptr, good, 3), invalid, "options");
  EXPECT_FAILS(pumice_launch(queue, function, &options, good, SIZE_MAX), invalid, "arguments");
  EXPECT_FAILS(pumice_launch(nullptr, function, &options, good, 3), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_launch(queue, nullptr, &options, good, 3), invalid, "function is NULL");
  EXPECT_FAILS(with(0, pumice_argument_i32(1)), invalid, "argument 0");
  EXPECT_FAILS(with(2, pumice_argument_buffer(x)), invalid, "argument 2");
  EXPECT_FAILS(with(2, pumice_argument_i64(1)), invalid, "argument 2");
  pumice_argument beyond = good[1];
  beyond.offset = count * 4 + 4;
  EXPECT_FAILS(with(1, beyond), invalid, "argument 1");
  beyond.offset = 8;
  beyond.bytes = count * 4;
  EXPECT_FAILS(with(1, beyond), invalid, "argument 1");
  pumice_argument kind = good[1];
  kind.kind = pumice_argument_kind(7);
  EXPECT_FAILS(with(1, kind), invalid, "argument 1: kind is 7");
  pumice_argument shape = good[1];
  shape.rank = 1;
  EXPECT_FAILS(with(1, shape), invalid, "shape is NULL");
  pumice_argument odd = good[1];
  odd.reserved = 1;
  EXPECT_FAILS(with(1, odd), invalid, "argument 1: reserved is 1; expected 0");
  pumice_argument other = good[1];
  other.buffer = reinterpret_cast<pumice_buffer *>(queue);
  EXPECT_FAILS(with(1, other), invalid, "argument 1 is a queue; a buffer is needed");
  pumice_argument scalar = pumice_argument_scalar(nullptr, 64);
  EXPECT_FAILS(with(2, scalar), invalid, "argument 2");
}

TEST_F(Launch, ArgumentsOfANewerHeaderAreRead) {
  struct Newer {
    pumice_argument known;
    uint64_t added[2];
  };
  pumice_function *function = affine(64);
  pumice_launch_options options = pumice_groups(count / 64, 1, 1);
  Newer arguments[] = {{pumice_argument_buffer(x), {}},
                       {pumice_argument_buffer(y), {}},
                       {pumice_argument_i32(5), {}}};
  auto launch = [&](size_t bytes) {
    return pumice_launch_sized(queue, function, &options, &arguments[0].known, 3, bytes);
  };
  ASSERT_OK(launch(sizeof(Newer)));
  EXPECT_EQ(contents(y)[7], 2 * 7 + 5);
  arguments[1].added[1] = 1;
  EXPECT_FAILS(launch(sizeof(Newer)), PUMICE_UNSUPPORTED, "argument 1 sets a field at byte");
  EXPECT_FAILS(launch(8), PUMICE_INVALID_ARGUMENT, "argument_bytes is 8");
  EXPECT_FAILS(launch(SIZE_MAX), PUMICE_INVALID_ARGUMENT, "argument_bytes is");
}

TEST_F(Launch, HostMemoryIsUsedInPlace) {
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &info));
  if (info.host_import_alignment == 0)
    GTEST_SKIP() << info.name << " cannot import host memory";
  std::vector<int32_t> memory(count + 64);
  int released = 0;
  pumice_buffer *imported = nullptr;
  // The memory does not start at a page boundary, so whole pages around it are imported. `start` is
  // a multiple of 64 bytes, because descriptors require aligned offsets.
  int32_t *start = memory.data();
  while (reinterpret_cast<uintptr_t>(start) % 64 != 0)
    ++start;
  ASSERT_OK(pumice_buffer_import_host(
      device, start, count * 4, [](void *user) { ++*static_cast<int *>(user); }, &released,
      &imported));
  EXPECT_EQ(pumice_buffer_memory(imported), PUMICE_MEMORY_IMPORTED);
  EXPECT_EQ(pumice_buffer_bytes(imported), count * 4);
  EXPECT_EQ(pumice_buffer_map(imported), start);
  pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(imported),
                                 pumice_argument_i32(3)};
  pumice_launch_options options = pumice_groups(16, 1, 1);
  ASSERT_OK(pumice_launch(queue, affine(64), &options, arguments, 3));
  pumice_buffer_release(imported); // the launch keeps the memory alive
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_EQ(start[999], 2 * 999 + 3);
  pumice_queue_release(queue);
  queue = nullptr;
  EXPECT_EQ(released, 1);
  ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
  char *odd = reinterpret_cast<char *>(start) + 1, message[80];
  ASSERT_OK(pumice_buffer_import_host(device, odd, 4, nullptr, nullptr, &imported));
  arguments[1] = pumice_argument_buffer(imported);
  std::snprintf(message, sizeof message, "it starts at address %p, in imported memory", odd);
  EXPECT_FAILS(pumice_launch(queue, affine(64), &options, arguments, 3), PUMICE_INVALID_ARGUMENT,
               message);
  pumice_buffer_release(imported);
  EXPECT_FAILS(pumice_buffer_import_host(device, nullptr, 8, nullptr, nullptr, &imported),
               PUMICE_INVALID_ARGUMENT, "address");
  EXPECT_EQ(imported, nullptr);
  EXPECT_FAILS(pumice_buffer_import_host(device, reinterpret_cast<void *>(16), 8, nullptr, nullptr,
                                         &imported),
               PUMICE_INVALID_ARGUMENT, "memory: address 16 cannot be valid");
  EXPECT_FAILS(pumice_buffer_import_host(device, start, UINT64_MAX, nullptr, nullptr, &imported),
               PUMICE_INVALID_ARGUMENT, "address space");
}

TEST_F(Launch, WorkOutlivesHandles) {
  pumice_timeline *timeline = nullptr;
  ASSERT_OK(pumice_timeline_create(device, 0, &timeline));
  pumice_buffer *target = nullptr;
  ASSERT_OK(pumice_buffer_create(device, count * 4, PUMICE_MEMORY_HOST, &target));
  ASSERT_NE(pumice_buffer_map(target), nullptr);
  ASSERT_OK(pumice_queue_copy(queue, target, 0, x, 0, count * 4));
  ASSERT_OK(pumice_queue_signal(queue, timeline, 5));
  pumice_queue_release(queue);
  queue = nullptr;
  ASSERT_OK(pumice_timeline_wait(timeline, 5, PUMICE_FOREVER));
  uint64_t value = 0;
  EXPECT_OK(pumice_timeline_value(timeline, &value));
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(static_cast<int32_t *>(pumice_buffer_map(target))[999], 999);
  EXPECT_FAILS(pumice_timeline_wait(timeline, 6, 1000), PUMICE_DEADLINE_EXCEEDED, "");
  EXPECT_FAILS(pumice_timeline_signal(timeline, 5), PUMICE_INVALID_ARGUMENT, "must be larger");
  EXPECT_OK(pumice_timeline_signal(timeline, 9));
  pumice_timeline_release(timeline);
  pumice_buffer_release(target);
}

TEST_F(Launch, DoneCallbackRunsOnce) {
  std::atomic<int> told = 0;
  ASSERT_OK(launch(affine(64), 16, 0));
  ASSERT_OK(pumice_queue_on_done(
      queue,
      [](void *user, pumice_status status, const char *) {
        *static_cast<std::atomic<int> *>(user) += status == PUMICE_OK ? 1 : 100;
      },
      &told));
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_EQ(told, 1);
  EXPECT_FAILS(pumice_queue_on_done(queue, nullptr, nullptr), PUMICE_INVALID_ARGUMENT, "done");
}

TEST_F(Launch, TimesOfWork) {
  std::atomic<uint64_t> times[2] = {0, 0};
  auto note = [](void *user, pumice_status status, const char *, uint64_t nanoseconds) {
    *static_cast<std::atomic<uint64_t> *>(user) = status == PUMICE_OK ? nanoseconds : 1;
  };
  ASSERT_OK(pumice_queue_on_time(queue, note, &times[0]));
  ASSERT_OK(launch(affine(64), 16, 0));
  ASSERT_OK(pumice_queue_on_time(queue, note, &times[1]));
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_GT(times[0], 1u);
  EXPECT_GT(times[1], times[0]);
  EXPECT_FAILS(pumice_queue_on_time(queue, nullptr, nullptr), PUMICE_INVALID_ARGUMENT, "done");
}

TEST_F(Launch, Profiles) {
  pumice_queue_options options = PUMICE_INIT(pumice_queue_options);
  options.profiling = 1;
  pumice_queue_release(queue);
  ASSERT_OK(pumice_queue_create(device, &options, &queue));
  ASSERT_OK(launch(affine(64), 16, 0));
  ASSERT_OK(pumice_queue_fill(queue, y, 0, 400, 0, 4));
  ASSERT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  pumice_profile *profile = nullptr;
  ASSERT_OK(pumice_queue_take_profile(queue, &profile));
  ASSERT_EQ(pumice_profile_count(profile), 2u);
  pumice_profile_record record = PUMICE_INIT(pumice_profile_record);
  ASSERT_OK(pumice_profile_get(profile, 0, &record));
  EXPECT_EQ(record.kind, PUMICE_PROFILE_LAUNCH);
  EXPECT_STREQ(record.label, "affine");
  EXPECT_GE(record.device_end, record.device_begin);
  ASSERT_OK(pumice_profile_get(profile, 1, &record));
  EXPECT_EQ(record.kind, PUMICE_PROFILE_FILL);
  EXPECT_EQ(record.bytes, 400u);
  EXPECT_FAILS(pumice_profile_get(profile, 2, &record), PUMICE_NOT_FOUND, "2 records");
  pumice_profile_release(profile);
}

TEST_F(Launch, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      pumice_queue *own = nullptr;
      pumice_buffer *target = nullptr;
      pumice_function_options options = PUMICE_INIT(pumice_function_options);
      options.workgroup_size[0] = 32u << (t % 2);
      pumice_function *function = nullptr;
      std::vector<int32_t> source = counting(count), got(count);
      wrong += pumice_queue_create(device, nullptr, &own) != PUMICE_OK;
      wrong += pumice_buffer_create(device, count * 8, PUMICE_MEMORY_DEVICE, &target) != 0;
      wrong += pumice_executable_function(executable, nullptr, &options, &function) != PUMICE_OK;
      pumice_launch_options grid = pumice_groups(32, 1, 1);
      pumice_argument arguments[] = {pumice_argument_buffer(target), pumice_argument_buffer(target),
                                     pumice_argument_i32(t)};
      arguments[0].bytes = count * 4;
      for (int i = 0; i < 20; ++i) {
        wrong += pumice_queue_upload(own, target, 0, source.data(), count * 4) != PUMICE_OK;
        arguments[1].offset = 0;
        arguments[1].bytes = count * 4;
        wrong += pumice_launch(own, function, &grid, arguments, 3) != PUMICE_OK;
        wrong += pumice_queue_download(own, got.data(), target, 0, count * 4) != PUMICE_OK;
        wrong += pumice_queue_finish(own, PUMICE_FOREVER) != PUMICE_OK;
        wrong += got[999] != 2 * 999 + t;
        // Each thread has its own last error.
        wrong += pumice_queue_upload(own, target, t, nullptr, 8) != PUMICE_INVALID_ARGUMENT;
        wrong += std::strstr(pumice_last_error(), "from is NULL") == nullptr;
      }
      pumice_function_release(function);
      pumice_buffer_release(target);
      pumice_queue_release(own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(OnDevice, ExecutablesAreDescribed) {
  EXPECT_EQ(pumice_executable_entry_point_count(executable), 1u);
  pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
  ASSERT_OK(pumice_executable_entry_point(executable, 0, &entry));
  EXPECT_STREQ(entry.name, "affine");
  EXPECT_EQ(entry.argument_count, 3u);
  EXPECT_EQ(entry.workgroup_size[0], 0u);
  EXPECT_STREQ(entry.source_file, "affine.comp");
  EXPECT_EQ(entry.source_line, 10u);
  pumice_argument_info argument = PUMICE_INIT(pumice_argument_info);
  ASSERT_OK(pumice_executable_argument(executable, 0, 1, &argument));
  EXPECT_STREQ(argument.name, "y");
  EXPECT_STREQ(argument.element, "i32");
  EXPECT_EQ(argument.access, uint32_t(PUMICE_ACCESS_WRITE));
  ASSERT_EQ(argument.rank, 1u);
  EXPECT_EQ(argument.shape[0], PUMICE_DYNAMIC);
  EXPECT_FAILS(pumice_executable_argument(executable, 0, 3, &argument), PUMICE_NOT_FOUND, "3");
  EXPECT_FAILS(pumice_executable_entry_point(executable, 1, &entry), PUMICE_NOT_FOUND, "index 1");
}

TEST_F(OnDevice, NamesWithoutADevice) {
  std::vector<uint8_t> file = affineFile();
  pumice_entry_point_info entry = PUMICE_INIT(pumice_entry_point_info);
  ASSERT_OK(pumice_executable_entry_point(executable, 0, &entry));
  pumice_blob *names = nullptr;
  ASSERT_OK(pumice_executable_names(file.data(), file.size(), &names));
  EXPECT_EQ(
      std::string(static_cast<const char *>(pumice_blob_data(names)), pumice_blob_size(names)),
      std::string(entry.name) + '\0');
  pumice_blob_release(names);
  file[file.size() / 2] ^= 1;
  EXPECT_FAILS(pumice_executable_names(file.data(), file.size(), &names), PUMICE_DATA_CORRUPT, "");
  EXPECT_EQ(names, nullptr);
  EXPECT_FAILS(pumice_executable_names(nullptr, 8, &names), PUMICE_INVALID_ARGUMENT,
               "data is NULL");
}

TEST_F(OnDevice, WrongFilesAndOptions) {
  std::vector<uint8_t> file = affineFile();
  pumice_executable *loaded = nullptr;
  file[file.size() / 2] ^= 1;
  EXPECT_FAILS(pumice_executable_load(device, file.data(), file.size(), &loaded),
               PUMICE_DATA_CORRUPT, "");
  EXPECT_EQ(loaded, nullptr);
  EXPECT_FAILS(pumice_executable_load(device, nullptr, 8, &loaded), PUMICE_INVALID_ARGUMENT,
               "data is NULL");
  EXPECT_FAILS(pumice_executable_load_file(device, "/no/such.pumice", &loaded), PUMICE_NOT_FOUND,
               "/no/such.pumice");
  pumice_function *function = nullptr;
  EXPECT_FAILS(pumice_executable_function(executable, "no", nullptr, &function), PUMICE_NOT_FOUND,
               "affine");
  EXPECT_FAILS(pumice_executable_function(executable, nullptr, nullptr, &function),
               PUMICE_INVALID_ARGUMENT, "");
  pumice_function_options options = PUMICE_INIT(pumice_function_options);
  options.workgroup_size[0] = 64;
  options.constant_count = 1;
  EXPECT_FAILS(pumice_executable_function(executable, nullptr, &options, &function),
               PUMICE_INVALID_ARGUMENT, "constants is NULL");
  pumice_constant unknown{99, 4, 0};
  options.constants = &unknown;
  EXPECT_FAILS(pumice_executable_function(executable, nullptr, &options, &function),
               PUMICE_INVALID_ARGUMENT, "99");
}

TEST(DeviceOptions, CpuOptions) {
  pumice_device *cpu = nullptr;
  ASSERT_OK(pumice_device_open("cpu", &cpu));
  EXPECT_OK(pumice_device_set_option(cpu, "threads", 2));
  EXPECT_OK(pumice_device_set_option(cpu, "timeout_ms", 0));
  EXPECT_FAILS(pumice_device_set_option(cpu, "threads", -1), PUMICE_INVALID_ARGUMENT, "-1");
  EXPECT_FAILS(pumice_device_set_option(cpu, "speed", 1), PUMICE_NOT_FOUND, "threads");
  EXPECT_FAILS(pumice_device_set_option(cpu, nullptr, 1), PUMICE_INVALID_ARGUMENT, "name is NULL");
  pumice_device_release(cpu);
}

TEST(DeviceHandles, AreOneForEachDevice) {
  pumice_device *first = nullptr, *second = nullptr;
  ASSERT_OK(pumice_device_open("cpu", &first));
  ASSERT_OK(pumice_device_open("cpu:0", &second));
  EXPECT_EQ(first, second);
  pumice_device_release(first);
  EXPECT_OK(pumice_device_health(second)) << "each opening is released on its own";
  pumice_device_release(second);
  ASSERT_OK(pumice_device_open("cpu", &first));
  EXPECT_OK(pumice_device_health(first));
  pumice_device_release(first);
}

TEST(DeviceHandles, ThreadsOpenAndReleaseThem) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 500; ++round) {
        pumice_device *device = nullptr;
        ASSERT_OK(pumice_device_open("cpu", &device));
        EXPECT_OK(pumice_device_health(device));
        pumice_device_release(device);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(OnDevice, DeviceForAnExecutable) {
  std::vector<uint8_t> file = affineFile();
  pumice_device *found = nullptr;
  ASSERT_OK(pumice_device_open_for(file.data(), file.size(), nullptr, &found));
  EXPECT_OK(pumice_device_health(found));
  pumice_blob *json = nullptr;
  ASSERT_OK(pumice_device_target(found, &json));
  EXPECT_NE(std::strstr(static_cast<const char *>(pumice_blob_data(json)), "pumiceTargetEnv"),
            nullptr);
  EXPECT_EQ(std::strlen(static_cast<const char *>(pumice_blob_data(json))), pumice_blob_size(json));
  pumice_blob_release(json);
  pumice_device_release(found);
  EXPECT_FAILS(pumice_device_open_for("x", 1, nullptr, &found), PUMICE_DATA_CORRUPT, "");
}

} // namespace
