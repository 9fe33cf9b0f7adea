//===- VulkanTest.cpp - Pumice on an application's own Vulkan objects -------===//
#include "pumice/pumice_vulkan.hpp"
#include "runtime/c-api/test/BareVulkan.h"
#include "runtime/c-api/test/CApiFixture.h"

#include <array>
#include <atomic>
#include <numeric>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace pumice::capi_test {
namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint32_t count = 1000, bytes = 4 * count;

class Vulkan : public OnDevice {
protected:
  void SetUp() override {
    if (!bare.start())
      GTEST_SKIP() << bare.why;
    ASSERT_TRUE(bare.makeWishedDevice()) << said();
    lend(bare.options());
  }
  void lend(const pumice_vulkan_device_options &options) {
    ASSERT_OK(pumice_vulkan_device_create(&options, &device));
    ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
    std::vector<uint8_t> file = affineFile();
    ASSERT_OK(pumice_executable_load(device, file.data(), file.size(), &executable));
  }
  void TearDown() override {
    for (pumice_timeline *timeline : timelines)
      pumice_timeline_release(timeline);
    OnDevice::TearDown();
    EXPECT_EQ(BareVulkan::messages(), std::vector<std::string>());
  }

  static pumice_vulkan_buffer rangeOf(const HostVisible &of) {
    pumice_vulkan_buffer range = PUMICE_INIT(pumice_vulkan_buffer);
    range.buffer = of.buffer;
    range.usage = of.usage;
    range.size = range.bytes = of.bytes;
    return range;
  }
  pumice_buffer *wrap(const HostVisible &of) {
    pumice_vulkan_buffer range = rangeOf(of);
    pumice_buffer *buffer = nullptr;
    EXPECT_OK(pumice_vulkan_buffer_wrap(device, &range, nullptr, nullptr, &buffer));
    buffers.push_back(buffer);
    return buffer;
  }
  pumice_timeline *timelineOver(VkSemaphore semaphore, uint64_t initial = 0) {
    pumice_timeline *timeline = nullptr;
    EXPECT_OK(pumice_vulkan_timeline_create(device, semaphore, initial, &timeline));
    timelines.push_back(timeline);
    return timeline;
  }
  /// Launches a kernel that computes y = 2 x + addend.
  void launchAffine(pumice_buffer *x, pumice_buffer *y, int32_t addend) {
    std::array arguments{pumice_argument_buffer(x), pumice_argument_buffer(y),
                         pumice_argument_i32(addend)};
    pumice_launch_options grid = pumice_groups((count + 31) / 32, 1, 1);
    EXPECT_OK(pumice_launch(queue, affine(32), &grid, arguments.data(), arguments.size()));
  }

  BareVulkan bare;
  std::vector<pumice_timeline *> timelines;
};

TEST_F(Vulkan, BuffersGoBothWays) {
  HostVisible x = bare.makeBuffer(bytes), back = bare.makeBuffer(bytes);
  VkSemaphore semaphore = bare.makeSemaphore();
  pumice_timeline *timeline = timelineOver(semaphore);
  pumice_buffer *result = newBuffer(bytes);
  pumice_vulkan_buffer place = PUMICE_INIT(pumice_vulkan_buffer);
  ASSERT_OK(pumice_vulkan_buffer_get(result, &place));
  EXPECT_EQ(place.bytes, bytes);
  EXPECT_GE(place.size, place.offset + bytes);
  pumice_buffer *wrapped = wrap(x);
  for (uint32_t round = 0; round < 3; ++round) {
    uint64_t before = 3 * round;
    bare.submit({semaphore, before, before + 1}, [&](VkCommandBuffer commands) {
      vkCmdFillBuffer(commands, x.buffer, 0, bytes, 10 + round);
    });
    EXPECT_OK(pumice_queue_wait(queue, timeline, before + 1));
    launchAffine(wrapped, result, 5);
    EXPECT_OK(pumice_queue_signal(queue, timeline, before + 2));
    EXPECT_OK(pumice_queue_flush(queue));
    bare.submit({semaphore, before + 2, before + 3}, [&](VkCommandBuffer commands) {
      VkBufferCopy region{place.offset, 0, bytes};
      vkCmdCopyBuffer(commands, place.buffer, back.buffer, 1, &region);
    });
    ASSERT_TRUE(bare.waitFor(semaphore, before + 3, 20 * second));
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(back.values[i], static_cast<int32_t>(2 * (10 + round) + 5));
    uint64_t value = 0;
    EXPECT_OK(pumice_timeline_value(timeline, &value));
    EXPECT_EQ(value, before + 3);
  }
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
}

TEST_F(Vulkan, AWrappedBufferTakesAllWork) {
  HostVisible memory = bare.makeBuffer(4 * bytes);
  std::iota(memory.values, memory.values + 4 * count, 0);
  pumice_vulkan_buffer range = rangeOf(memory);
  range.offset = 4096 - 4096 % 256;
  range.bytes = PUMICE_TO_END;
  pumice_buffer *buffer = nullptr;
  ASSERT_OK(pumice_vulkan_buffer_wrap(device, &range, nullptr, nullptr, &buffer));
  buffers.push_back(buffer);
  EXPECT_EQ(pumice_buffer_bytes(buffer), 4 * bytes - range.offset);
  EXPECT_EQ(pumice_buffer_memory(buffer), PUMICE_MEMORY_IMPORTED);
  EXPECT_EQ(pumice_buffer_map(buffer), nullptr);
  int32_t first = static_cast<int32_t>(range.offset / 4);
  EXPECT_EQ(contents(buffer)[1], first + 1);
  std::array<int32_t, 4> written{-1, -2, -3, -4};
  EXPECT_OK(pumice_queue_upload(queue, buffer, 8, written.data(), sizeof written));
  EXPECT_OK(pumice_queue_fill(queue, buffer, 100, 8, 7, 4));
  EXPECT_OK(pumice_queue_copy(queue, buffer, 200, buffer, 0, 16));
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  const int32_t *values = memory.values + first;
  EXPECT_EQ(memory.values[first - 1], first - 1);
  EXPECT_EQ((std::array{values[1], values[2], values[5], values[6]}),
            (std::array{first + 1, -1, -4, first + 6}));
  EXPECT_EQ((std::array{values[24], values[25], values[26], values[27]}),
            (std::array{first + 24, 7, 7, first + 27}));
  EXPECT_EQ((std::array{values[50], values[52]}), (std::array{first, -1}));
  pumice_vulkan_buffer told = PUMICE_INIT(pumice_vulkan_buffer);
  EXPECT_OK(pumice_vulkan_buffer_get(buffer, &told));
  EXPECT_EQ(told.buffer, memory.buffer);
  EXPECT_EQ(told.offset, range.offset);
}

TEST_F(Vulkan, ReleaseIsCalledOnceTheWorkIsDone) {
  HostVisible x = bare.makeBuffer(bytes);
  static std::atomic<int> released;
  released = 0;
  pumice_vulkan_buffer range = rangeOf(x);
  pumice_buffer *buffer = nullptr;
  ASSERT_OK(
      pumice_vulkan_buffer_wrap(device, &range, [](void *) { ++released; }, nullptr, &buffer));
  EXPECT_OK(pumice_queue_fill(queue, buffer, 0, bytes, 3, 4));
  pumice_buffer_release(buffer);
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(x.values[count - 1], 3);
}

TEST_F(Vulkan, TheHostWaitsAndSignals) {
  VkSemaphore semaphore = bare.makeSemaphore(5);
  pumice_timeline *timeline = timelineOver(semaphore);
  uint64_t value = 0;
  EXPECT_OK(pumice_timeline_value(timeline, &value));
  EXPECT_EQ(value, 5u);
  EXPECT_FAILS(pumice_timeline_wait(timeline, 6, second / 100), PUMICE_DEADLINE_EXCEEDED, "6");
  bare.signal(semaphore, 6);
  EXPECT_OK(pumice_timeline_wait(timeline, 6, second));
  EXPECT_OK(pumice_timeline_signal(timeline, 8));
  EXPECT_EQ(bare.valueOf(semaphore), 8u);
  EXPECT_FAILS(pumice_timeline_signal(timeline, 8), PUMICE_INVALID_ARGUMENT, "must be larger");
  EXPECT_OK(pumice_queue_signal(queue, timeline, 10));
  EXPECT_FAILS(pumice_queue_signal(queue, timeline, 10), PUMICE_INVALID_ARGUMENT, "must be larger");
  EXPECT_OK(pumice_timeline_wait(timeline, 10, second));
  EXPECT_EQ(bare.valueOf(semaphore), 10u);
}

TEST_F(Vulkan, WorkWaitsForTheApplication) {
  pumice_timeline *timeline = timelineOver(VK_NULL_HANDLE, 3);
  VkSemaphore semaphore = VK_NULL_HANDLE;
  ASSERT_OK(pumice_vulkan_timeline_get(timeline, &semaphore));
  EXPECT_EQ(bare.valueOf(semaphore), 3u);
  HostVisible x = bare.makeBuffer(bytes);
  x.values[0] = 1;
  pumice_buffer *buffer = wrap(x);
  EXPECT_OK(pumice_queue_wait(queue, timeline, 4));
  EXPECT_OK(pumice_queue_fill(queue, buffer, 0, bytes, 9, 4));
  EXPECT_OK(pumice_queue_signal(queue, timeline, 5));
  EXPECT_FAILS(pumice_queue_finish(queue, second / 50), PUMICE_DEADLINE_EXCEEDED, "");
  EXPECT_EQ(x.values[0], 1);
  bare.signal(semaphore, 4);
  EXPECT_OK(pumice_queue_finish(queue, 20 * second));
  EXPECT_EQ(x.values[0], 9);
  EXPECT_EQ(bare.valueOf(semaphore), 5u);
}

TEST_F(Vulkan, WorkThatIsGivenUpSignalsAllTheSame) {
  VkSemaphore semaphore = bare.makeSemaphore();
  pumice_timeline *shared = timelineOver(semaphore), *never = nullptr;
  ASSERT_OK(pumice_timeline_create(device, 0, &never));
  timelines.push_back(never);
  pumice_queue *other = nullptr;
  ASSERT_OK(pumice_queue_create(device, nullptr, &other));
  EXPECT_OK(pumice_queue_wait(other, never, 1));
  EXPECT_OK(pumice_queue_signal(other, shared, 1));
  pumice_queue_release(other);
  EXPECT_TRUE(bare.waitFor(semaphore, 1, second));
  EXPECT_FAILS(pumice_timeline_wait(shared, 1, second), PUMICE_INVALID_ARGUMENT, "was destroyed");
}

TEST_F(Vulkan, QueuesAreOrderedBySharedTimelines) {
  pumice_timeline *timeline = timelineOver(VK_NULL_HANDLE);
  pumice_queue *other = nullptr;
  ASSERT_OK(pumice_queue_create(device, nullptr, &other));
  pumice_buffer *buffer = newBuffer(bytes);
  EXPECT_OK(pumice_queue_wait(other, timeline, 1)); // nothing signals it yet
  EXPECT_OK(pumice_queue_fill(queue, buffer, 0, bytes, 1, 4));
  EXPECT_OK(pumice_queue_signal(queue, timeline, 1));
  EXPECT_OK(pumice_queue_fill(other, buffer, 0, bytes, 2, 4));
  EXPECT_OK(pumice_queue_finish(other, 20 * second));
  EXPECT_EQ(contents(buffer)[0], 2);
  pumice_queue_release(other);
}

TEST_F(Vulkan, MisuseIsAnError) {
  HostVisible x = bare.makeBuffer(bytes);
  HostVisible plain =
      bare.makeBuffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  pumice_buffer *buffer = nullptr;
  auto wrapping = [&](auto change, const HostVisible &of) {
    pumice_vulkan_buffer range = rangeOf(of);
    change(range);
    return pumice_vulkan_buffer_wrap(device, &range, nullptr, nullptr, &buffer);
  };
  EXPECT_FAILS(wrapping([](auto &) {}, plain), PUMICE_INVALID_ARGUMENT, "TRANSFER_SRC_BIT");
  EXPECT_FAILS(wrapping([](auto &range) { range.buffer = VK_NULL_HANDLE; }, x),
               PUMICE_INVALID_ARGUMENT, "VK_NULL_HANDLE");
  EXPECT_FAILS(wrapping([](auto &range) { range.bytes = 6; }, x), PUMICE_INVALID_ARGUMENT,
               "multiple of 4");
  EXPECT_FAILS(wrapping([](auto &range) { range.offset = 1; }, x), PUMICE_INVALID_ARGUMENT,
               "multiple of");
  EXPECT_FAILS(wrapping([](auto &range) { range.bytes = bytes + 4; }, x), PUMICE_INVALID_ARGUMENT,
               "beyond the end of the VkBuffer");
  EXPECT_FAILS(wrapping([](auto &range) { range.size = range.bytes = 100 * bytes; }, x),
               PUMICE_INVALID_ARGUMENT, "created with");
  EXPECT_FAILS(wrapping([](auto &range) { range.struct_size = 0; }, x), PUMICE_INVALID_ARGUMENT,
               "struct_size");
  EXPECT_FAILS(pumice_vulkan_buffer_wrap(nullptr, nullptr, nullptr, nullptr, &buffer),
               PUMICE_INVALID_ARGUMENT, "NULL");
  pumice_vulkan_buffer range = rangeOf(x);
  EXPECT_FAILS(pumice_vulkan_buffer_wrap(nullptr, &range, nullptr, nullptr, &buffer),
               PUMICE_INVALID_ARGUMENT, "device is NULL");
  EXPECT_EQ(buffer, nullptr);

  pumice_timeline *timeline = nullptr;
  EXPECT_FAILS(pumice_vulkan_timeline_create(device, bare.makeSemaphore(), 1, &timeline),
               PUMICE_INVALID_ARGUMENT, "must be 0");
  ASSERT_OK(pumice_timeline_create(device, 0, &timeline));
  timelines.push_back(timeline);
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_FAILS(pumice_vulkan_timeline_get(timeline, &semaphore), PUMICE_UNSUPPORTED,
               "no semaphore");

  pumice_device *cpu = nullptr;
  if (pumice_device_open("cpu", &cpu) == PUMICE_OK) {
    EXPECT_FAILS(pumice_vulkan_buffer_wrap(cpu, &range, nullptr, nullptr, &buffer),
                 PUMICE_UNSUPPORTED, "not a Vulkan device");
    EXPECT_FAILS(pumice_vulkan_timeline_create(cpu, VK_NULL_HANDLE, 0, &timeline),
                 PUMICE_UNSUPPORTED, "not a Vulkan device");
    ASSERT_OK(pumice_buffer_create(cpu, 4, PUMICE_MEMORY_DEVICE, &buffer));
    EXPECT_FAILS(pumice_vulkan_buffer_get(buffer, &range), PUMICE_UNSUPPORTED,
                 "not a Vulkan device");
    pumice_buffer_release(buffer);
    pumice_device_release(cpu);
  }
}

TEST_F(Vulkan, DevicesAreCheckedBeforeTheyAreUsed) {
  pumice_device *made = nullptr;
  auto making = [&](auto change) {
    pumice_vulkan_device_options options = bare.options();
    change(options);
    return pumice_vulkan_device_create(&options, &made);
  };
  EXPECT_FAILS(making([](auto &) {}), PUMICE_INVALID_ARGUMENT, "in use already");
  EXPECT_FAILS(making([](auto &o) { o.from.instance = VK_NULL_HANDLE; }), PUMICE_INVALID_ARGUMENT,
               "instance is VK_NULL_HANDLE");
  EXPECT_FAILS(making([](auto &o) { o.from.physical_device = VK_NULL_HANDLE; }),
               PUMICE_INVALID_ARGUMENT, "physical_device is VK_NULL_HANDLE");
  EXPECT_FAILS(making([](auto &o) { o.device = VK_NULL_HANDLE; }), PUMICE_INVALID_ARGUMENT,
               "device is VK_NULL_HANDLE");
  EXPECT_FAILS(making([](auto &o) { o.create_info = nullptr; }), PUMICE_INVALID_ARGUMENT,
               "create_info");
  EXPECT_FAILS(making([](auto &o) { o.from.api_version = VK_API_VERSION_1_0; }), PUMICE_UNSUPPORTED,
               "api_version is 1.0");
  EXPECT_FAILS(making([](auto &o) { o.queue_family = 99; }), PUMICE_INVALID_ARGUMENT,
               "queue_family is 99");
  EXPECT_FAILS(making([](auto &o) { o.queue_index = 1; }), PUMICE_INVALID_ARGUMENT,
               "there is no index 1");
  EXPECT_FAILS(making([](auto &o) { o.lock_queue = [](void *) {}; }), PUMICE_INVALID_ARGUMENT,
               "unlock_queue");
  EXPECT_FAILS(pumice_vulkan_device_create(nullptr, &made), PUMICE_INVALID_ARGUMENT, "NULL");
  EXPECT_EQ(made, nullptr);
}

TEST_F(Vulkan, TheDeviceIsNotOpenedByItsId) {
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &info));
  EXPECT_EQ(std::string(info.id).rfind("vulkan:application", 0), 0u) << info.id;
  pumice_device *other = nullptr;
  EXPECT_EQ(pumice_device_open(info.id, &other), PUMICE_NOT_FOUND);
}

class VulkanDevices : public testing::Test {
protected:
  void SetUp() override {
    if (!bare.start())
      GTEST_SKIP() << bare.why;
  }
  void TearDown() override { EXPECT_EQ(BareVulkan::messages(), std::vector<std::string>()); }
  BareVulkan bare;
};

TEST_F(VulkanDevices, ADeviceWithoutSemaphoresIsRejected) {
  ASSERT_TRUE(bare.makeDevice({}, nullptr));
  pumice_vulkan_device_options options = bare.options();
  pumice_device *device = nullptr;
  EXPECT_FAILS(pumice_vulkan_device_create(&options, &device), PUMICE_UNSUPPORTED,
               "without the feature timelineSemaphore");
}

TEST_F(VulkanDevices, DisabledFeaturesAreNotUsed) {
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  timelines.timelineSemaphore = VK_TRUE;
  ASSERT_TRUE(bare.makeDevice({}, &timelines));
  pumice_vulkan_device_options options = bare.options();
  pumice_device *device = nullptr;
  ASSERT_OK(pumice_vulkan_device_create(&options, &device));
  pumice_device_info info = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &info));
  EXPECT_EQ(info.has_buffer_addresses, 0u);
  EXPECT_EQ(info.host_import_alignment, 0u);
  pumice_buffer *buffer = nullptr;
  EXPECT_FAILS(pumice_vulkan_buffer_create_exportable(device, 64, PUMICE_MEMORY_DEVICE,
                                                      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                                      &buffer),
               PUMICE_UNSUPPORTED, "VK_KHR_external_memory_fd");
  pumice_device_release(device);
}

TEST_F(VulkanDevices, WishesGoIntoTheApplicationsOwnStructures) {
  VkPhysicalDeviceVulkan12Features own{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  pumice_vulkan_physical_device from = bare.from();
  pumice_vulkan_wishes *wishes = nullptr;
  ASSERT_OK(pumice_vulkan_wishes_create(&from, &own, &wishes));
  pumice_vulkan_wishes_info info = PUMICE_INIT(pumice_vulkan_wishes_info);
  ASSERT_OK(pumice_vulkan_wishes_get_info(wishes, &info));
  EXPECT_TRUE(own.timelineSemaphore);
  EXPECT_TRUE(own.scalarBlockLayout);
  for (auto *at = static_cast<VkBaseOutStructure *>(info.features); at; at = at->pNext)
    EXPECT_NE(at->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  static_cast<VkBaseOutStructure *>(info.last_feature)->pNext =
      reinterpret_cast<VkBaseOutStructure *>(&own);
  bare.family = info.queue_family;
  ASSERT_TRUE(
      bare.makeDevice({info.extensions, info.extensions + info.extension_count}, info.features));
  pumice_vulkan_device_options options = bare.options();
  pumice_device *device = nullptr;
  ASSERT_OK(pumice_vulkan_device_create(&options, &device));
  pumice_device_release(device);
  pumice_vulkan_wishes_release(wishes);
}

TEST_F(VulkanDevices, TheQueueIsLockedAndTheDeviceGivenBack) {
  struct Seen {
    std::atomic<int> held = 0, locks = 0, wrong = 0, released = 0;
  } seen;
  ASSERT_TRUE(bare.makeWishedDevice()) << said();
  pumice_vulkan_device_options options = bare.options();
  options.lock_queue = [](void *user) {
    auto *to = static_cast<Seen *>(user);
    to->wrong += to->held.exchange(1);
    ++to->locks;
  };
  options.unlock_queue = [](void *user) {
    auto *to = static_cast<Seen *>(user);
    to->wrong += to->held.exchange(0) == 0;
  };
  options.queue_user = options.released_user = &seen;
  options.released = [](void *user) { ++static_cast<Seen *>(user)->released; };
  for (int round = 1; round <= 2; ++round) {
    pumice_device *device = nullptr;
    pumice_queue *queue = nullptr;
    pumice_buffer *buffer = nullptr;
    ASSERT_OK(pumice_vulkan_device_create(&options, &device));
    ASSERT_OK(pumice_queue_create(device, nullptr, &queue));
    ASSERT_OK(pumice_buffer_create(device, bytes, PUMICE_MEMORY_DEVICE, &buffer));
    pumice_device_release(device);
    EXPECT_OK(pumice_queue_fill(queue, buffer, 0, bytes, 1, 4));
    EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
    EXPECT_GT(seen.locks, 0);
    pumice_queue_release(queue);
    EXPECT_EQ(seen.released, round - 1);
    pumice_buffer_release(buffer);
    EXPECT_EQ(seen.released, round);
  }
  EXPECT_EQ(seen.wrong, 0);
}

TEST_F(VulkanDevices, TheCppLayerDoesTheSame) {
  auto wishes = vulkan::Wishes::of(bare.from()).value();
  bare.family = wishes.queueFamily();
  ASSERT_TRUE(bare.makeDevice(wishes.extensions(), wishes.features()));
  pumice::Device device = vulkan::makeDevice(bare.options()).value();
  pumice::Queue queue = device.createQueue().value();
  HostVisible memory = bare.makeBuffer(bytes);
  pumice_vulkan_buffer range = PUMICE_INIT(pumice_vulkan_buffer);
  range.buffer = memory.buffer;
  range.usage = memory.usage;
  range.size = range.bytes = memory.bytes;
  int released = 0;
  {
    pumice::Buffer buffer = vulkan::wrapBuffer(device, range, [&] { ++released; }).value();
    EXPECT_EQ(vulkan::rangeOf(buffer).value().buffer, memory.buffer);
    pumice::Timeline timeline = vulkan::makeTimeline(device, VK_NULL_HANDLE, 4).value();
    queue.fill(buffer, 6).value();
    queue.signal(timeline, 5).value();
    queue.flush().value();
    EXPECT_TRUE(bare.waitFor(vulkan::semaphoreOf(timeline).value(), 5, second));
    queue.finish().value();
    EXPECT_EQ(memory.values[count - 1], 6);
  }
  EXPECT_EQ(released, 1);
  range.usage = 0;
  EXPECT_EQ(vulkan::wrapBuffer(device, range).error().code, PUMICE_INVALID_ARGUMENT);
  auto shared = vulkan::makeExportable(device, bytes);
  if (!shared)
    return;
  pumice_vulkan_memory_fd handle = vulkan::exportMemory(*shared).value();
  EXPECT_EQ(vulkan::importMemory(device, handle).value().bytes(), bytes);
#ifndef _WIN32
  close(handle.fd);
#endif
}

#ifndef _WIN32
TEST_F(Vulkan, MemoryGoesFromDeviceToDevice) {
  constexpr uint32_t type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  BareVulkan second;
  ASSERT_TRUE(second.start());
  ASSERT_TRUE(second.makeWishedDevice());
  pumice_vulkan_device_options options = second.options();
  pumice_device *other = nullptr;
  ASSERT_OK(pumice_vulkan_device_create(&options, &other));
  pumice_buffer *exported = nullptr, *imported = nullptr;
  pumice_status made =
      pumice_vulkan_buffer_create_exportable(device, bytes, PUMICE_MEMORY_DEVICE, type, &exported);
  if (made == PUMICE_UNSUPPORTED) {
    pumice_device_release(other);
    GTEST_SKIP() << said();
  }
  ASSERT_OK(made);
  pumice_vulkan_memory_fd memory = PUMICE_INIT(pumice_vulkan_memory_fd);
  ASSERT_OK(pumice_vulkan_buffer_export_fd(exported, &memory));
  EXPECT_EQ(memory.bytes, bytes);
  ASSERT_OK(pumice_vulkan_buffer_import_fd(other, &memory, &imported));
  EXPECT_EQ(close(memory.fd), 0); // the library has duplicated the descriptor

  EXPECT_OK(pumice_queue_fill(queue, exported, 0, bytes, 42, 4));
  EXPECT_OK(pumice_queue_finish(queue, PUMICE_FOREVER));
  pumice_queue *otherQueue = nullptr;
  ASSERT_OK(pumice_queue_create(other, nullptr, &otherQueue));
  std::vector<int32_t> seen(count);
  EXPECT_OK(pumice_queue_download(otherQueue, seen.data(), imported, 0, bytes));
  EXPECT_OK(pumice_queue_finish(otherQueue, PUMICE_FOREVER));
  EXPECT_EQ(seen, std::vector<int32_t>(count, 42));
  EXPECT_OK(pumice_queue_fill(otherQueue, imported, 4, 4, 43, 4));
  EXPECT_OK(pumice_queue_finish(otherQueue, PUMICE_FOREVER));
  EXPECT_EQ(contents(exported)[1], 43);

  pumice_buffer *plain = newBuffer(64), *bad = nullptr;
  EXPECT_FAILS(pumice_vulkan_buffer_export_fd(plain, &memory), PUMICE_INVALID_ARGUMENT,
               "cannot be exported");
  EXPECT_EQ(memory.fd, -1);
  EXPECT_FAILS(pumice_vulkan_buffer_import_fd(other, &memory, &bad), PUMICE_INVALID_ARGUMENT,
               "negative: -1");
  ASSERT_OK(pumice_vulkan_buffer_export_fd(exported, &memory));
  auto importing = [&](auto change) {
    pumice_vulkan_memory_fd given = memory;
    change(given);
    return pumice_vulkan_buffer_import_fd(other, &given, &bad);
  };
  EXPECT_FAILS(importing([](auto &m) { m.handle_type = 64; }), PUMICE_INVALID_ARGUMENT,
               "handle type 64");
  EXPECT_FAILS(importing([](auto &m) { m.bytes = m.allocation_bytes + 1; }),
               PUMICE_INVALID_ARGUMENT, "not in the memory");
  EXPECT_FAILS(importing([](auto &m) { m.memory_type = 99; }), PUMICE_INVALID_ARGUMENT,
               "out of range");
  EXPECT_FAILS(importing([](auto &m) { m.fd = 1000; }), PUMICE_INVALID_ARGUMENT, "1000");
  close(memory.fd);
  pumice_buffer_release(exported);
  pumice_buffer_release(imported);
  pumice_queue_release(otherQueue);
  pumice_device_release(other);
}
#endif

} // namespace
} // namespace pumice::capi_test
