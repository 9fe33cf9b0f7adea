//===- Device.h - one open device -------------------------------------------===//
// A device makes buffers, kernels, queues and timelines, each of which keeps it open. Thread-safe.
// After a loss, every call returns DeviceLost. Other devices, and the process, continue.
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

  /// Returns `info()` and the fragment maps, which only an open device has. The first call measures
  /// them.
  DeviceInfo measuredInfo();
  /// Returns the facts that compilers need. Fragments of a CPU are measured only on request, since
  /// no compiler relies on them.
  std::string targetEnvironment();

  /// Allocates at least one byte. If kernels see the memory, it is rounded up to whole 32-bit
  /// words, but `bytes()` returns the requested size. Contents are undefined. Errors:
  /// InvalidArgument, ResourceExhausted.
  Result<Ref<Buffer>> allocate(uint64_t bytes, MemoryKind kind = MemoryKind::Device);

  /// Uses the caller's memory in place. It must stay valid while the buffer, or work that uses it,
  /// lives. Errors: Unsupported if the device cannot import memory, or if address or size is not a
  /// multiple of `limits.hostImportAlignment`.
  Result<Ref<Buffer>> importHost(void *memory, uint64_t bytes);

  /// Creates a kernel. Errors: InvalidArgument for a source that no device could take. Unsupported,
  /// which names the missing feature. Errors of the driver's compiler.
  Result<Ref<Kernel>> createKernel(const KernelSource &source);
  /// Calls `look` with the source of every kernel that is made from here on, for example to show
  /// it. Set it before other threads have the device.
  void onKernel(std::function<void(const KernelSource &)> look) { kernelLook = std::move(look); }

  Result<Ref<Queue>> createQueue(const QueueOptions &options = {});
  Result<Ref<Timeline>> createTimeline(uint64_t initial = 0);

  /// Sets an option of the driver for later work. The documentation lists them. Errors: NotFound,
  /// which lists the options. InvalidArgument with the possible values.
  Status setOption(std::string_view name, int64_t value);

  /// Returns ok, or DeviceLost with the driver's message.
  Status health() const {
    return isLost.load(std::memory_order_acquire) ? whyLost() : Status::ok();
  }
  /// Returns DeviceLost: `what` ("its 64 bytes") was lost with this device, with time and reason.
  /// The device must be lost.
  Status lostWith(std::string_view what) const;
  /// Returns whether the device was lost because this process was forked. Opening it again here
  /// would not help.
  bool isLeftBehind() const { return leftBehind.load(std::memory_order_relaxed); }

protected:
  /// Marks the device as lost, with the API's message. The first reason stays. From then on
  /// `health` fails.
  Status markLost(Status reason);
  /// Marks the device as lost in the child of a fork, where this is the only thread.
  void loseInChild(Status reason);

  explicit Device(DeviceInfo info) : description(std::move(info)) {}

private:
  [[gnu::cold]] Status whyLost() const;
  // The callers have checked the arguments.
  virtual Result<Ref<Buffer>> allocateImpl(uint64_t bytes, MemoryKind kind) = 0;
  virtual Result<Ref<Buffer>> importHostImpl(void *memory, uint64_t bytes) = 0;
  virtual Result<Ref<Kernel>> createKernelImpl(const KernelSource &source) = 0;
  virtual Result<Ref<Queue>> createQueueImpl(const QueueOptions &options) = 0;
  virtual Result<Ref<Timeline>> createTimelineImpl(uint64_t initial) = 0;
  virtual Status setOptionImpl(std::string_view name, int64_t value); // the default has no options

  DeviceInfo description;
  std::function<void(const KernelSource &)> kernelLook;
  std::mutex mapsMutex; // held while the fragments are measured
  std::optional<std::vector<std::string>> fragmentMaps;
  mutable std::mutex lossMutex;
  std::atomic<bool> isLost = false; // set after `loss`
  std::atomic<bool> leftBehind = false;
  Status loss;
  std::chrono::system_clock::time_point lostAt;
};

} // namespace pumice::hal
