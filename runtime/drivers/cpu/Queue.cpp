//===- Queue.cpp - records work, and runs it when someone waits -------------===//
#include "runtime/drivers/cpu/Queue.h"

#include "runtime/drivers/cpu/Device.h"
#include "runtime/drivers/cpu/Launch.h"
#include "runtime/drivers/cpu/Memory.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>

namespace pumice::cpu_driver {
namespace {

using Lock = Scheduler::Lock;

/// The estimated time of a copy, in nanoseconds per byte.
constexpr double byteNanoseconds = 0.1;

std::byte *addressOf(const hal::BufferRange &range) {
  return range.buffer->hostPointer() + range.offset;
}

/// Returns a range in the form that kernels take. If this driver allocated the memory, the size is
/// rounded up to whole words, because padding follows the range.
executable::NativeBuffer nativeBuffer(const hal::BufferRange &range) {
  uint64_t bytes = range.length();
  if (range.buffer->kind() != hal::MemoryKind::Imported)
    bytes = (bytes + 3) & ~uint64_t{3};
  return {addressOf(range), bytes};
}

[[gnu::cold]] Status tooMany(const hal::Dispatch &dispatch) {
  return Status(StatusCode::Unsupported, "kernel '" + dispatch.kernel->label() +
                                             "': " + std::to_string(dispatch.groups[0]) + " x " +
                                             std::to_string(dispatch.groups[1]) + " x " +
                                             std::to_string(dispatch.groups[2]) +
                                             " workgroups; the total must be less than 2^62");
}

} // namespace

CpuQueue::CpuQueue(CpuDevice &device, const hal::QueueOptions &options)
    : hal::Queue(Ref<hal::Device>(&device)), device(device), stream(makeRef<Stream>(device)),
      profiling(options.profiling) {}

CpuQueue::~CpuQueue() { stream->close(); }

void CpuQueue::measure(Batch &batch, Command &command, hal::ProfileRecord::Kind kind,
                       Clock::time_point begin, const std::string &label) {
  if (!profiling) [[likely]]
    return;
  command.record = static_cast<uint32_t>(batch.records.size());
  auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  batch.records.push_back({.kind = kind,
                           .label = label,
                           .hostNanoseconds = static_cast<uint64_t>(std::max<int64_t>(spent, 1)),
                           .bytes = command.bytes});
}

/// Returns whether the launch may run together with those recorded right before it. If a launch
/// skips this check, it also closes the group, so that the next launch does not join it.
inline bool CpuQueue::joinsOthers(const hal::Dispatch &dispatch, double nanoseconds) {
  if (nanoseconds < worthJoining) [[likely]] {
    overlap.close();
    return false;
  }
  const auto &kernel = static_cast<const CpuKernel &>(*dispatch.kernel);
  if (nanoseconds > tooLongToJoin || kernel.groupNanoseconds() == 0 || profiling ||
      dispatch.printed || dispatch.touchesUnnamedMemory || kernel.programAddress() ||
      device.pool.threads() == 1) {
    overlap.close();
    return false;
  }
  return overlap.joins(dispatch.uses);
}

Status CpuQueue::dispatchImpl(const hal::Dispatch &dispatch) {
  Clock::time_point begin = now();
  const auto &kernel = static_cast<const CpuKernel &>(*dispatch.kernel);
  constexpr uint64_t most = uint64_t{1} << 62;
  uint64_t plane = uint64_t{dispatch.groups[0]} * dispatch.groups[1];
  if (plane > most / dispatch.groups[2]) [[unlikely]]
    return tooMany(dispatch);

  Lock lock(device.scheduler.mutex);
  Batch &batch = stream->openBatch();
  Command command;
  command.kernel = &kernel;
  std::ranges::copy(dispatch.groups, command.groups);
  std::ranges::copy(dispatch.globalOffset, command.globalOffset);
  command.dimensions = dispatch.dimensions;
  command.printed = dispatch.printed;
  if (dispatch.memory) {
    command.memory = static_cast<uint32_t>(batch.queries.size());
    batch.queries.push_back(*dispatch.memory);
  }
  std::span<const uint32_t> slots = kernel.slots();
  size_t bindingBytes = slots.size() * sizeof(executable::NativeBuffer);
  command.data = batch.addData(bindingBytes + kernel.pushConstantRoom());
  std::byte *place = batch.dataAt(command.data);
  for (uint32_t slot : slots) {
    executable::NativeBuffer buffer = nativeBuffer(dispatch.bindings[slot]);
    std::memcpy(place, &buffer, sizeof buffer);
    place += sizeof buffer;
  }
  if (!dispatch.pushConstants.empty())
    std::memcpy(place, dispatch.pushConstants.data(), dispatch.pushConstants.size());
  batch.keep(&kernel);
  if (dispatch.printed)
    batch.keep(dispatch.printed);
  for (const hal::BufferUse &use : dispatch.uses)
    batch.keep(use.buffer);
  for (const hal::BufferRange &range : dispatch.bindings)
    batch.keep(range.buffer);
  measure(batch, command, hal::ProfileRecord::Kind::Dispatch, begin, kernel.label());
  double nanoseconds = estimateGrid(kernel, plane * dispatch.groups[2]);
  command.joins = joinsOthers(dispatch, nanoseconds);
  batch.commands.push_back(command);
  stream->added(nanoseconds);
  return Status::ok();
}

Status CpuQueue::move(hal::ProfileRecord::Kind kind, Clock::time_point begin, std::byte *to,
                      const std::byte *from, uint64_t bytes,
                      std::initializer_list<hal::Buffer *> buffers, void *staging) {
  Lock lock(device.scheduler.mutex);
  Batch &batch = stream->openBatch();
  if (staging)
    batch.addStaging(staging);
  for (hal::Buffer *buffer : buffers)
    batch.keep(buffer);
  Command command;
  command.kind = Command::Kind::Copy;
  command.lands = kind == hal::ProfileRecord::Kind::Download;
  command.to = to;
  command.from = from;
  command.bytes = bytes;
  measure(batch, command, kind, begin);
  batch.commands.push_back(command);
  stream->added(static_cast<double>(bytes) * byteNanoseconds);
  return Status::ok();
}

Status CpuQueue::copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) {
  return move(hal::ProfileRecord::Kind::Copy, now(), addressOf(to), addressOf(from), to.bytes,
              {to.buffer, from.buffer});
}

Status CpuQueue::downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) {
  return move(hal::ProfileRecord::Kind::Download, now(), to.data(), addressOf(from), to.size(),
              {from.buffer});
}

Status CpuQueue::fillImpl(const hal::BufferRange &to, uint32_t pattern) {
  Clock::time_point begin = now();
  Lock lock(device.scheduler.mutex);
  Batch &batch = stream->openBatch();
  batch.keep(to.buffer);
  Command command;
  command.kind = Command::Kind::Fill;
  command.to = addressOf(to);
  command.bytes = to.bytes;
  command.data = pattern;
  measure(batch, command, hal::ProfileRecord::Kind::Fill, begin);
  batch.commands.push_back(command);
  stream->added(static_cast<double>(to.bytes) * byteNanoseconds);
  return Status::ok();
}

/// If no work is pending, or the pending work will be done soon, copies the bytes to their target
/// at once.
bool CpuQueue::uploadNow(const hal::BufferRange &to, std::span<const std::byte> from) {
  Lock lock(device.scheduler.mutex);
  if (stream->canRun() && stream->isQuick())
    stream->run(lock);
  if (!stream->isIdle())
    return false;
  stream->beginDirect();
  lock.unlock();
  copyBytes(device.pool, addressOf(to), from.data(), from.size());
  lock.lock();
  stream->endDirect();
  return true;
}

Status CpuQueue::uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) {
  Clock::time_point begin = now();
  if (!profiling && uploadNow(to, from))
    return Status::ok();
  void *copy = allocateMemory(from.size());
  if (!copy)
    return Status(StatusCode::ResourceExhausted, "the system has no memory left for the " +
                                                     counted(from.size(), "byte") +
                                                     " of an upload");
  copyBytes(device.pool, static_cast<std::byte *>(copy), from.data(), from.size());
  return move(hal::ProfileRecord::Kind::Upload, begin, addressOf(to),
              static_cast<const std::byte *>(copy), from.size(), {to.buffer}, copy);
}

Status CpuQueue::waitImpl(const hal::TimePoint &point) {
  auto *timeline = static_cast<hal::HostTimeline *>(point.timeline);
  Lock lock(device.scheduler.mutex);
  if (timeline->standing(point.value) == hal::HostTimeline::Standing::Reached)
    return Status::ok();
  Batch &batch = stream->openBatch();
  batch.keep(timeline);
  Command command;
  command.kind = Command::Kind::Wait;
  command.timeline = timeline;
  command.value = point.value;
  batch.commands.push_back(command);
  stream->added(0);
  return Status::ok();
}

Status CpuQueue::signalImpl(const hal::TimePoint &point) {
  auto *timeline = static_cast<hal::HostTimeline *>(point.timeline);
  Lock lock(device.scheduler.mutex);
  Batch &batch = stream->openBatch();
  batch.keep(timeline);
  Command command;
  command.kind = Command::Kind::Signal;
  command.timeline = timeline;
  command.value = point.value;
  batch.commands.push_back(command);
  timeline->promise(*stream, point.value);
  device.scheduler.noteChange(); // waiters now know which stream signals the point
  stream->added(0);
  return Status::ok();
}

Status CpuQueue::onDoneImpl(std::function<void(const Status &)> then) {
  Lock lock(device.scheduler.mutex);
  Batch &batch = stream->openBatch();
  Command command;
  command.kind = Command::Kind::Callback;
  command.data = static_cast<uint32_t>(batch.callbacks.size());
  batch.callbacks.push_back(std::move(then));
  batch.commands.push_back(command);
  stream->added(0);
  return Status::ok();
}

Status CpuQueue::flushImpl() {
  Lock lock(device.scheduler.mutex);
  stream->submit(lock);
  return Status::ok();
}

Status CpuQueue::finishImpl(hal::Timeout timeout) {
  hal::Deadline deadline = hal::Deadline::after(timeout);
  Lock lock(device.scheduler.mutex);
  uint64_t last = stream->lastAdded();
  hal::HostStream *ours = stream.get();
  while (!stream->isDone(last))
    PUMICE_RETURN_IF_ERROR(device.scheduler.advance(lock, {&ours, 1}, deadline));
  return stream->takeFailure();
}

Result<std::vector<hal::ProfileRecord>> CpuQueue::takeProfileImpl() {
  Lock lock(device.scheduler.mutex);
  return stream->takeRecords();
}

} // namespace pumice::cpu_driver
