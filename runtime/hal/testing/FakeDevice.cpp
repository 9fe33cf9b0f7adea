//===- FakeDevice.cpp - a device of host memory that records its calls ------===//
#include "runtime/hal/testing/FakeDevice.h"

#include "support/testing/AlignedMemory.h"

#include <cstring>

namespace pumice::hal {
namespace {

using testing_support::AlignedMemory;

class FakeBuffer final : public Buffer {
public:
  FakeBuffer(Ref<Device> device, uint64_t bytes, MemoryKind kind, void *memory, bool addressed,
             AlignedMemory owned = {})
      : Buffer(std::move(device), {bytes, kind, addressed ? reinterpret_cast<uint64_t>(memory) : 0,
                                   static_cast<std::byte *>(memory)}),
        owned(std::move(owned)) {}

private:
  AlignedMemory owned;
};

std::byte *bytesOf(const BufferRange &range) { return range.buffer->hostPointer() + range.offset; }

} // namespace

//===-------------------------------------------------------------------------===//
// The device
//===-------------------------------------------------------------------------===//

FakeKernel::FakeKernel(Ref<Device> device, const KernelSource &from)
    : Kernel(std::move(device), from), source(from), code(from.code.begin(), from.code.end()) {
  source.code = code;
}

DeviceInfo FakeDevice::defaultInfo() {
  DeviceInfo info;
  info.id = "fake:0";
  info.driver = "fake";
  info.name = "Fake";
  info.kind = DeviceKind::Discrete;
  info.bufferAddresses = true;
  info.kinds = {executable::VariantKind::VulkanSpirv};
  info.versionMinor = 3;
  info.limits.maxWorkgroupSize = {1024, 1024, 64};
  info.limits.maxWorkgroupInvocations = 1024;
  info.limits.maxWorkgroupMemoryBytes = 32768;
  info.limits.maxPushConstantBytes = 256;
  info.limits.descriptors = {.sets = 32,
                             .stageStorageBuffers = 1024,
                             .stageUniformBuffers = 1024,
                             .stageResources = 1024,
                             .layoutStorageBuffers = 1024,
                             .layoutUniformBuffers = 1024,
                             .perSet = 1024};
  info.limits.subgroupSize = info.limits.minSubgroupSize = info.limits.maxSubgroupSize = 32;
  info.limits.maxBufferBytes = info.limits.maxBindingBytes = uint64_t{1} << 32;
  info.limits.maxUniformBytes = 65536;
  info.limits.bindingAlignment = 16;
  info.limits.hostImportAlignment = 4;
  return info;
}

Ref<FakeDevice> FakeDevice::make(DeviceInfo info) {
  return Ref<FakeDevice>::adopt(new FakeDevice(std::move(info)));
}

Result<Ref<Buffer>> FakeDevice::allocateImpl(uint64_t bytes, MemoryKind kind) {
  if (allocationsFail)
    return Status(StatusCode::ResourceExhausted, "the fake device has no memory left");
  ++allocations;
  constexpr uint64_t alignment = 256; // like the placement of buffers on devices
  AlignedMemory memory = testing_support::alignedMemory(
      alignment, static_cast<size_t>((bytes + alignment - 1) & ~(alignment - 1)));
  if (!memory)
    return Status(StatusCode::ResourceExhausted, "the host has no memory left");
  // Undefined contents, which are not zeros.
  std::memset(memory.get(), 0xcd, static_cast<size_t>((bytes + 3) & ~uint64_t{3}));
  void *place = memory.get();
  return Ref<Buffer>(makeRef<FakeBuffer>(Ref<Device>(this), bytes, kind, place,
                                         info().bufferAddresses, std::move(memory)));
}

Result<Ref<Buffer>> FakeDevice::importHostImpl(void *memory, uint64_t bytes) {
  return Ref<Buffer>(makeRef<FakeBuffer>(Ref<Device>(this), bytes, MemoryKind::Imported, memory,
                                         info().bufferAddresses));
}

Result<Ref<Kernel>> FakeDevice::createKernelImpl(const KernelSource &source) {
  ++kernels;
  return Ref<Kernel>(makeRef<FakeKernel>(Ref<Device>(this), source));
}

Result<Ref<Queue>> FakeDevice::createQueueImpl(const QueueOptions &) {
  return Ref<Queue>(makeRef<FakeQueue>(Ref<FakeDevice>(this), holdQueues));
}

Result<Ref<Timeline>> FakeDevice::createTimelineImpl(uint64_t initial) {
  return Ref<Timeline>(makeRef<FakeTimeline>(Ref<Device>(this), initial));
}

FakeTimeline::FakeTimeline(Ref<Device> device, uint64_t initial)
    : Timeline(std::move(device)), reached(initial) {}

Status FakeTimeline::waitImpl(uint64_t value, Timeout) {
  return reached.load() >= value
             ? Status::ok()
             : Status(StatusCode::DeadlineExceeded, "nothing else runs that could reach it");
}

Status FakeTimeline::signalImpl(uint64_t value) {
  reached.store(value);
  return Status::ok();
}

//===-------------------------------------------------------------------------===//
// The queue
//===-------------------------------------------------------------------------===//

FakeQueue::FakeQueue(Ref<FakeDevice> device, bool held)
    : Queue(Ref<Device>(device.get())), fake(*device), held(held) {}
FakeQueue::~FakeQueue() { (void)finishImpl(forever); }

Status FakeQueue::add(Work next) {
  std::lock_guard lock(mutex);
  if (held)
    work.push_back(std::move(next));
  else
    next(Status::ok());
  return Status::ok();
}

void FakeQueue::fail(const Status &reason) {
  std::lock_guard lock(mutex);
  for (const Work &next : work)
    next(reason);
  work.clear();
}

Status FakeQueue::finishImpl(Timeout) {
  fail(Status::ok());
  return Status::ok();
}

Status FakeQueue::dispatchImpl(const Dispatch &dispatch) {
  RecordedDispatch copy{dispatch.kernel,
                        dispatch.groups,
                        {dispatch.pushConstants.begin(), dispatch.pushConstants.end()},
                        {dispatch.bindings.begin(), dispatch.bindings.end()},
                        {dispatch.uses.begin(), dispatch.uses.end()},
                        dispatch.touchesUnnamedMemory,
                        {},
                        Ref<Kernel>(dispatch.kernel)};
  for (const BufferUse &use : dispatch.uses)
    copy.kept.emplace_back(use.buffer);
  {
    std::lock_guard lock(fake.mutex);
    fake.dispatches.push_back(copy);
    fake.dispatches.back().kept.clear();
    fake.dispatches.back().keptKernel = nullptr;
  }
  return add([this, copy = std::move(copy)](const Status &status) {
    if (status.isOk() && fake.onDispatch)
      fake.onDispatch(copy);
  });
}

Status FakeQueue::copyImpl(const BufferRange &to, const BufferRange &from) {
  return add([=, keep = std::pair(Ref<Buffer>(to.buffer), Ref<Buffer>(from.buffer))](
                 const Status &) { std::memcpy(bytesOf(to), bytesOf(from), to.bytes); });
}

Status FakeQueue::fillImpl(const BufferRange &to, uint32_t pattern) {
  return add([=, keep = Ref<Buffer>(to.buffer)](const Status &) {
    for (uint64_t i = 0; i < to.bytes; ++i)
      bytesOf(to)[i] = static_cast<std::byte>(pattern >> (i % 4 * 8));
  });
}

Status FakeQueue::uploadImpl(const BufferRange &to, std::span<const std::byte> from) {
  return add([to, keep = Ref<Buffer>(to.buffer), data = std::vector(from.begin(), from.end())](
                 const Status &) { std::memcpy(bytesOf(to), data.data(), data.size()); });
}

Status FakeQueue::downloadImpl(std::span<std::byte> to, const BufferRange &from) {
  return add([=, keep = Ref<Buffer>(from.buffer)](const Status &) {
    std::memcpy(to.data(), bytesOf(from), to.size());
  });
}

Status FakeQueue::waitImpl(const TimePoint &) { return Status::ok(); }

Status FakeQueue::signalImpl(const TimePoint &point) {
  return add([value = point.value, timeline = Ref<Timeline>(point.timeline)](const Status &) {
    static_cast<FakeTimeline &>(*timeline).reached.store(value);
  });
}

Status FakeQueue::onDoneImpl(std::function<void(const Status &)> then) {
  return add(std::move(then));
}

Result<std::vector<ProfileRecord>> FakeQueue::takeProfileImpl() {
  return std::vector<ProfileRecord>();
}

//===-------------------------------------------------------------------------===//
// The driver
//===-------------------------------------------------------------------------===//

FakeDriver::FakeDriver(std::string name, std::vector<DeviceInfo> listed)
    : Driver(std::move(name)), listed(std::move(listed)) {}

Result<std::vector<DeviceInfo>> FakeDriver::devicesImpl() {
  if (!listing.isOk())
    return listing;
  return listed;
}

Result<Ref<Device>> FakeDriver::openImpl(size_t index) {
  if (!opening.isOk())
    return opening;
  ++opens;
  return Ref<Device>(FakeDevice::make(listed[index]));
}

} // namespace pumice::hal
