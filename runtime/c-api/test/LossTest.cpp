//===- LossTest.cpp - a handle outlives its device --------------------------===//
// A layer (tests/fault-layer) makes lavapipe's devices report a loss on demand. Work after the loss
// really runs.
//===-------------------------------------------------------------------------===//
#include "runtime/c-api/test/CApiFixture.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

using namespace pumice::capi_test;

namespace {

/// While an object of this class exists, every submission loses its device.
class Losing {
public:
  Losing() { setenv("PUMICE_FAULT_LOSE", "next", 1); }
  ~Losing() { unsetenv("PUMICE_FAULT_LOSE"); }
};

class Loss : public OnDevice {
protected:
  void SetUp() override {
    setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 1);
    setenv("VK_LAYER_PATH", PUMICE_LAYER_FOLDER, 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_PUMICE_fault", 1);
    setenv("PUMICE_DEVICE", "vulkan", 1);
    OnDevice::SetUp();
  }

  pumice_status launch(pumice_queue *on, pumice_function *function, pumice_buffer *x,
                       pumice_buffer *y, int32_t addend) {
    pumice_argument arguments[] = {pumice_argument_buffer(x), pumice_argument_buffer(y),
                                   pumice_argument_i32(addend)};
    pumice_launch_options groups = pumice_groups(4, 1, 1);
    return pumice_launch(on, function, &groups, arguments, 3);
  }

  void lose(pumice_function *function) {
    Losing losing;
    EXPECT_OK(launch(queue, function, newBuffer(1024), newBuffer(1024), 1));
    EXPECT_FAILS(pumice_queue_finish(queue, PUMICE_FOREVER), PUMICE_DEVICE_LOST,
                 "a fault of the test: kernel 'affine' was not done");
  }

  /// Launches with a separate queue and separate buffers.
  void works(pumice_function *function) {
    pumice_queue *own = nullptr;
    pumice_buffer *x = nullptr, *y = nullptr;
    ASSERT_OK(pumice_queue_create(device, nullptr, &own));
    ASSERT_OK(pumice_buffer_create(device, 1024, PUMICE_MEMORY_DEVICE, &x));
    ASSERT_OK(pumice_buffer_create(device, 1024, PUMICE_MEMORY_DEVICE, &y));
    EXPECT_OK(pumice_queue_fill(own, x, 0, 1024, 5, 4));
    EXPECT_OK(launch(own, function, x, y, 7));
    std::vector<int32_t> values(256);
    EXPECT_OK(pumice_queue_download(own, values.data(), y, 0, 1024));
    EXPECT_OK(pumice_queue_finish(own, PUMICE_FOREVER));
    EXPECT_EQ(values, std::vector<int32_t>(256, 2 * 5 + 7));
    pumice_buffer_release(x);
    pumice_buffer_release(y);
    pumice_queue_release(own);
  }
};

} // namespace

TEST_F(Loss, TheHandleKeepsWorking) {
  pumice_function *function = affine(64);
  works(function);
  lose(function);
  EXPECT_FAILS(pumice_device_health(device), PUMICE_DEVICE_LOST, "a fault of the test");
  works(function); // the function is compiled again for the reopened device
  EXPECT_OK(pumice_device_health(device));
}

TEST_F(Loss, ObjectsOfTheLostDeviceStayLost) {
  pumice_timeline *timeline = nullptr;
  ASSERT_OK(pumice_timeline_create(device, 0, &timeline));
  pumice_function *function = affine(64);
  pumice_buffer *x = newBuffer(1024), *y = newBuffer(1024);
  lose(function);
  works(function);
  EXPECT_FAILS(pumice_queue_health(queue), PUMICE_DEVICE_LOST, "a fault of the test");
  EXPECT_FAILS(launch(queue, function, x, y, 1), PUMICE_DEVICE_LOST, "a fault of the test");
  EXPECT_FAILS(pumice_timeline_wait(timeline, 1, PUMICE_FOREVER), PUMICE_DEVICE_LOST, "a fault");
  EXPECT_FAILS(pumice_buffer_health(x), PUMICE_DEVICE_LOST,
               "its memory of 1024 bytes was lost with the device at ");
  pumice_queue *other = nullptr;
  ASSERT_OK(pumice_queue_create(device, nullptr, &other));
  pumice_buffer *fresh = newBuffer(1024);
  EXPECT_FAILS(launch(other, function, fresh, y, 1), PUMICE_DEVICE_LOST,
               "argument 1 'y': its memory of 1024 bytes was lost with the device");
  EXPECT_FAILS(pumice_queue_fill(other, x, 0, 4, 1, 4), PUMICE_DEVICE_LOST,
               "its memory of 1024 bytes was lost with the device");
  pumice_queue_release(other);
  pumice_timeline_release(timeline);
}

TEST_F(Loss, OpeningAgainGivesTheSameHandle) {
  pumice_device_info before = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &before));
  lose(affine(64));
  pumice_device *again = nullptr;
  ASSERT_OK(pumice_device_open("vulkan", &again));
  EXPECT_EQ(again, device);
  EXPECT_OK(pumice_device_health(device));
  pumice_device_info after = PUMICE_INIT(pumice_device_info);
  ASSERT_OK(pumice_device_get_info(device, &after));
  EXPECT_EQ(before.name, after.name) << "strings live as long as the handle";
  pumice_device_release(again);
}

// Work that waits for a timeline is lost with the device. Each thread that waits for this work must
// learn of the loss, even if another thread was first.
TEST_F(Loss, AllThreadsThatShareAQueueGetTheError) {
  pumice_function *function = affine(64);
  pumice_timeline *never = nullptr;
  pumice_queue *shared = nullptr;
  ASSERT_OK(pumice_timeline_create(device, 0, &never));
  ASSERT_OK(pumice_queue_create(device, nullptr, &shared));
  ASSERT_OK(pumice_queue_wait(shared, never, 1));
  ASSERT_OK(pumice_queue_fill(shared, newBuffer(1024), 0, 1024, 5, 4));
  std::vector<std::thread> threads;
  std::atomic<int> started = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([shared, &started] {
      ++started;
      EXPECT_EQ(pumice_queue_finish(shared, PUMICE_FOREVER), PUMICE_DEVICE_LOST) << said();
    });
  while (started < 4)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // until the threads wait
  lose(function);
  for (std::thread &thread : threads)
    thread.join();
  pumice_queue_release(shared);
  pumice_timeline_release(never);
}

// Several threads have unfinished work or wait for some. All of them must learn of the loss and be
// able to continue.
TEST_F(Loss, WaitingThreadsGetTheError) {
  pumice_function *function = affine(64);
  pumice_timeline *never = nullptr;
  ASSERT_OK(pumice_timeline_create(device, 0, &never));
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    {
      Losing losing;
      pumice_buffer *x = newBuffer(1024), *y = newBuffer(1024);
      std::vector<pumice_queue *> queues(4);
      for (pumice_queue *&one : queues)
        ASSERT_OK(pumice_queue_create(device, nullptr, &one));
      for (pumice_queue *one : queues)
        threads.emplace_back([this, one, function, x, y] {
          pumice_status launched = launch(one, function, x, y, 1);
          EXPECT_TRUE(launched == PUMICE_OK || launched == PUMICE_DEVICE_LOST) << said();
          EXPECT_EQ(pumice_queue_finish(one, PUMICE_FOREVER), PUMICE_DEVICE_LOST) << said();
          pumice_queue_release(one);
        });
      if (round == 0)
        threads.emplace_back([never] {
          EXPECT_EQ(pumice_timeline_wait(never, 1, PUMICE_FOREVER), PUMICE_DEVICE_LOST) << said();
        });
      for (std::thread &thread : threads)
        thread.join();
    }
    threads.clear();
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([this, function] { works(function); });
    for (std::thread &thread : threads)
      thread.join();
  }
  pumice_timeline_release(never);
}
