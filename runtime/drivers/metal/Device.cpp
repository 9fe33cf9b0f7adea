//===- Device.cpp - an open Metal device ------------------------------------===//
#include "runtime/drivers/metal/Device.h"

#include "runtime/drivers/metal/Buffer.h"
#include "runtime/drivers/metal/Kernel.h"
#include "runtime/drivers/metal/Queue.h"
#include "runtime/hal/HostTimeline.h"

namespace pumice::metal_driver {
namespace {

class MetalTimeline final : public hal::HostTimeline {
public:
  MetalTimeline(MetalDevice &device, uint64_t initial)
      : hal::HostTimeline(Ref<hal::Device>(&device), device.scheduler, initial) {}
};

} // namespace

Status Scheduler::advance(Lock &lock, std::span<hal::HostStream *const>,
                          const hal::Deadline &deadline) {
  PUMICE_RETURN_IF_ERROR(deadline.check());
  sleepUntilChange(lock, deadline);
  return Status::ok();
}

MetalDevice::MetalDevice(const Functions &api, Owned opened, Owned commands, hal::DeviceInfo info)
    : Device(std::move(info)), api(api), device(std::move(opened)), queue(std::move(commands)) {
  startWatching();
}

MetalDevice::~MetalDevice() {
  stopWatching();
  if (isAbandoned()) {
    device.abandon();
    queue.abandon();
  }
}

Result<Ref<hal::Device>> MetalDevice::open(const Functions &api, Owned device,
                                           hal::DeviceInfo info) {
  Owned queue(api, api.call(device.get(), "newCommandQueue"));
  if (!queue)
    return Status(StatusCode::ResourceExhausted, info.id + " makes no command queue");
  return Ref<hal::Device>(Ref<MetalDevice>::adopt(
      new MetalDevice(api, std::move(device), std::move(queue), std::move(info))));
}

Status MetalDevice::noted(Status status) {
  return status.code() == StatusCode::DeviceLost ? markLost(std::move(status)) : status;
}

/// Metal does not work in the child of a fork.
void MetalDevice::afterForkInChild() {
  scheduler.afterForkInChild();
  scheduler.mutex.unlock();
  loseInChild(Status(StatusCode::DeviceLost,
                     "the device was opened before this process was forked off; Metal does not "
                     "work across a fork: open it in the child only, or spawn processes"));
}

void MetalDevice::add(MetalBuffer *buffer) {
  std::lock_guard lock(buffersMutex);
  buffers.push_back(buffer);
}

void MetalDevice::remove(MetalBuffer *buffer) {
  std::lock_guard lock(buffersMutex);
  std::erase(buffers, buffer);
}

std::vector<Object> MetalDevice::allBuffers() {
  std::lock_guard lock(buffersMutex);
  std::vector<Object> objects;
  for (const MetalBuffer *buffer : buffers)
    objects.push_back(buffer->object());
  return objects;
}

Result<Ref<hal::Buffer>> MetalDevice::allocateImpl(uint64_t bytes, hal::MemoryKind kind) {
  return MetalBuffer::allocate(*this, bytes, kind);
}

Result<Ref<hal::Buffer>> MetalDevice::importHostImpl(void *memory, uint64_t bytes) {
  return MetalBuffer::import(*this, memory, bytes);
}

Result<Ref<hal::Kernel>> MetalDevice::createKernelImpl(const hal::KernelSource &source) {
  return MetalKernel::create(*this, source);
}

Result<Ref<hal::Queue>> MetalDevice::createQueueImpl(const hal::QueueOptions &options) {
  return MetalQueue::create(*this, options);
}

Result<Ref<hal::Timeline>> MetalDevice::createTimelineImpl(uint64_t initial) {
  return Ref<hal::Timeline>(makeRef<MetalTimeline>(*this, initial));
}

} // namespace pumice::metal_driver
