//===- Device.h - one open device -------------------------------------------===//
// Makes buffers, kernels, queues and timelines; each keeps the device open. Thread-safe. After
// DeviceLost every call answers DeviceLost; other devices, and the process, go on.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Buffer.h"
#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Kernel.h"
#include "runtime/hal/Queue.h"
#include "runtime/hal/Timeline.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

namespace pumice::hal {

class Device : public RefCounted {
public:
  const DeviceInfo &info() const { return description; }

  /// The same with what only an open device can tell: its fragment maps, measured the first time.
  DeviceInfo measuredInfo();
  /// Returns the facts that compilers need. Fragments of a CPU are measured only on request, since
  /// no compiler relies on them.
  std::string targetEnvironment();

  /// At least one byte, rounded up to whole 32-bit words where kernels see it: `bytes()` stays
  /// what was asked for. Contents are undefined. Errors: InvalidArgument, ResourceExhausted.
  Result<Ref<Buffer>> allocate(uint64_t bytes, MemoryKind kind = MemoryKind::Device);

  /// Uses the caller's memory in place. It must stay valid while the buffer, or work that uses it,
  /// lives. Errors: Unsupported if the device cannot import memory, or if address or size is not a
  /// multiple of `limits.hostImportAlignment`.
  Result<Ref<Buffer>> importHost(void *memory, uint64_t bytes);

  /// Errors: InvalidArgument for a source that no device could take, Unsupported, by name, for
  /// what this one lacks; else what the driver's compiler answered.
  Result<Ref<Kernel>> createKernel(const KernelSource &source);
  /// `look` sees the source of every kernel that is made from here on: for those who want to show
  /// it. To be set before other threads have the device.
  void onKernel(std::function<void(const KernelSource &)> look) { kernelLook = std::move(look); }

  Result<Ref<Queue>> createQueue(const QueueOptions &options = {});
  Result<Ref<Timeline>> createTimeline(uint64_t initial = 0);

  /// Sets one of the driver's own options, of work that comes later; docs name them. Errors:
  /// NotFound, which lists those there are; InvalidArgument with what is possible.
  Status setOption(std::string_view name, int64_t value);

  /// Ok, or DeviceLost with what the driver said when it happened.
  Status health() const {
    return isLost.load(std::memory_order_acquire) ? whyLost() : Status::ok();
  }
  /// DeviceLost: `what` ("its 64 bytes") was lost with this device, when, and why. It is lost.
  Status lostWith(std::string_view what) const;
  /// Lost because this process was forked off: opening it again here would not do.
  bool isLeftBehind() const { return leftBehind.load(std::memory_order_relaxed); }

protected:
  /// Drivers call it with what the API said; the first reason stays. From then on `health` fails.
  Status markLost(Status reason);
  /// The same in the child of a fork, where this thread is alone.
  void loseInChild(Status reason);

  explicit Device(DeviceInfo info) : description(std::move(info)) {}

private:
  [[gnu::cold]] Status whyLost() const;
  // Arguments are checked already.
  virtual Result<Ref<Buffer>> allocateImpl(uint64_t bytes, MemoryKind kind) = 0;
  virtual Result<Ref<Buffer>> importHostImpl(void *memory, uint64_t bytes) = 0;
  virtual Result<Ref<Kernel>> createKernelImpl(const KernelSource &source) = 0;
  virtual Result<Ref<Queue>> createQueueImpl(const QueueOptions &options) = 0;
  virtual Result<Ref<Timeline>> createTimelineImpl(uint64_t initial) = 0;
  virtual Status setOptionImpl(std::string_view name, int64_t value); // there is none by default

  DeviceInfo description;
  std::function<void(const KernelSource &)> kernelLook;
  std::mutex mapsMutex; // held while the probe runs
  std::optional<std::vector<std::string>> fragmentMaps;
  mutable std::mutex lossMutex;
  std::atomic<bool> isLost = false; // set after `loss` is
  std::atomic<bool> leftBehind = false;
  Status loss;
  std::chrono::system_clock::time_point lostAt;
};

} // namespace pumice::hal
