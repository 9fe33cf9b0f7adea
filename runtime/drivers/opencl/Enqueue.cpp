//===- Enqueue.cpp - gives one piece of work to the device ------------------===//
#include "runtime/drivers/opencl/Device.h"
#include "runtime/drivers/opencl/Stream.h"

#include <algorithm>
#include <array>

namespace pumice::opencl_driver {
namespace {

void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

/// Calls that move bytes, in the way that the device addresses memory.
class Transfer {
public:
  Transfer(OpenClDevice &device, cl_command_queue queue)
      : context(*device.context), memory(device.memory), queue(queue) {}

  Status copy(uint64_t to, uint64_t from, uint64_t bytes, cl_event *done) {
    if (context.addressing != Addressing::Buffers)
      return move(pointer(to), pointer(from), bytes, done);
    PUMICE_TRY(Place target, placeOf(to));
    PUMICE_TRY(Place source, placeOf(from));
    return PUMICE_CL_STATUS(context.cl, clEnqueueCopyBuffer, queue, source.object, target.object,
                            source.offset, target.offset, bytes, 0, nullptr, done);
  }
  Status upload(uint64_t to, const std::byte *from, uint64_t bytes, cl_event *done) {
    if (context.addressing != Addressing::Buffers)
      return move(pointer(to), from, bytes, done);
    PUMICE_TRY(Place target, placeOf(to));
    return PUMICE_CL_STATUS(context.cl, clEnqueueWriteBuffer, queue, target.object, CL_FALSE,
                            target.offset, bytes, from, 0, nullptr, done);
  }
  Status download(std::byte *to, uint64_t from, uint64_t bytes, cl_event *done) {
    if (context.addressing != Addressing::Buffers)
      return move(to, pointer(from), bytes, done);
    PUMICE_TRY(Place source, placeOf(from));
    return PUMICE_CL_STATUS(context.cl, clEnqueueReadBuffer, queue, source.object, CL_FALSE,
                            source.offset, bytes, to, 0, nullptr, done);
  }
  /// Fills with a pattern of 1 or 4 bytes. The place and the size are multiples of its size.
  Status fill(uint64_t to, const void *pattern, size_t patternBytes, uint64_t bytes,
              cl_event *done) {
    switch (context.addressing) {
    case Addressing::Usm:
      return PUMICE_CL_STATUS(context.usm, clEnqueueMemFillINTEL, queue, pointer(to), pattern,
                              patternBytes, bytes, 0, nullptr, done);
    case Addressing::FineSvm:
    case Addressing::CoarseSvm:
      return PUMICE_CL_STATUS(context.cl, clEnqueueSVMMemFill, queue, pointer(to), pattern,
                              patternBytes, bytes, 0, nullptr, done);
    case Addressing::Buffers:
      break;
    }
    PUMICE_TRY(Place target, placeOf(to));
    return PUMICE_CL_STATUS(context.cl, clEnqueueFillBuffer, queue, target.object, pattern,
                            patternBytes, target.offset, bytes, 0, nullptr, done);
  }

private:
  struct Place {
    cl_mem object;
    uint64_t offset;
  };
  Result<Place> placeOf(uint64_t address) {
    const Allocation *allocation = memory.around(address);
    if (!allocation)
      return Status(StatusCode::Internal, "no buffer is at address " + std::to_string(address));
    return Place{allocation->object, address - allocation->address};
  }
  Status move(void *to, const void *from, uint64_t bytes, cl_event *done) {
    if (context.addressing == Addressing::Usm)
      return PUMICE_CL_STATUS(context.usm, clEnqueueMemcpyINTEL, queue, CL_FALSE, to, from, bytes,
                              0, nullptr, done);
    return PUMICE_CL_STATUS(context.cl, clEnqueueSVMMemcpy, queue, CL_FALSE, to, from, bytes, 0,
                            nullptr, done);
  }

  const Context &context;
  Memory &memory;
  cl_command_queue queue;
};

/// Fills a range that need not begin at, or consist of, whole words. The pattern begins with the
/// range. At most six single bytes are filled one by one.
Status fillAnywhere(Transfer &transfer, const Command &command, cl_event *first, cl_event *last) {
  std::array<std::byte, 4> pattern;
  for (unsigned i = 0; i < 4; ++i)
    pattern[i] = static_cast<std::byte>(command.pattern >> 8 * i);
  bool same = std::ranges::all_of(pattern, [&](std::byte each) { return each == pattern[0]; });
  if (same && (command.to % 4 || command.bytes % 4))
    return transfer.fill(command.to, pattern.data(), 1, command.bytes, first);
  uint64_t at = command.to, end = command.to + command.bytes;
  auto byteAt = [&](uint64_t address) { return pattern[(address - command.to) % 4]; };
  auto single = [&]() -> Status {
    std::byte value = byteAt(at);
    return transfer.fill(at++, &value, 1, 1, last && *first ? last : first);
  };
  while (at < end && at % 4)
    PUMICE_RETURN_IF_ERROR(single());
  if (uint64_t words = (end - at) / 4 * 4) {
    const std::byte rotated[] = {byteAt(at), byteAt(at + 1), byteAt(at + 2), byteAt(at + 3)};
    PUMICE_RETURN_IF_ERROR(
        transfer.fill(at, rotated, sizeof rotated, words, first && *first ? last : first));
    at += words;
  }
  while (at < end)
    PUMICE_RETURN_IF_ERROR(single());
  return Status::ok();
}

} // namespace

Status Stream::enqueueWork(Command &command) {
  for (const Allocation *allocation : command.lent)
    PUMICE_RETURN_IF_ERROR(device.memory.take(queue, *allocation));
  cl_event events[2] = {};
  cl_event *first = profiling ? &events[0] : nullptr;
  Transfer transfer(device, queue);
  Status status;
  switch (command.kind) {
  case Command::Kind::Dispatch: {
    hal::Dispatch grid;
    grid.groups = command.groups;
    grid.dimensions = command.dimensions;
    grid.globalOffset = command.globalOffset;
    grid.touchesUnnamedMemory = command.touchesUnnamedMemory;
    status = command.kernel->enqueue(queue, command.data, grid, first);
    if (!status.isOk())
      status = std::move(status).at("kernel '" + command.kernel->label() + "'");
    break;
  }
  case Command::Kind::Copy:
    status = transfer.copy(command.to, command.from, command.bytes, first);
    break;
  case Command::Kind::Fill:
    status = fillAnywhere(transfer, command, first, profiling ? &events[1] : nullptr);
    break;
  case Command::Kind::Upload:
    status = transfer.upload(command.to, command.data.data(), command.bytes, first);
    break;
  case Command::Kind::Download:
    if (command.host) // null: nobody can learn that it is done
      status = transfer.download(command.host, command.from, command.bytes, first);
    break;
  case Command::Kind::Callback:
  case Command::Kind::Wait:
  case Command::Kind::Signal:
    break;
  }
  Event begin(*device.context, events[0]), end(*device.context, events[1]);
  PUMICE_RETURN_IF_ERROR(status);
  if (command.record && begin)
    open->measured.push_back({std::move(*command.record), std::move(begin), std::move(end)});
  for (const Allocation *allocation : command.lent)
    PUMICE_RETURN_IF_ERROR(device.memory.giveBack(queue, *allocation));
  return Status::ok();
}

} // namespace pumice::opencl_driver
