//===- Timeline.cpp - points that streams reach -----------------------------===//
#include "runtime/drivers/opencl/Timeline.h"

#include "runtime/drivers/opencl/Device.h"

namespace pumice::opencl_driver {

OpenClTimeline::OpenClTimeline(OpenClDevice &device, uint64_t initial)
    : hal::HostTimeline(Ref<hal::Device>(&device), device.scheduler, initial) {}

void OpenClTimeline::given(const hal::HostStream &stream, uint64_t value, Event event) {
  signals.push_back({&stream, value, std::move(event)});
  wakeWaiters();
}

bool OpenClTimeline::isGivenBy(const hal::HostStream &stream, uint64_t wanted) const {
  return std::ranges::any_of(signals, [&](const Given &signal) {
    return signal.value >= wanted && signal.stream == &stream;
  });
}

Event OpenClTimeline::eventFor(uint64_t wanted, const hal::HostStream &waiter) const {
  for (const Given &signal : signals)
    if (signal.value >= wanted && signal.stream != &waiter)
      return signal.event;
  return {};
}

void OpenClTimeline::retire(const hal::HostStream &stream, uint64_t value, const Status &status) {
  auto found = std::ranges::find_if(signals, [&](const Given &signal) {
    return signal.stream == &stream && signal.value == value;
  });
  if (found != signals.end())
    signals.erase(found);
  settle(stream, value, status);
}

} // namespace pumice::opencl_driver
