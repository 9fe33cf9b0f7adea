//===- Device.cpp - what each method of a driver does -----------------------===//
// The comments say what a real driver does. Each function here returns Unsupported, with its own
// name.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/null/Device.h"

using namespace pumice::hal;

namespace pumice::null {

static Status unimplemented(const char *function, const char *instead) {
  return Status(StatusCode::Unsupported,
                std::string("the null driver runs nothing: ") + function + " would " + instead);
}

//===-------------------------------------------------------------------------===//
// The device. In a real driver, this is in NAMEDevice.cpp.
//===-------------------------------------------------------------------------===//

Result<Ref<Buffer>> NullDevice::allocateImpl(uint64_t bytes, MemoryKind kind) {
  // Derive a class from Buffer. Its destructor frees the memory. Give its constructor
  //   {bytes, kind, address, pointer}
  // Round the memory up to whole 32-bit words, because kernels may access the whole last word. Pass
  // `bytes` itself on. Align the memory for any element; most devices want 256 bytes. Host memory
  // must be mapped and coherent. Device memory has a pointer only if mapping it costs nothing. If
  // no memory is left, return ResourceExhausted, and leave the device unchanged.
  return unimplemented("Device::allocate", "return a buffer of device or host memory");
}

Result<Ref<Buffer>> NullDevice::importHostImpl(void *memory, uint64_t bytes) {
  // This is called only if `limits.hostImportAlignment` is not 0. The address and the size are
  // multiples of it. Do not copy. The memory always belongs to the caller.
  return unimplemented("Device::importHost", "use the caller's memory in place");
}

Result<Ref<Kernel>> NullDevice::createKernelImpl(const KernelSource &source) {
  // This is called only for kinds of code that `DeviceInfo::kinds` lists. Compile the code with its
  // constants fixed. `source.code` is invalid after the call. Compiling may be slow, so keep
  // results on disk. Put the messages of the API's compiler into the error.
  return unimplemented("Device::createKernel", "compile the code of one entry point");
}

Result<Ref<Queue>> NullDevice::createQueueImpl(const QueueOptions &options) {
  return Ref<Queue>(makeRef<NullQueue>(Ref<Device>(this)));
}

Result<Ref<Timeline>> NullDevice::createTimelineImpl(uint64_t initial) {
  return Ref<Timeline>(makeRef<NullTimeline>(Ref<Device>(this)));
}

//===-------------------------------------------------------------------------===//
// The timeline. In a real driver, this is in NAMETimeline.cpp.
//===-------------------------------------------------------------------------===//

Result<uint64_t> NullTimeline::valueImpl() {
  return unimplemented("Timeline::value", "say how far the device has come");
}

Status NullTimeline::waitImpl(uint64_t value, Timeout timeout) {
  // First submit the work that queues hold back, because otherwise this never returns. Poll for
  // some microseconds before sleeping, because waking up takes longer than most kernels. If the
  // device is lost, end the wait.
  return unimplemented("Timeline::wait", "wait until the value is reached");
}

Status NullTimeline::signalImpl(uint64_t value) {
  return unimplemented("Timeline::signal", "set the value from the host");
}

//===-------------------------------------------------------------------------===//
// The queue. In a real driver, this is in NAMEQueue.cpp.
//===-------------------------------------------------------------------------===//

Status NullQueue::dispatchImpl(const Dispatch &dispatch) {
  // Record the launch. Do not wait, and do not submit each launch separately. Pointers in
  // `dispatch` are invalid after the call, so copy their targets. Hold a Ref to the kernel and to
  // every buffer in `uses` until the work is done. `uses` says what is read and written. Order this
  // work after earlier work of the queue only if they conflict. `touchesUnnamedMemory` conflicts
  // with everything. Split grids larger than `limits.maxGroups`, so that kernels do not notice.
  return unimplemented("Queue::dispatch", "record a launch");
}

Status NullQueue::copyImpl(const BufferRange &to, const BufferRange &from) {
  // Support any offsets and lengths, including those that are not multiples of 4.
  return unimplemented("Queue::copy", "record a copy on the device");
}

Status NullQueue::fillImpl(const BufferRange &to, uint32_t pattern) {
  // `pattern` is a whole word. Byte i of the range becomes byte i % 4 of it. Support any offset and
  // length.
  return unimplemented("Queue::fill", "record a fill");
}

Status NullQueue::uploadImpl(const BufferRange &to, std::span<const std::byte> from) {
  // `from` is invalid after the call, so copy it to a staging buffer. If no earlier work uses the
  // range and the host can map it, copy it there directly. Uploads may be larger than any staging
  // buffer.
  return unimplemented("Queue::upload", "copy bytes of the host to the device");
}

Status NullQueue::downloadImpl(std::span<std::byte> to, const BufferRange &from) {
  // `to` stays valid until the next wait returns. Fill it before that, but not before the work is
  // done.
  return unimplemented("Queue::download", "copy bytes of the device to the host");
}

Status NullQueue::waitImpl(const TimePoint &point) {
  // The host does not wait. Work that is recorded later waits. The signal of the point may not have
  // been submitted yet.
  return unimplemented("Queue::wait", "make later work wait for a timeline");
}

Status NullQueue::signalImpl(const TimePoint &point) {
  return unimplemented("Queue::signal", "advance a timeline when earlier work is done");
}

Status NullQueue::onDoneImpl(std::function<void(const Status &)> then) {
  // Call `then` exactly once, without holding a lock. Do so even if the work fails or the queue is
  // destroyed.
  return unimplemented("Queue::onDone", "call back when earlier work is done");
}

Status NullQueue::flushImpl() { return unimplemented("Queue::flush", "submit what is recorded"); }

Status NullQueue::finishImpl(Timeout timeout) {
  // Return the error of the first work that failed, and then forget it. `forever` is
  // Timeout::max(), so adding it to a time overflows.
  return unimplemented("Queue::finish", "wait for all work of the queue");
}

Result<std::vector<ProfileRecord>> NullQueue::takeProfileImpl() {
  // Return an empty list if the queue was created without `profiling`.
  return unimplemented("Queue::takeProfile", "say how long each piece of work took");
}

} // namespace pumice::null
