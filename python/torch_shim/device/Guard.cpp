//===- Guard.cpp - torch's devices, streams and events, by queues -----------===//
#include "python/torch_shim/device/Allocator.h"
#include "python/torch_shim/device/Device.h"
#include "python/torch_shim/device/Failures.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <optional>

namespace pumice::vk {
namespace {

/// A point of a stream.
struct Event {
  c10::DeviceIndex device;
  c10::StreamId stream;
  uint64_t point;
  bool isTimed;
  // When the device reached the point. The last of its two owners frees it.
  struct Reached {
    enum : uint8_t { NotYet, At, Failed };
    std::atomic<uint8_t> state = NotYet;
    uint64_t nanoseconds = 0; // on the device's clock
  };
  std::shared_ptr<Reached> reached = std::make_shared<Reached>();
};

void noteTime(void *user, pumice_status status, const char *, uint64_t nanoseconds) {
  std::unique_ptr<std::shared_ptr<Event::Reached>> reached(
      static_cast<std::shared_ptr<Event::Reached> *>(user));
  (*reached)->nanoseconds = nanoseconds;
  (*reached)->state = status == PUMICE_OK ? Event::Reached::At : Event::Reached::Failed;
}

/// Returns when the device reached the event, in nanoseconds.
uint64_t timeOf(const Event &event) {
  TORCH_CHECK(event.isTimed, "expected events made with enable_timing=True");
  StreamState &stream = deviceAt(event.device).stream(event.stream);
  stream.wait(event.point);
  while (event.reached->state == Event::Reached::NotYet)
    stream.finish(); // waits for its callback
  TORCH_CHECK(event.reached->state == Event::Reached::At,
              "work before the event has failed, so it has no time");
  return event.reached->nanoseconds;
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
public:
  c10::DeviceType type() const override { return deviceType; }

  c10::Device exchangeDevice(c10::Device next) const override {
    c10::Device before = getDevice();
    setDevice(next);
    return before;
  }
  c10::Device getDevice() const override { return {deviceType, currentDevice()}; }
  void setDevice(c10::Device next) const override {
    if (next.index() >= 0)
      setCurrentDevice(next.index());
  }
  void uncheckedSetDevice(c10::Device next) const noexcept override {
    if (next.index() >= 0 && next.index() < vk::deviceCount())
      setCurrentDevice(next.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return vk::deviceCount(); }
  c10::DeviceCapability getDeviceCapability(c10::Device) const override { return {}; }

  c10::Stream getStream(c10::Device device) const override { return currentStream(device.index()); }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, {deviceType, orCurrent(device.index())});
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device);
  }
  c10::Stream getNewStream(c10::Device device, int = 0) const override {
    c10::DeviceIndex index = orCurrent(device.index());
    return c10::Stream(c10::Stream::UNSAFE, {deviceType, index}, deviceAt(index).newStream());
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return vk::exchangeStream(stream);
  }
  void *getStreamNativeHandle(const c10::Stream stream) const override {
    return stateOf(stream).queue;
  }
  bool queryStream(const c10::Stream &stream) const override { return stateOf(stream).isIdle(); }
  void synchronizeStream(const c10::Stream &stream) const override { stateOf(stream).finish(); }
  void synchronizeDevice(c10::DeviceIndex index) const override {
    deviceAt(orCurrent(index)).synchronize();
  }

  void record(void **place, const c10::Stream &stream, c10::DeviceIndex,
              c10::EventFlag flag) const override {
    auto *event = static_cast<Event *>(*place);
    if (!event)
      *place = event = new Event{};
    StreamState &state = stateOf(stream);
    event->device = stream.device_index();
    event->stream = stream.id();
    event->isTimed = flag != c10::EventFlag::PYTORCH_DEFAULT;
    if (event->isTimed) {
      event->reached = std::make_shared<Event::Reached>();
      auto *owner = new std::shared_ptr<Event::Reached>(event->reached);
      pumice_status status = pumice_queue_on_time(state.queue, noteTime, owner);
      if (status != PUMICE_OK)
        delete owner;
      check(status, "recording an event");
    }
    event->point = state.record();
  }
  void block(void *place, const c10::Stream &stream) const override {
    auto *event = static_cast<Event *>(place);
    if (!event)
      return;
    StreamState &state = stateOf(stream);
    StreamState &other = deviceAt(event->device).stream(event->stream);
    if (&state == &other)
      return;
    if (event->device == stream.device_index())
      state.waitFor(other, event->point);
    else
      other.wait(event->point); // timelines belong to one device
  }
  bool queryEvent(void *place) const override {
    auto *event = static_cast<Event *>(place);
    return !event || deviceAt(event->device).stream(event->stream).isDone(event->point);
  }
  void synchronizeEvent(void *place) const override {
    if (auto *event = static_cast<Event *>(place))
      deviceAt(event->device).stream(event->stream).wait(event->point);
    raiseFailures();
  }
  void destroyEvent(void *place, c10::DeviceIndex) const noexcept override {
    delete static_cast<Event *>(place);
  }
  double elapsedTime(void *first, void *second, c10::DeviceIndex) const override {
    TORCH_CHECK(first && second, "both events must be recorded before their distance is known");
    auto *begin = static_cast<Event *>(first), *end = static_cast<Event *>(second);
    TORCH_CHECK(begin->device == end->device,
                "expected events of one device, got vk:", int(begin->device),
                " and vk:", int(end->device));
    uint64_t from = timeOf(*begin), to = timeOf(*end);
    return from <= to ? static_cast<double>(to - from) / 1e6
                      : static_cast<double>(from - to) / -1e6;
  }
  void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override {
    allocator()->recordStream(data, stream);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

} // namespace
} // namespace pumice::vk
