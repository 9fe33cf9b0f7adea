//===- Device.cpp - an open OpenCL device -----------------------------------===//
#include "runtime/drivers/opencl/Device.h"

#include "runtime/drivers/opencl/Buffer.h"
#include "runtime/drivers/opencl/Kernel.h"
#include "runtime/drivers/opencl/Queue.h"
#include "runtime/drivers/opencl/Timeline.h"

namespace pumice::opencl_driver {

OpenClDevice::OpenClDevice(std::shared_ptr<Context> opened, hal::DeviceInfo info,
                           std::optional<DiskCache> cache)
    : Device(std::move(info)), context(std::move(opened)), memory(*context),
      cache(std::move(cache)) {
  startWatching();
}

OpenClDevice::~OpenClDevice() { stopWatching(); }

Result<Ref<hal::Device>> OpenClDevice::open(const Functions &cl, const DeviceFacts &facts,
                                            Addressing addressing, hal::DeviceInfo info,
                                            std::optional<DiskCache> cache) {
  PUMICE_TRY(std::shared_ptr<Context> context, Context::create(cl, facts, addressing));
  return Ref<hal::Device>(Ref<OpenClDevice>::adopt(
      new OpenClDevice(std::move(context), std::move(info), std::move(cache))));
}

Status OpenClDevice::noted(Status status) {
  return status.code() == StatusCode::DeviceLost ? markLost(std::move(status)) : status;
}

/// OpenCL's drivers do not work in the child of a fork: their threads are missing there.
void OpenClDevice::afterForkInChild() {
  context->abandon();
  scheduler.afterForkInChild();
  scheduler.mutex.unlock();
  loseInChild(Status(StatusCode::DeviceLost,
                     "the device was opened before this process was forked off; OpenCL does not "
                     "work across a fork: open it in the child only, or spawn processes"));
}

Result<Ref<hal::Buffer>> OpenClDevice::allocateImpl(uint64_t bytes, hal::MemoryKind kind) {
  return OpenClBuffer::allocate(*this, bytes, kind);
}

Result<Ref<hal::Buffer>> OpenClDevice::importHostImpl(void *memory, uint64_t bytes) {
  return OpenClBuffer::import(*this, memory, bytes);
}

Result<Ref<hal::Kernel>> OpenClDevice::createKernelImpl(const hal::KernelSource &source) {
  return OpenClKernel::create(*this, source);
}

Result<Ref<hal::Queue>> OpenClDevice::createQueueImpl(const hal::QueueOptions &options) {
  return OpenClQueue::create(*this, options);
}

Result<Ref<hal::Timeline>> OpenClDevice::createTimelineImpl(uint64_t initial) {
  return Ref<hal::Timeline>(makeRef<OpenClTimeline>(*this, initial));
}

} // namespace pumice::opencl_driver
