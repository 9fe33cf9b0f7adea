//===- Queue.cpp - checks before work reaches a driver ----------------------===//
#include "runtime/hal/Device.h"
#include "runtime/hal/Graph.h"
#include "runtime/hal/Invalid.h"
#include "runtime/hal/Printing.h"
#include "support/EnglishText.h"

namespace pumice::hal {

Queue::Queue(Ref<Device> owner) : owner(std::move(owner)) {}
Queue::~Queue() = default;

namespace {

std::string slotName(const BindingSlot &slot) {
  return "set " + std::to_string(slot.set) + " binding " + std::to_string(slot.binding) +
         (slot.element ? " element " + std::to_string(slot.element) : "");
}

/// Returns whether a range is inside its buffer. Nearly all ranges are, so this makes no text.
bool isInside(const BufferRange &range, const Device &device) {
  if (!range.buffer || &range.buffer->device() != &device)
    return false;
  uint64_t total = range.buffer->bytes();
  return range.offset <= total &&
         (range.bytes == wholeBuffer || range.bytes <= total - range.offset);
}

Status checkBinding(const BindingSlot &slot, const BufferRange &range, const Device &device) {
  if (!isInside(range, device))
    return checkRange(range, device, slotName(slot));
  const DeviceLimits &limits = device.info().limits;
  uint64_t alignment = slot.uniform ? limits.uniformAlignment : limits.bindingAlignment;
  uint64_t most = slot.uniform ? limits.maxUniformBytes : limits.maxBindingBytes;
  if (range.length() == 0)
    return invalid(slotName(slot) + ": the range is empty");
  if (range.offset % alignment != 0)
    return invalid(slotName(slot) + ": byte " + std::to_string(range.offset) +
                   " is not a multiple of " + std::to_string(alignment) +
                   ", which the device requires for descriptors");
  if (range.length() > most)
    return invalid(slotName(slot) + ": " + counted(range.length(), "byte") +
                   " are too many; a descriptor of the device covers at most " +
                   std::to_string(most));
  return Status::ok();
}

Status checkDispatch(const Dispatch &dispatch, const Device &device) {
  const Kernel &kernel = *dispatch.kernel;
  if (&kernel.device() != &device)
    return invalid("the kernel belongs to " + kernel.device().info().id + ", the queue to " +
                   device.info().id);
  if (dispatch.dimensions == 0 || dispatch.dimensions > 3)
    return invalid("a grid of " + std::to_string(dispatch.dimensions) +
                   " dimensions; expected 1, 2 or 3");
  if (!kernel.isOpenCl() && dispatch.globalOffset != std::array<uint32_t, 3>{0, 0, 0})
    return invalid("only OpenCL kernels have a global offset");
  if (dispatch.pushConstants.size() != kernel.pushConstantBytes())
    return invalid(counted(dispatch.pushConstants.size(), "byte") +
                   " of push constants; it takes " + std::to_string(kernel.pushConstantBytes()));
  if (dispatch.bindings.size() != kernel.bindings().size())
    return invalid(std::to_string(dispatch.bindings.size()) + " bindings are given; it takes " +
                   std::to_string(kernel.bindings().size()));
  for (size_t i = 0; i < dispatch.bindings.size(); ++i)
    PUMICE_RETURN_IF_ERROR(checkBinding(kernel.bindings()[i], dispatch.bindings[i], device));
  for (const BufferUse &use : dispatch.uses) {
    if (!use.buffer || &use.buffer->device() != &device)
      return invalid("a buffer that it uses belongs to another device than " + device.info().id);
    if (executable::writes(use.access))
      PUMICE_RETURN_IF_ERROR(checkTarget({use.buffer}, device, "a buffer that it writes"));
  }
  return Status::ok();
}

bool overlap(const BufferRange &a, const BufferRange &b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.length() &&
         b.offset < a.offset + a.length();
}

BufferRange resolved(const BufferRange &range) {
  return {range.buffer, range.offset, range.length()};
}

} // namespace

Status Queue::dispatch(const Dispatch &dispatch) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  if (!dispatch.kernel)
    return invalid("dispatch: the kernel is null");
  Status checked = checkDispatch(dispatch, *owner);
  if (!checked.isOk())
    return std::move(checked).at("kernel '" + dispatch.kernel->label() + "'");
  if (dispatch.groups[0] == 0 || dispatch.groups[1] == 0 || dispatch.groups[2] == 0)
    return Status::ok();
  if (!dispatch.kernel->printfs() || isCapturing()) // a capture rejects kernels that print
    return runDispatch(dispatch);
  PUMICE_TRY(Ref<Buffer> printed, makePrintfBuffer(*owner, dispatch.printBytes));
  Dispatch printing = dispatch;
  printing.printed = printed.get();
  PUMICE_RETURN_IF_ERROR(dispatchImpl(printing));
  return printWhenDone(*this, std::move(printed), dispatch.kernel->printfs(), dispatch.print);
}

Status Queue::copy(const BufferRange &to, const BufferRange &from) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkTarget(to, *owner, "copy to"));
  PUMICE_RETURN_IF_ERROR(checkRange(from, *owner, "copy from"));
  if (to.length() != from.length())
    return invalid("copy: the source has " + counted(from.length(), "byte") +
                   ", but the target has " + std::to_string(to.length()));
  if (to.length() == 0)
    return Status::ok();
  if (overlap(to, from))
    return invalid("copy: the ranges overlap");
  return isCapturing() ? captureCopy(resolved(to), resolved(from))
                       : copyImpl(resolved(to), resolved(from));
}

Status Queue::fill(const BufferRange &to, uint32_t pattern, uint32_t patternBytes) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkTarget(to, *owner, "fill"));
  if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4)
    return invalid("fill: a pattern of " + counted(patternBytes, "byte") + "; expected 1, 2 or 4");
  if (to.length() % patternBytes != 0)
    return invalid("fill: " + countedAre(to.length(), "byte") +
                   " not a multiple of the pattern's " + std::to_string(patternBytes));
  if (to.length() == 0)
    return Status::ok();
  if (patternBytes == 1)
    pattern = (pattern & 0xff) * 0x01010101u;
  else if (patternBytes == 2)
    pattern = (pattern & 0xffff) * 0x00010001u;
  return isCapturing() ? captureFill(resolved(to), pattern) : fillImpl(resolved(to), pattern);
}

Status Queue::upload(const BufferRange &to, std::span<const std::byte> from) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkTarget(to, *owner, "upload"));
  if (to.length() != from.size())
    return invalid("upload: the source has " + counted(from.size(), "byte") +
                   ", but the target has " + std::to_string(to.length()));
  if (from.empty())
    return Status::ok();
  return isCapturing() ? captureUpload(resolved(to), from) : uploadImpl(resolved(to), from);
}

Status Queue::download(std::span<std::byte> to, const BufferRange &from) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkRange(from, *owner, "download"));
  if (from.length() != to.size())
    return invalid("download: the source has " + counted(from.length(), "byte") +
                   ", but the target has " + std::to_string(to.size()));
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("download"));
  return to.empty() ? Status::ok() : downloadImpl(to, resolved(from));
}

static Status checkPoint(const TimePoint &point, const Device &device) {
  if (!point.timeline)
    return invalid("the timeline is null");
  if (&point.timeline->device() != &device)
    return invalid("the timeline belongs to " + point.timeline->device().info().id +
                   ", the queue to " + device.info().id);
  return Status::ok();
}

Status Queue::wait(const TimePoint &point) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkPoint(point, *owner));
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("wait for a timeline"));
  return waitImpl(point);
}

Status Queue::signal(const TimePoint &point) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(checkPoint(point, *owner));
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("signal of a timeline"));
  return signalImpl(point);
}

Status Queue::onDone(std::function<void(const Status &)> then) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("callback"));
  return onDoneImpl(std::move(then));
}

Status Queue::onTime(TimeSink then) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("callback"));
  return onTimeImpl(std::move(then));
}

Status Queue::onTimeImpl(TimeSink then) {
  return onDoneImpl([then = std::move(then)](const Status &status) {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    then(status, status.isOk() ? static_cast<uint64_t>(nanoseconds) : 0);
  });
}

Status Queue::flush() {
  PUMICE_RETURN_IF_ERROR(owner->health());
  return flushImpl();
}

Status Queue::letBegin() {
  PUMICE_RETURN_IF_ERROR(owner->health());
  return isCapturing() ? Status::ok() : letBeginImpl();
}

Status Queue::letBeginImpl() {
  int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (now - begun.load(std::memory_order_relaxed) < std::chrono::nanoseconds(submitsApart).count())
    return Status::ok();
  begun.store(now, std::memory_order_relaxed);
  return flushImpl();
}

Status Queue::finish(Timeout timeout) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_RETURN_IF_ERROR(rejectWhileCapturing("finish"));
  return finishImpl(timeout);
}

Result<std::vector<ProfileRecord>> Queue::takeProfile() { return takeProfileImpl(); }

} // namespace pumice::hal
