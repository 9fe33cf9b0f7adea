//===- FaultProgram.h - a program that touches every part of the driver -----===//
// A program for tests. If one of its Vulkan calls fails, it must report this and free its objects.
// Afterwards, the device must still work, unless it was lost.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/DriverTest.h"
#include "runtime/hal/Graph.h"

#include "runtime/hal/kernels/Chain.comp.h"
#include "runtime/hal/kernels/TwoSets.comp.h"

#include <cstdlib>
#include <filesystem>

namespace pumice::vulkan::test {

using Words = std::vector<uint32_t>;

class FaultProgram : public DriverTest {
protected:
  void SetUp() override {
    DriverTest::SetUp();
    if (IsSkipped())
      return;
    folder = (std::filesystem::temp_directory_path() / "pumice-faults-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    queue = nullptr;
    device = nullptr;
    found = *findTestDevice();
    if (!GetParam().asThereIs)
      found.plan.timelineSemaphores = found.plan.pushDescriptors = false;
    options.cache = DiskCache(folder);
  }
  void TearDown() override {
    faultHook = nullptr;
    if (!folder.empty())
      std::filesystem::remove_all(folder);
  }

  /// Uses every part of the driver. Returns the first failure.
  Status program() {
    PUMICE_TRY(Ref<VulkanDevice> device,
               openPlanned(found.instance, found.facts, found.plan, found.info, options));
    Status status = work(*device);
    if (!status.isOk() && device->health().isOk())
      EXPECT_OK(recovers(*device));
    return status;
  }

  /// Checks that the device still works after a failure that did not lose it.
  Status recovers(hal::Device &device) {
    faultHook = nullptr;
    Words out(100);
    PUMICE_TRY(Ref<hal::Queue> queue, device.createQueue());
    PUMICE_TRY(Ref<hal::Buffer> buffer, device.allocate(400));
    PUMICE_RETURN_IF_ERROR(queue->fill({buffer.get()}, 77));
    PUMICE_RETURN_IF_ERROR(get(*queue, out, *buffer));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    EXPECT_EQ(out, Words(100, 77));
    return Status::ok();
  }

  Status work(hal::Device &device) {
    // A download may write to `out` until a wait succeeds or the queue is destroyed. So `out`
    // outlives both queues.
    Words out(1000);
    std::unique_ptr<void, void (*)(void *)> memory(std::aligned_alloc(65536, 65536), std::free);
    PUMICE_TRY(Ref<hal::Queue> queue, device.createQueue());
    PUMICE_TRY(Ref<hal::Queue> other, device.createQueue({.profiling = true}));
    PUMICE_TRY(Ref<hal::Timeline> timeline, device.createTimeline());
    PUMICE_TRY(Ref<hal::Buffer> a, device.allocate(4000));
    PUMICE_TRY(Ref<hal::Buffer> b, device.allocate(40u << 20)); // too large to share a block
    PUMICE_TRY(Ref<hal::Buffer> scale, device.allocate(16));
    if (found.plan.hostImport)
      PUMICE_RETURN_IF_ERROR(device.importHost(memory.get(), 65536).status());
    PUMICE_TRY(Ref<hal::Kernel> chain,
               device.createKernel(kernelSource(chainSpirv, "chain", 8, {{0, 0}, {0, 1}})));
    PUMICE_TRY(Ref<hal::Kernel> sets,
               device.createKernel(
                   kernelSource(twoSetsSpirv, "two sets", 0, {{2, 0, false}, {0, 1, true}})));
    struct {
      uint32_t count = 1000, step = 2;
    } parameters;
    for (int round = 0; round < 2; ++round) {
      PUMICE_RETURN_IF_ERROR(put(*queue, *a, Words(1000, 5)));
      PUMICE_RETURN_IF_ERROR(launch(*queue, *chain, {16, 1, 1}, parameters, {a.get(), b.get()}, 1));
      PUMICE_RETURN_IF_ERROR(queue->signal({timeline.get(), 2u * round + 1}));
      PUMICE_RETURN_IF_ERROR(other->wait({timeline.get(), 2u * round + 1}));
      PUMICE_RETURN_IF_ERROR(queue->fill({a.get()}, 3));
      PUMICE_RETURN_IF_ERROR(launch(*other, *sets, {1, 1, 1}, parameters, {b.get(), scale.get()}));
      PUMICE_RETURN_IF_ERROR(other->signal({timeline.get(), 2u * round + 2}));
      PUMICE_RETURN_IF_ERROR(timeline->wait(2 * round + 2, std::chrono::seconds(20)));
      PUMICE_RETURN_IF_ERROR(get(*queue, out, *a));
      PUMICE_RETURN_IF_ERROR(queue->finish());
      PUMICE_RETURN_IF_ERROR(other->finish());
    }
    EXPECT_EQ(out, Words(1000, 3));
    PUMICE_RETURN_IF_ERROR(replays(*queue, *chain, *a, *b));
    return other->takeProfile().status();
  }

  Status replays(hal::Queue &queue, hal::Kernel &chain, hal::Buffer &a, hal::Buffer &b) {
    struct {
      uint32_t count = 1000, step = 2;
    } parameters;
    PUMICE_RETURN_IF_ERROR(queue.beginCapture());
    Status captured = launch(queue, chain, {16, 1, 1}, parameters, {&a, &b}, 1);
    if (captured.isOk())
      captured = queue.fill({&a, 1, 3998}, 4, 1);
    Result<Ref<hal::Graph>> graph = queue.endCapture();
    PUMICE_RETURN_IF_ERROR(captured);
    PUMICE_RETURN_IF_ERROR(graph.status());
    for (int round = 0; round < 2; ++round) {
      PUMICE_RETURN_IF_ERROR(queue.fill({&a}, 1));
      PUMICE_RETURN_IF_ERROR(queue.replay(**graph));
    }
    return queue.finish();
  }

  Found found;
  std::string folder; // the folder of the pipeline cache
};

} // namespace pumice::vulkan::test
