//===- DriverTest.cpp - the template fails clearly --------------------------===//
#include "runtime/drivers/null/Driver.h"

#include "runtime/drivers/Drivers.h"
#include "runtime/drivers/null/Device.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::hal;

namespace {

void expectUnsupported(const Status &status, const char *function) {
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_TRUE(status.message().starts_with(std::string("the null driver runs nothing: ") +
                                           function + " would "))
      << status.message();
}

} // namespace

TEST(NullDriver, ListsAndOpensThroughARegistry) {
  Registry registry;
  ASSERT_TRUE(registry.add("null", null::NullDriver::create).isOk());
  ASSERT_EQ(registry.devices().size(), 1u);
  Ref<Device> device = registry.open().value();
  EXPECT_EQ(device->info().id, "null:0");
  EXPECT_EQ(registry.open("null:0").value(), device);
  EXPECT_EQ(registry.open("null:1").status().code(), StatusCode::NotFound);
}

TEST(NullDriver, EveryMethodNamesItself) {
  Ref<Device> device = null::NullDriver::create().value()->open(0).value();
  expectUnsupported(device->allocate(4).status(), "Device::allocate");
  EXPECT_EQ(device->importHost(&device, 8).status().code(), StatusCode::Unsupported);
  KernelSource source;
  source.code = {reinterpret_cast<const uint8_t *>("code"), 4};
  EXPECT_EQ(device->createKernel(source).status().message(),
            "kernel '': null:0 does not run vulkan-spirv");

  Ref<Timeline> timeline = device->createTimeline().value();
  expectUnsupported(timeline->value().status(), "Timeline::value");
  expectUnsupported(timeline->wait(1), "Timeline::wait");

  Ref<Queue> queue = device->createQueue().value();
  expectUnsupported(queue->wait({timeline.get(), 1}), "Queue::wait");
  expectUnsupported(queue->signal({timeline.get(), 1}), "Queue::signal");
  expectUnsupported(queue->onDone([](const Status &) {}), "Queue::onDone");
  expectUnsupported(queue->flush(), "Queue::flush");
  expectUnsupported(queue->finish(), "Queue::finish");
  expectUnsupported(queue->takeProfile().status(), "Queue::takeProfile");
}

/// Only this test registers the null driver. A build has no driver of that name.
TEST(NullDriver, IsNotRegistered) {
  Registry registry;
  ASSERT_TRUE(registerDrivers(registry).isOk());
  EXPECT_TRUE(registry.add("null", null::NullDriver::create).isOk());
}
