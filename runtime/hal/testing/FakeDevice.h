//===- FakeDevice.h - a device of host memory that records calls ------------===//
// Unit tests of the layers above drivers use this device. It runs no code. A dispatch is added to a
// list, and a test may set a function that runs instead of the kernel. Work is done at once or, if
// the queue is held, when someone waits.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "runtime/hal/Driver.h"

namespace pumice::hal {

/// A dispatch as the queue received it. The objects that it uses stay alive until it runs. In the
/// device's list, dispatches keep nothing alive, because kernels and buffers keep the device alive.
struct RecordedDispatch {
  Kernel *kernel;
  std::array<uint32_t, 3> groups;
  std::vector<std::byte> pushConstants;
  std::vector<BufferRange> bindings;
  std::vector<BufferUse> uses;
  bool touchesUnnamedMemory;
  std::vector<Ref<Buffer>> kept;
  Ref<Kernel> keptKernel;
};

class FakeKernel final : public Kernel {
public:
  FakeKernel(Ref<Device> device, const KernelSource &source);
  KernelSource source; // its code is copied
private:
  std::vector<uint8_t> code;
};

class FakeQueue;

class FakeDevice final : public Device {
public:
  static Ref<FakeDevice> make(DeviceInfo info = defaultInfo());
  /// Describes "fake:0", with SPIR-V, buffer addresses, subgroups of 32, and generous limits.
  static DeviceInfo defaultInfo();

  // Tests set the following members before they use the device.
  std::function<void(const RecordedDispatch &)> onDispatch;
  bool allocationsFail = false;
  bool holdQueues = false; // new queues keep their work until someone waits

  // Tests read the following members.
  std::atomic<size_t> allocations = 0, kernels = 0;
  std::mutex mutex;
  std::vector<RecordedDispatch> dispatches; // the dispatches of all queues
  RecordedDispatch &last() { return dispatches.back(); }

  void lose(std::string reason) {
    (void)markLost(Status(StatusCode::DeviceLost, std::move(reason)));
  }

private:
  explicit FakeDevice(DeviceInfo info) : Device(std::move(info)) {}
  Result<Ref<Buffer>> allocateImpl(uint64_t bytes, MemoryKind kind) override;
  Result<Ref<Buffer>> importHostImpl(void *memory, uint64_t bytes) override;
  Result<Ref<Kernel>> createKernelImpl(const KernelSource &source) override;
  Result<Ref<Queue>> createQueueImpl(const QueueOptions &options) override;
  Result<Ref<Timeline>> createTimelineImpl(uint64_t initial) override;
};

class FakeTimeline final : public Timeline {
public:
  FakeTimeline(Ref<Device> device, uint64_t initial);

private:
  friend class FakeQueue;
  Result<uint64_t> valueImpl() override { return reached.load(); }
  Status waitImpl(uint64_t value, Timeout timeout) override;
  Status signalImpl(uint64_t value) override;
  std::atomic<uint64_t> reached;
};

class FakeQueue final : public Queue {
public:
  FakeQueue(Ref<FakeDevice> device, bool held);
  ~FakeQueue() override;

  /// Fails the held work, as if the device were lost.
  void fail(const Status &reason);
  size_t pending() const { return work.size(); }

private:
  Status dispatchImpl(const Dispatch &dispatch) override;
  Status copyImpl(const BufferRange &to, const BufferRange &from) override;
  Status fillImpl(const BufferRange &to, uint32_t pattern) override;
  Status uploadImpl(const BufferRange &to, std::span<const std::byte> from) override;
  Status downloadImpl(std::span<std::byte> to, const BufferRange &from) override;
  Status waitImpl(const TimePoint &point) override;
  Status signalImpl(const TimePoint &point) override;
  Status onDoneImpl(std::function<void(const Status &)> then) override;
  Status flushImpl() override { return Status::ok(); }
  Status finishImpl(Timeout timeout) override;
  Result<std::vector<ProfileRecord>> takeProfileImpl() override;

  using Work = std::function<void(const Status &)>;
  Status add(Work work);

  FakeDevice &fake;
  const bool held;
  std::recursive_mutex mutex;
  std::vector<Work> work;
};

/// Lists the given devices, and opens them as FakeDevices.
class FakeDriver final : public Driver {
public:
  FakeDriver(std::string name, std::vector<DeviceInfo> listed);

  std::vector<DeviceInfo> listed;
  Status listing, opening; // if set, these functions fail with these
  std::atomic<size_t> opens = 0;

private:
  Result<std::vector<DeviceInfo>> devicesImpl() override;
  Result<Ref<Device>> openImpl(size_t index) override;
};

} // namespace pumice::hal
