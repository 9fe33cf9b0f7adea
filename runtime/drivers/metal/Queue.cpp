//===- Queue.cpp - records work of a Metal device ---------------------------===//
#include "runtime/drivers/metal/Queue.h"

#include "runtime/drivers/metal/Buffer.h"

#include <algorithm>
#include <cstring>

namespace pumice::metal_driver {

using Lock = hal::HostScheduler::Lock;

static std::byte *addressOf(const hal::BufferRange &range) {
  return range.buffer->hostPointer() + range.offset;
}

MetalQueue::MetalQueue(MetalDevice &device, Ref<Stream> stream, bool profiling)
    : hal::Queue(Ref<hal::Device>(&device)), device(device), stream(std::move(stream)),
      profiling(profiling) {}

MetalQueue::~MetalQueue() { stream->close(); }

Result<Ref<hal::Queue>> MetalQueue::create(MetalDevice &device, const hal::QueueOptions &options) {
  PUMICE_TRY(Ref<Stream> stream, Stream::create(device, options.profiling));
  return Ref<hal::Queue>(
      Ref<MetalQueue>::adopt(new MetalQueue(device, std::move(stream), options.profiling)));
}

Status MetalQueue::record(Command command, Clock::time_point begin, hal::ProfileRecord::Kind kind,
                          const std::string &label) {
  if (profiling) {
    auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    command.record.emplace(
        hal::ProfileRecord{.kind = kind,
                           .label = label,
                           .hostNanoseconds = static_cast<uint64_t>(std::max<int64_t>(spent, 1)),
                           .bytes = command.bytes});
  }
  Lock lock(device.scheduler.mutex);
  stream->record(std::move(command));
  return Status::ok();
}

Status MetalQueue::dispatchImpl(const hal::Dispatch &dispatch) {
  Clock::time_point begin = Clock::now();
  const auto &kernel = static_cast<const MetalKernel &>(*dispatch.kernel);
  Command command;
  command.kernel = &kernel;
  command.groups = {dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]};
  command.data.assign(dispatch.pushConstants.begin(), dispatch.pushConstants.end());
  command.usesAll = dispatch.touchesUnnamedMemory;
  command.kept.emplace_back(&kernel);
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    const hal::BufferRange &range = dispatch.bindings[i];
    command.kept.emplace_back(range.buffer);
    if (kernel.indices()[i] != UINT32_MAX)
      command.bindings.push_back({static_cast<MetalBuffer *>(range.buffer)->object(), range.offset,
                                  kernel.indices()[i], static_cast<uint32_t>(range.length())});
  }
  for (const hal::BufferUse &use : dispatch.uses) {
    command.kept.emplace_back(use.buffer);
    command.uses.push_back({static_cast<MetalBuffer *>(use.buffer)->object(),
                            executable::writes(use.access) ? usageRead | usageWrite : usageRead});
  }
  return record(std::move(command), begin, hal::ProfileRecord::Kind::Dispatch, kernel.label());
}

Status MetalQueue::copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) {
  Clock::time_point begin = Clock::now();
  Command command;
  command.kind = Command::Kind::Copy;
  command.to = addressOf(to);
  command.from = addressOf(from);
  command.bytes = to.bytes;
  command.kept.emplace_back(to.buffer);
  command.kept.emplace_back(from.buffer);
  return record(std::move(command), begin, hal::ProfileRecord::Kind::Copy);
}

Status MetalQueue::fillImpl(const hal::BufferRange &to, uint32_t pattern) {
  Clock::time_point begin = Clock::now();
  Command command;
  command.kind = Command::Kind::Fill;
  command.to = addressOf(to);
  command.bytes = to.bytes;
  command.pattern = pattern;
  command.kept.emplace_back(to.buffer);
  return record(std::move(command), begin, hal::ProfileRecord::Kind::Fill);
}

Status MetalQueue::uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) {
  Clock::time_point begin = Clock::now();
  if (!profiling) {
    Lock lock(device.scheduler.mutex);
    if (stream->isIdle()) {
      std::memcpy(addressOf(to), from.data(), from.size());
      return Status::ok();
    }
  }
  Command command;
  command.kind = Command::Kind::Copy;
  command.to = addressOf(to);
  command.data.assign(from.begin(), from.end());
  command.bytes = from.size();
  command.kept.emplace_back(to.buffer);
  return record(std::move(command), begin, hal::ProfileRecord::Kind::Upload);
}

Status MetalQueue::downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) {
  Clock::time_point begin = Clock::now();
  Command command;
  command.kind = Command::Kind::Copy;
  command.lands = true;
  command.to = to.data();
  command.from = addressOf(from);
  command.bytes = to.size();
  command.kept.emplace_back(from.buffer);
  return record(std::move(command), begin, hal::ProfileRecord::Kind::Download);
}

Status MetalQueue::waitImpl(const hal::TimePoint &point) {
  auto *timeline = static_cast<hal::HostTimeline *>(point.timeline);
  Lock lock(device.scheduler.mutex);
  if (timeline->standing(point.value) == hal::HostTimeline::Standing::Reached)
    return Status::ok();
  Command command;
  command.kind = Command::Kind::Wait;
  command.timeline = Ref<hal::HostTimeline>(timeline);
  command.value = point.value;
  stream->record(std::move(command));
  return Status::ok();
}

Status MetalQueue::signalImpl(const hal::TimePoint &point) {
  Command command;
  command.kind = Command::Kind::Signal;
  command.timeline = Ref<hal::HostTimeline>(static_cast<hal::HostTimeline *>(point.timeline));
  command.value = point.value;
  Lock lock(device.scheduler.mutex);
  stream->record(std::move(command));
  return Status::ok();
}

Status MetalQueue::onDoneImpl(std::function<void(const Status &)> then) {
  Command command;
  command.kind = Command::Kind::Callback;
  command.then = std::move(then);
  Lock lock(device.scheduler.mutex);
  stream->record(std::move(command));
  return Status::ok();
}

Status MetalQueue::flushImpl() { return Status::ok(); } // the thread has all work

Status MetalQueue::finishImpl(hal::Timeout timeout) {
  hal::Deadline deadline = hal::Deadline::after(timeout);
  Ref<Stream> kept = stream;
  Lock lock(device.scheduler.mutex);
  uint64_t last = kept->lastRecorded();
  hal::HostStream *ours = kept.get();
  while (!kept->isDone(last))
    PUMICE_RETURN_IF_ERROR(device.scheduler.advance(lock, {&ours, 1}, deadline));
  return kept->takeFailure();
}

Result<std::vector<hal::ProfileRecord>> MetalQueue::takeProfileImpl() {
  Lock lock(device.scheduler.mutex);
  return stream->takeRecords();
}

} // namespace pumice::metal_driver
