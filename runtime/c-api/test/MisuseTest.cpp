//===- MisuseTest.cpp - wrong handles, sizes and numbers: errors, not crashes ===//
#include "runtime/c-api/test/CApiFixture.h"

#include <cstring>
#include <thread>

using namespace pumice::capi_test;

namespace {

constexpr pumice_status invalid = PUMICE_INVALID_ARGUMENT;

TEST(Misuse, EveryCallWithNulls) {
  void *memory = nullptr;
  auto device = reinterpret_cast<pumice_device **>(&memory);
  auto buffer = reinterpret_cast<pumice_buffer **>(&memory);
  auto blob = reinterpret_cast<pumice_blob **>(&memory);
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  uint64_t value = 0;
  EXPECT_FAILS(pumice_list_devices(nullptr), invalid, "list is NULL");
  EXPECT_FAILS(pumice_device_list_info(nullptr, 0, &info), invalid, "list is NULL");
  EXPECT_FAILS(pumice_device_open(nullptr, nullptr), invalid, "device is NULL");
  EXPECT_FAILS(pumice_device_open_for(nullptr, 0, nullptr, device), invalid, "executable is NULL");
  EXPECT_FAILS(pumice_device_get_info(nullptr, &info), invalid, "device is NULL");
  EXPECT_FAILS(pumice_device_health(nullptr), invalid, "device is NULL");
  EXPECT_FAILS(pumice_device_set_option(nullptr, "threads", 1), invalid, "device is NULL");
  EXPECT_FAILS(pumice_device_target(nullptr, blob), invalid, "device is NULL");
  EXPECT_FAILS(pumice_device_target(nullptr, nullptr), invalid, "json is NULL");
  EXPECT_FAILS(pumice_buffer_create(nullptr, 4, PUMICE_MEMORY_DEVICE, buffer), invalid,
               "device is NULL");
  EXPECT_FAILS(pumice_buffer_create(nullptr, 4, PUMICE_MEMORY_DEVICE, nullptr), invalid,
               "buffer is NULL");
  EXPECT_FAILS(pumice_buffer_import_host(nullptr, &value, 8, nullptr, nullptr, buffer), invalid,
               "device is NULL");
  EXPECT_FAILS(pumice_buffer_from_dlpack(nullptr, nullptr, buffer), invalid, "device is NULL");
  EXPECT_FAILS(pumice_buffer_from_dlpack_versioned(nullptr, nullptr, buffer), invalid,
               "device is NULL");
  EXPECT_FAILS(pumice_buffer_to_dlpack(nullptr, nullptr, nullptr), invalid, "tensor is NULL");
  EXPECT_FAILS(pumice_buffer_to_dlpack_versioned(nullptr, nullptr, nullptr), invalid,
               "tensor is NULL");
  EXPECT_FAILS(pumice_executable_load(nullptr, &value, 8, nullptr), invalid, "executable is NULL");
  EXPECT_FAILS(pumice_executable_load_file(nullptr, "x", nullptr), invalid, "executable is NULL");
  EXPECT_FAILS(pumice_executable_entry_point(nullptr, 0, nullptr), invalid, "executable is NULL");
  EXPECT_FAILS(pumice_executable_argument(nullptr, 0, 0, nullptr), invalid, "executable is NULL");
  EXPECT_FAILS(pumice_executable_function(nullptr, nullptr, nullptr, nullptr), invalid,
               "function is NULL");
  EXPECT_FAILS(pumice_queue_create(nullptr, nullptr, nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_upload(nullptr, nullptr, 0, nullptr, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_download(nullptr, nullptr, nullptr, 0, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_copy(nullptr, nullptr, 0, nullptr, 0, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_fill(nullptr, nullptr, 0, 0, 0, 4), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_wait(nullptr, nullptr, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_signal(nullptr, nullptr, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_on_done(nullptr, nullptr, nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_on_time(nullptr, nullptr, nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_flush(nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_let_begin(nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_finish(nullptr, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_take_profile(nullptr, nullptr), invalid, "profile is NULL");
  EXPECT_FAILS(pumice_queue_begin_capture(nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_end_capture(nullptr, nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_queue_replay(nullptr, nullptr), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_profile_get(nullptr, 0, nullptr), invalid, "profile is NULL");
  EXPECT_FAILS(pumice_timeline_create(nullptr, 0, nullptr), invalid, "timeline is NULL");
  EXPECT_FAILS(pumice_timeline_value(nullptr, &value), invalid, "timeline is NULL");
  EXPECT_FAILS(pumice_timeline_wait(nullptr, 0, 0), invalid, "timeline is NULL");
  EXPECT_FAILS(pumice_timeline_signal(nullptr, 0), invalid, "timeline is NULL");
  EXPECT_FAILS(pumice_launch(nullptr, nullptr, nullptr, nullptr, 0), invalid, "queue is NULL");
  EXPECT_FAILS(pumice_compile(nullptr, 0, nullptr, blob), invalid, "source is NULL");
  EXPECT_FAILS(pumice_compile("x", 1, nullptr, blob), invalid, "options is NULL");
}

TEST(Misuse, QueriesAndReleasesOfNull) {
  EXPECT_EQ(pumice_device_list_count(nullptr), 0u);
  EXPECT_STREQ(pumice_device_list_failures(nullptr), "");
  EXPECT_EQ(pumice_buffer_bytes(nullptr), 0u);
  EXPECT_EQ(pumice_buffer_address(nullptr), 0u);
  EXPECT_EQ(pumice_buffer_map(nullptr), nullptr);
  EXPECT_EQ(pumice_buffer_memory(nullptr), PUMICE_MEMORY_DEVICE);
  EXPECT_EQ(pumice_executable_entry_point_count(nullptr), 0u);
  EXPECT_EQ(pumice_profile_count(nullptr), 0u);
  EXPECT_EQ(pumice_graph_size(nullptr), 0u);
  EXPECT_EQ(pumice_blob_data(nullptr), nullptr);
  EXPECT_EQ(pumice_blob_size(nullptr), 0u);
  pumice_device_list_release(nullptr);
  pumice_device_retain(nullptr), pumice_device_release(nullptr);
  pumice_buffer_retain(nullptr), pumice_buffer_release(nullptr);
  pumice_executable_retain(nullptr), pumice_executable_release(nullptr);
  pumice_function_retain(nullptr), pumice_function_release(nullptr);
  pumice_queue_retain(nullptr), pumice_queue_release(nullptr);
  pumice_timeline_retain(nullptr), pumice_timeline_release(nullptr);
  pumice_graph_retain(nullptr), pumice_graph_release(nullptr);
  pumice_profile_release(nullptr), pumice_blob_release(nullptr);
}

TEST(Misuse, HandlesOfAnotherKind) {
  pumice_device_list *list = nullptr;
  ASSERT_OK(pumice_list_devices(&list));
  auto *wrong = reinterpret_cast<pumice_queue *>(list);
  EXPECT_FAILS(pumice_queue_flush(wrong), invalid, "queue is a device list; a queue is needed");
  pumice_queue_release(wrong); // releases nothing
  EXPECT_NE(said().find("a queue is needed"), std::string::npos);
  uint64_t nothing[8] = {};
  EXPECT_FAILS(pumice_queue_flush(reinterpret_cast<pumice_queue *>(nothing)), invalid,
               "not a handle of Pumice");
  EXPECT_FAILS(pumice_device_list_info(list, SIZE_MAX, nullptr), PUMICE_NOT_FOUND, "index");
  pumice_device_list_release(list);
}

TEST(Misuse, StatusesAndVersions) {
  EXPECT_STREQ(pumice_status_name(PUMICE_OK), "ok");
  EXPECT_STREQ(pumice_status_name(PUMICE_DEVICE_LOST), "device lost");
  EXPECT_STREQ(pumice_status_name(pumice_status(-1)), "unknown status");
  EXPECT_STREQ(pumice_status_name(pumice_status(10)), "unknown status");
  EXPECT_EQ(pumice_abi_version(), uint32_t(PUMICE_ABI_VERSION));
  std::string version = std::to_string(PUMICE_VERSION_MAJOR) + "." +
                        std::to_string(PUMICE_VERSION_MINOR) + "." +
                        std::to_string(PUMICE_VERSION_PATCH);
  EXPECT_EQ(pumice_version(), version);
  // Each thread has its own last error.
  EXPECT_FAILS(pumice_queue_flush(nullptr), invalid, "queue is NULL");
  std::thread([] { EXPECT_STREQ(pumice_last_error(), ""); }).join();
  EXPECT_NE(said(), "");
}

TEST(Misuse, UnknownDevices) {
  pumice_device *device = nullptr;
  EXPECT_EQ(pumice_device_open("no such device", &device), PUMICE_NOT_FOUND);
  EXPECT_EQ(device, nullptr);
}

TEST(Misuse, CompileOptions) {
  pumice_blob *blob = nullptr;
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid, "there is no target");
  options.target_count = 1;
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid, "targets is NULL");
  const char *none = nullptr;
  options.targets = &none;
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid, "options.targets[0] is NULL");
  const char *device = "device:no such device";
  options.targets = &device;
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), PUMICE_NOT_FOUND, "options.targets[0]");
  options.index_bits = 16;
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid,
               "index_bits is 16; expected 32, 64, or 0 for the default");
  options.source_kind = pumice_source_kind(9);
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid, "source_kind is 9");
  options.source_kind = PUMICE_SOURCE_AUTO;
  options.index_bits = 0;
  options.route = pumice_route(2);
  EXPECT_FAILS(pumice_compile("x", 1, &options, &blob), invalid, "route is 2");
}

TEST_F(OnDevice, StructuresOfOtherSizes) {
  struct Newer {
    pumice_queue_options known;
    uint64_t added;
  } newer = {PUMICE_INIT(pumice_queue_options), 0};
  newer.known.struct_size = sizeof newer;
  pumice_queue *made = nullptr;
  EXPECT_OK(pumice_queue_create(device, &newer.known, &made)); // ignores the unknown field
  pumice_queue_release(made);
  newer.added = 1;
  EXPECT_FAILS(pumice_queue_create(device, &newer.known, &made), PUMICE_UNSUPPORTED,
               "a field at byte");
  EXPECT_EQ(made, nullptr);
  pumice_queue_options older = PUMICE_INIT(pumice_queue_options);
  older.struct_size = sizeof(size_t);
  older.profiling = 77; // not read, because it is beyond the structure's size
  EXPECT_OK(pumice_queue_create(device, &older, &made));
  pumice_queue_release(made);
  older = PUMICE_INIT(pumice_queue_options);
  older.reserved = 1;
  EXPECT_FAILS(pumice_queue_create(device, &older, &made), PUMICE_UNSUPPORTED,
               "options: reserved is 1");
  older.struct_size = offsetof(pumice_queue_options, reserved); // as before the field existed
  EXPECT_OK(pumice_queue_create(device, &older, &made));
  pumice_queue_release(made);
  older.struct_size = 0;
  EXPECT_FAILS(pumice_queue_create(device, &older, &made), invalid, "struct_size is 0");
  older.struct_size = SIZE_MAX;
  EXPECT_FAILS(pumice_queue_create(device, &older, &made), invalid, "is that large");

  struct {
    pumice_device_info info;
    uint64_t added;
  } wide = {PUMICE_INIT(pumice_device_info), 5};
  wide.info.struct_size = sizeof wide;
  ASSERT_OK(pumice_device_get_info(device, &wide.info));
  EXPECT_EQ(wide.added, 0u);
  EXPECT_EQ(wide.info.struct_size, sizeof wide);
  pumice_device_info narrow = PUMICE_INIT(pumice_device_info);
  narrow.struct_size = offsetof(pumice_device_info, driver);
  narrow.driver = "untouched";
  ASSERT_OK(pumice_device_get_info(device, &narrow));
  EXPECT_STREQ(narrow.driver, "untouched");
  EXPECT_NE(narrow.id, nullptr);
}

TEST_F(OnDevice, BuffersReleasedTwiceWhileTheyAreUsed) {
  pumice_buffer *buffer = nullptr;
  pumice_timeline *start = nullptr;
  ASSERT_OK(pumice_buffer_create(device, 64, PUMICE_MEMORY_DEVICE, &buffer));
  ASSERT_OK(pumice_timeline_create(device, 0, &start));
  ASSERT_OK(pumice_queue_wait(queue, start, 1));
  ASSERT_OK(pumice_queue_fill(queue, buffer, 0, PUMICE_TO_END, 7, 4));
  pumice_buffer_release(buffer);
  // The pending work keeps the buffer alive, and with it the memory of the released handle.
  pumice_buffer_release(buffer);
  EXPECT_NE(said().find("buffer is a released handle"), std::string::npos) << said();
  EXPECT_FAILS(pumice_queue_fill(queue, buffer, 0, PUMICE_TO_END, 7, 4), invalid, "released");
  EXPECT_OK(pumice_timeline_signal(start, 1));
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  pumice_timeline_release(start);
}

TEST_F(OnDevice, RangesOfBuffers) {
  pumice_buffer *a = newBuffer(64), *b = newBuffer(64);
  char bytes[128] = {};
  EXPECT_FAILS(pumice_queue_upload(queue, a, 60, bytes, 8), invalid, "the buffer of 64 bytes");
  EXPECT_FAILS(pumice_queue_upload(queue, a, UINT64_MAX, bytes, 8), invalid,
               "the buffer of 64 bytes");
  EXPECT_FAILS(pumice_queue_upload(queue, a, 8, bytes, UINT64_MAX - 4), invalid, "(offset 8, ");
  EXPECT_FAILS(pumice_queue_upload(queue, a, 0, nullptr, 8), invalid, "from is NULL");
  EXPECT_FAILS(pumice_queue_download(queue, nullptr, a, 0, 8), invalid, "to is NULL");
  EXPECT_FAILS(pumice_queue_download(queue, bytes, a, 1, 64), invalid,
               "from: the range (offset 1, 64 bytes)");
  EXPECT_FAILS(pumice_queue_copy(queue, a, 0, b, 32, 64), invalid,
               "from: the range (offset 32, 64 bytes)");
  EXPECT_FAILS(pumice_queue_copy(queue, a, 0, a, 16, 32), invalid, "");
  EXPECT_FAILS(pumice_queue_copy(queue, a, 0, b, 32, PUMICE_TO_END), invalid,
               "'to' ends after 64 bytes and 'from' after 32: say how many bytes to copy");
  EXPECT_OK(pumice_queue_copy(queue, a, 32, b, 32, PUMICE_TO_END));
  EXPECT_FAILS(pumice_queue_fill(queue, a, 0, 6, 0, 4), invalid, "");
  EXPECT_FAILS(pumice_queue_fill(queue, a, 0, 8, 0, 3), invalid, "");
  EXPECT_OK(pumice_queue_fill(queue, a, 0, 0, 0, 4)); // an empty range
  pumice_queue_options odd = PUMICE_INIT(pumice_queue_options);
  odd.profiling = 2;
  pumice_queue *never = nullptr;
  EXPECT_FAILS(pumice_queue_create(device, &odd, &never), invalid,
               "profiling is 2; expected 0 or 1");
  pumice_buffer *none = nullptr;
  EXPECT_FAILS(pumice_buffer_create(device, 0, PUMICE_MEMORY_DEVICE, &none), invalid,
               "at least one byte");
  EXPECT_FAILS(pumice_buffer_create(device, 4, pumice_memory(9), &none), invalid, "got 9");
  EXPECT_FAILS(pumice_buffer_create(device, UINT64_MAX, PUMICE_MEMORY_DEVICE, &none),
               PUMICE_RESOURCE_EXHAUSTED, "");
  EXPECT_EQ(none, nullptr);
}

} // namespace
