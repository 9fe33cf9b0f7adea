//===- Queue.cpp - records work of an OpenCL device -------------------------===//
#include "runtime/drivers/opencl/Queue.h"

#include "runtime/drivers/opencl/Buffer.h"
#include "runtime/drivers/opencl/Device.h"
#include "runtime/drivers/opencl/Timeline.h"

#include <algorithm>
#include <cstring>

namespace pumice::opencl_driver {

using Lock = Scheduler::Lock;

static uint64_t addressOf(const hal::BufferRange &range) {
  return range.buffer->deviceAddress() + range.offset;
}

OpenClQueue::OpenClQueue(OpenClDevice &device, Ref<Stream> stream, bool profiling)
    : hal::Queue(Ref<hal::Device>(&device)), device(device), stream(std::move(stream)),
      profiling(profiling) {}

OpenClQueue::~OpenClQueue() { stream->close(); }

Result<Ref<hal::Queue>> OpenClQueue::create(OpenClDevice &device,
                                            const hal::QueueOptions &options) {
  PUMICE_TRY(Ref<Stream> stream, Stream::create(device, options.profiling));
  return Ref<hal::Queue>(
      Ref<OpenClQueue>::adopt(new OpenClQueue(device, std::move(stream), options.profiling)));
}

void OpenClQueue::use(Command &command, const hal::Buffer *buffer) const {
  command.kept.emplace_back(buffer);
  const Allocation *allocation = static_cast<const OpenClBuffer *>(buffer)->allocation();
  if (allocation && allocation->isLent && std::ranges::count(command.lent, allocation) == 0)
    command.lent.push_back(allocation);
}

void OpenClQueue::submit(Lock &lock, std::unique_ptr<Command> command, Clock::time_point begin,
                         hal::ProfileRecord::Kind kind, const std::string &label) {
  if (profiling) {
    auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    command->record.emplace(
        hal::ProfileRecord{.kind = kind,
                           .label = label,
                           .hostNanoseconds = static_cast<uint64_t>(std::max<int64_t>(spent, 1)),
                           .bytes = command->bytes});
  }
  stream->record(std::move(command));
  device.scheduler.pumpReady();
  constexpr uint32_t often = 64;
  if (++sinceRetire < often)
    return;
  sinceRetire = 0;
  stream->retire(lock);
  device.scheduler.pumpReady();
}

Status OpenClQueue::dispatchImpl(const hal::Dispatch &dispatch) {
  Clock::time_point begin = now();
  const auto &kernel = static_cast<const OpenClKernel &>(*dispatch.kernel);
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Dispatch;
  command->kernel = &kernel;
  command->groups = dispatch.groups;
  command->globalOffset = dispatch.globalOffset;
  command->dimensions = dispatch.dimensions;
  command->touchesUnnamedMemory = kernel.followsPointers(dispatch);
  kernel.assignBlock(dispatch, command->data);
  command->kept.emplace_back(&kernel);
  for (const hal::BufferUse &each : dispatch.uses)
    use(*command, each.buffer);
  if (dispatch.touchesUnnamedMemory)
    command->lent = device.memory.lent();
  submit(lock, std::move(command), begin, hal::ProfileRecord::Kind::Dispatch, kernel.label());
  return Status::ok();
}

Status OpenClQueue::copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) {
  Clock::time_point begin = now();
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Copy;
  command->to = addressOf(to);
  command->from = addressOf(from);
  command->bytes = to.bytes;
  use(*command, to.buffer);
  use(*command, from.buffer);
  submit(lock, std::move(command), begin, hal::ProfileRecord::Kind::Copy);
  return Status::ok();
}

Status OpenClQueue::fillImpl(const hal::BufferRange &to, uint32_t pattern) {
  Clock::time_point begin = now();
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Fill;
  command->to = addressOf(to);
  command->bytes = to.bytes;
  command->pattern = pattern;
  // PoCL 6.0 ends the process on a fill of memory that it has not allocated.
  if (to.buffer->kind() == hal::MemoryKind::Imported && device.context->isPocl()) {
    command->kind = Command::Kind::Upload;
    command->data.resize(to.bytes);
    for (uint64_t i = 0; i < to.bytes; ++i)
      command->data[i] = static_cast<std::byte>(pattern >> i % 4 * 8);
  }
  use(*command, to.buffer);
  submit(lock, std::move(command), begin, hal::ProfileRecord::Kind::Fill);
  return Status::ok();
}

/// If the queue has no work and the host sees the bytes, copies them at once.
bool OpenClQueue::uploadNow(Lock &lock, const hal::BufferRange &to,
                            std::span<const std::byte> from) {
  std::byte *target = to.buffer->hostPointer();
  if (profiling || !target)
    return false;
  stream->retire(lock);
  if (!stream->isIdle())
    return false;
  std::memcpy(target + to.offset, from.data(), from.size());
  return true;
}

Status OpenClQueue::uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) {
  Clock::time_point begin = now();
  Lock lock(device.scheduler.mutex);
  if (uploadNow(lock, to, from))
    return Status::ok();
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Upload;
  command->to = addressOf(to);
  command->bytes = from.size();
  command->data.assign(from.begin(), from.end());
  use(*command, to.buffer);
  submit(lock, std::move(command), begin, hal::ProfileRecord::Kind::Upload);
  return Status::ok();
}

Status OpenClQueue::downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) {
  Clock::time_point begin = now();
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Download;
  command->from = addressOf(from);
  command->host = to.data();
  command->bytes = to.size();
  use(*command, from.buffer);
  submit(lock, std::move(command), begin, hal::ProfileRecord::Kind::Download);
  return Status::ok();
}

Status OpenClQueue::waitImpl(const hal::TimePoint &point) {
  auto *timeline = static_cast<OpenClTimeline *>(point.timeline);
  Lock lock(device.scheduler.mutex);
  if (timeline->standing(point.value) == OpenClTimeline::Standing::Reached)
    return Status::ok();
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Wait;
  command->timeline = Ref<OpenClTimeline>(timeline);
  command->value = point.value;
  stream->record(std::move(command));
  device.scheduler.pumpReady();
  return Status::ok();
}

Status OpenClQueue::signalImpl(const hal::TimePoint &point) {
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Signal;
  command->timeline = Ref<OpenClTimeline>(static_cast<OpenClTimeline *>(point.timeline));
  command->value = point.value;
  stream->record(std::move(command));
  device.scheduler.noteChange(); // waiters now know which stream signals the point
  device.scheduler.pumpReady();
  return Status::ok();
}

Status OpenClQueue::onDoneImpl(std::function<void(const Status &)> then) {
  Lock lock(device.scheduler.mutex);
  std::unique_ptr<Command> command = stream->newCommand();
  command->kind = Command::Kind::Callback;
  command->then = std::move(then);
  stream->record(std::move(command));
  device.scheduler.pumpReady();
  return Status::ok();
}

Status OpenClQueue::flushImpl() {
  Ref<Stream> kept = stream; // a callback may release this queue
  Lock lock(device.scheduler.mutex);
  kept->flush(lock);
  return Status::ok();
}

Status OpenClQueue::finishImpl(hal::Timeout timeout) {
  hal::Deadline deadline = hal::Deadline::after(timeout);
  Ref<Stream> kept = stream;
  Lock lock(device.scheduler.mutex);
  return kept->finish(lock, deadline);
}

Result<std::vector<hal::ProfileRecord>> OpenClQueue::takeProfileImpl() {
  Lock lock(device.scheduler.mutex);
  return stream->takeRecords();
}

} // namespace pumice::opencl_driver
