//===- Timer.cpp - when DistributedDataParallel's parts ran on vk -----------===//
#include "python/torch_shim/device/Device.h"

#include <c10/core/Event.h>
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

#include <map>

namespace pumice::vk {
namespace {

class Timer final : public c10d::Timer {
public:
  explicit Timer(c10::Device device) : device(device) {}

  void record(Event event) override {
    c10d::Timer::record(event);
    auto [entry, isNew] = events.try_emplace(event, deviceType, c10::EventFlag::BACKEND_DEFAULT);
    entry->second.record(currentStream(device.index()));
  }

  std::optional<int64_t> measureDifference(Event start, Event end) override {
    auto first = events.find(start), second = events.find(end);
    if (first == events.end() || second == events.end())
      return std::nullopt;
    double milliseconds = first->second.elapsedTime(second->second);
    // Without a difference, the second event is of the iteration before.
    return milliseconds > 0 ? std::optional(static_cast<int64_t>(milliseconds * 1e6))
                            : std::nullopt;
  }

private:
  const c10::Device device;
  std::map<Event, c10::Event> events;
};

} // namespace
} // namespace pumice::vk

namespace c10d {
C10_REGISTER_TYPED_CLASS(TimerRegistry, pumice::vk::deviceType, pumice::vk::Timer)
} // namespace c10d
