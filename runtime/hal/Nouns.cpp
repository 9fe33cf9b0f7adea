//===- Nouns.cpp - shared parts of buffers, kernels and timelines -----------===//
#include "runtime/hal/Device.h"
#include "runtime/hal/Driver.h"
#include "support/EnglishText.h"

namespace pumice::hal {

Buffer::Buffer(Ref<Device> owner, const Description &description)
    : owner(std::move(owner)), size(description.bytes), address(description.deviceAddress),
      memoryKind(description.kind), driverNumber(description.number),
      mapped(description.hostPointer) {}
Buffer::~Buffer() {
  if (destroyed) // the driver's part is destroyed, so no work uses the memory
    destroyed();
}

Status Buffer::health() const {
  if (owner->health().isOk())
    return Status::ok();
  return owner->lostWith("its memory of " + counted(size, "byte"));
}

Kernel::Kernel(Ref<Device> owner, const KernelSource &source)
    : owner(std::move(owner)), name(source.label.empty() ? source.symbol : source.label),
      slots(source.bindings), pointerArguments(source.pointers), arguments(source.arguments),
      pushBytes(source.pushConstantBytes),
      openCl(source.kind == executable::VariantKind::OpenclSpirv) {}
Kernel::~Kernel() = default;

Timeline::Timeline(Ref<Device> owner) : owner(std::move(owner)) {}
Timeline::~Timeline() = default;

Result<uint64_t> Timeline::value() {
  PUMICE_RETURN_IF_ERROR(owner->health());
  return valueImpl();
}

Status Timeline::wait(uint64_t value, Timeout timeout) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  return waitImpl(value, timeout);
}

Status Timeline::signal(uint64_t value) {
  PUMICE_RETURN_IF_ERROR(owner->health());
  PUMICE_TRY(uint64_t reached, valueImpl());
  if (value <= reached)
    return Status(StatusCode::InvalidArgument, "a timeline at " + std::to_string(reached) +
                                                   " cannot be set to " + std::to_string(value) +
                                                   "; a new value must be larger");
  return signalImpl(value);
}

Status checkRange(const BufferRange &range, const Device &device, std::string_view what) {
  std::string place(what);
  if (!range.buffer)
    return Status(StatusCode::InvalidArgument, place + ": the buffer is null; pass a buffer");
  if (&range.buffer->device() != &device)
    if (Status lost = range.buffer->health(); !lost.isOk())
      return std::move(lost).at(place);
  if (&range.buffer->device() != &device)
    return Status(StatusCode::InvalidArgument, place + ": the buffer belongs to " +
                                                   range.buffer->device().info().id +
                                                   ", but the work runs on " + device.info().id);
  uint64_t total = range.buffer->bytes();
  if (range.offset > total || (range.bytes != wholeBuffer && range.bytes > total - range.offset))
    return Status(StatusCode::InvalidArgument,
                  place + ": the range (offset " + std::to_string(range.offset) + ", " +
                      counted(range.length(), "byte") + ") is not in the buffer of " +
                      counted(total, "byte"));
  return Status::ok();
}

Status checkTarget(const BufferRange &range, const Device &device, std::string_view what) {
  PUMICE_RETURN_IF_ERROR(checkRange(range, device, what));
  if (range.buffer->isReadOnly())
    return Status(StatusCode::InvalidArgument,
                  std::string(what) +
                      ": the buffer's memory was lent for reading only; copy it to a "
                      "buffer of your own, and write that");
  return Status::ok();
}

Result<std::vector<DeviceInfo>> Driver::devices() { return devicesImpl(); }

Result<Ref<Device>> Driver::open(size_t index) {
  PUMICE_TRY(std::vector<DeviceInfo> listed, devicesImpl());
  if (index >= listed.size())
    return Status(StatusCode::NotFound, driverName + " has " + counted(listed.size(), "device") +
                                            "; there is no " + driverName + ":" +
                                            std::to_string(index));
  return openImpl(index);
}

} // namespace pumice::hal
