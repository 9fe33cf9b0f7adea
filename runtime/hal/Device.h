//===- Device.h - one open device -------------------------------------------===//
// A device makes buffers, kernels, queues and timelines. Each of them keeps the device open.
// Thread-safe. After a loss, every call returns DeviceLost. Other devices and the process continue.
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

  /// Returns `info()` with the fragment maps, which only an open device has. The first call
  /// measures them.
  DeviceInfo measuredInfo();
  /// Returns the facts that compilers need. The fragments of a CPU are measured only on request,
  /// because no compiler relies on them.
  std::string targetEnvironment();

  /// Allocates at least one byte. If kernels can access the memory, it is rounded up to whole
  /// 32-bit words, but `bytes()` returns the requested size. The contents are undefined. Errors:
  /// InvalidArgument, ResourceExhausted.
  Result<Ref<Buffer>> allocate(uint64_t bytes, MemoryKind kind = MemoryKind::Device);

  /// Uses the caller's memory in place. It must stay valid as long as the buffer, or work that uses
  /// it, exists. Errors: Unsupported if the device cannot import memory, or if the address or the
  /// size is not a multiple of `limits.hostImportAlignment`.
  Result<Ref<Buffer>> importHost(void *memory, uint64_t bytes);

  /// Creates a kernel. Errors: InvalidArgument for a source that no device could accept;
  /// Unsupported, which names the missing feature; or the errors of the driver's compiler.
  Result<Ref<Kernel>> createKernel(const KernelSource &source);
  /// Calls `look` with the source of every kernel that is made from now on, for example to show it.
  /// Must be called before other threads have the device.
  void onKernel(std::function<void(const KernelSource &)> look) { kernelLook = std::move(look); }

  Result<Ref<Queue>> createQueue(const QueueOptions &options = {});
  Result<Ref<Timeline>> createTimeline(uint64_t initial = 0);

  /// Sets an option of the driver for later work. The documentation lists the options. Errors:
  /// NotFound, which lists them; InvalidArgument with the possible values.
  Status setOption(std::string_view name, int64_t value);

  /// Returns ok, or DeviceLost with the driver's message.
  Status health() const {
    return isLost.load(std::memory_order_acquire) ? whyLost() : Status::ok();
  }
  /// Returns DeviceLost, which says that `what` ("its memory of 64 bytes") was lost together with
  /// this device, with the time and the reason. The device must be lost.
  Status lostWith(std::string_view what) const;
  /// Returns whether the device was lost because this process was forked. Reopening it in this
  /// process would not help.
  bool isLeftBehind() const { return leftBehind.load(std::memory_order_relaxed); }

protected:
  /// Marks the device as lost, with the API's message. If it is lost already, the first reason
  /// stays. From then on, `health` fails.
  Status markLost(Status reason);
  /// Marks the device as lost in a child of a fork. The child has no other threads yet.
  void loseInChild(Status reason);

  explicit Device(DeviceInfo info) : description(std::move(info)) {}

private:
  [[gnu::cold]] Status whyLost() const;
  // Callers have checked the arguments.
  virtual Result<Ref<Buffer>> allocateImpl(uint64_t bytes, MemoryKind kind) = 0;
  virtual Result<Ref<Buffer>> importHostImpl(void *memory, uint64_t bytes) = 0;
  virtual Result<Ref<Kernel>> createKernelImpl(const KernelSource &source) = 0;
  virtual Result<Ref<Queue>> createQueueImpl(const QueueOptions &options) = 0;
  virtual Result<Ref<Timeline>> createTimelineImpl(uint64_t initial) = 0;
  virtual Status setOptionImpl(std::string_view name, int64_t value); // default: no options

  DeviceInfo description;
  std::function<void(const KernelSource &)> kernelLook;
  std::mutex mapsMutex; // held while the fragments are measured
  std::optional<std::vector<std::string>> fragmentMaps;
  mutable std::mutex lossMutex;
  std::atomic<bool> isLost = false; // set after `loss` was set
  std::atomic<bool> leftBehind = false;
  Status loss;
  std::chrono::system_clock::time_point lostAt;
};

} // namespace pumice::hal
