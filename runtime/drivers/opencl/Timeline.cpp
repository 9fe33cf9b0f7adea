//===- Timeline.cpp - points that streams reach -----------------------------===//
#include "runtime/drivers/opencl/Timeline.h"

#include "runtime/drivers/opencl/Device.h"
#include "runtime/drivers/opencl/Stream.h"

#include <algorithm>

namespace pumice::opencl {

OpenClTimeline::OpenClTimeline(OpenClDevice &device, uint64_t initial)
    : hal::Timeline(Ref<hal::Device>(&device)), scheduler(device.scheduler), value(initial) {}

OpenClTimeline::Standing OpenClTimeline::standing(uint64_t wanted, const Stream *waiter) const {
  if (value >= wanted)
    return Standing::Reached;
  // A wait for a point is a wait for the work that signals it. If that work failed, the wait fails,
  // even if a later point is reached.
  if (wanted <= failedValue)
    return Standing::Failed;
  return isPromised(wanted, waiter) || failure.isOk() ? Standing::Pending : Standing::Failed;
}

Status OpenClTimeline::failureAt(uint64_t wanted) const {
  return Status(failure).at("timeline value " + std::to_string(wanted));
}

bool OpenClTimeline::isPromised(uint64_t wanted, const Stream *waiter) const {
  return std::ranges::any_of(promises, [&](const Promise &promise) {
    return promise.value >= wanted && promise.stream != waiter;
  });
}

void OpenClTimeline::given(Stream &stream, uint64_t promised, Event event) {
  // The oldest matching promise that the device does not have is the right one.
  auto found = std::ranges::find_if(promises, [&](const Promise &promise) {
    return promise.stream == &stream && promise.value == promised && !promise.event;
  });
  if (found != promises.end())
    found->event = std::move(event);
  wakeWaiters();
}

bool OpenClTimeline::isGivenBy(const Stream &stream, uint64_t wanted) const {
  return std::ranges::any_of(promises, [&](const Promise &promise) {
    return promise.value >= wanted && promise.stream == &stream && promise.event;
  });
}

Event OpenClTimeline::eventFor(uint64_t wanted, const Stream &waiter) const {
  for (const Promise &promise : promises)
    if (promise.value >= wanted && promise.stream != &waiter && promise.event)
      return promise.event;
  return {};
}

void OpenClTimeline::findSignalers(uint64_t wanted, std::vector<Stream *> &found) const {
  for (const Promise &promise : promises)
    if (promise.value >= wanted && (found.empty() || found.back() != promise.stream))
      found.push_back(promise.stream);
}

void OpenClTimeline::settle(Stream &stream, uint64_t promised, const Status &status) {
  // The oldest matching promise is the right one, because a stream reaches its points in order.
  auto found = std::ranges::find_if(promises, [&](const Promise &promise) {
    return promise.stream == &stream && promise.value == promised;
  });
  if (found != promises.end())
    promises.erase(found);
  if (status.isOk()) {
    value = std::max(value, promised);
  } else {
    if (failure.isOk())
      failure = status;
    failedValue = std::max(failedValue, promised);
  }
  wakeWaiters();
}

void OpenClTimeline::wakeWaiters() {
  scheduler.noteChange();
  for (Stream *stream : std::vector(waiters)) { // a copy, because `unblock` changes the list
    uint64_t wanted = stream->blockedAt();
    if (standing(wanted, stream) != Standing::Pending || eventFor(wanted, *stream))
      stream->unblock();
  }
}

Result<uint64_t> OpenClTimeline::valueImpl() {
  Scheduler::Lock lock(scheduler.mutex);
  scheduler.retireAll(lock);
  return value;
}

Status OpenClTimeline::waitImpl(uint64_t wanted, hal::Timeout timeout) {
  Deadline deadline = Deadline::after(timeout);
  Scheduler::Lock lock(scheduler.mutex);
  for (;;) {
    Standing now = standing(wanted);
    if (now == Standing::Reached)
      return Status::ok();
    if (now == Standing::Failed)
      return failureAt(wanted);
    PUMICE_RETURN_IF_ERROR(device().health());
    std::vector<Stream *> signalers;
    findSignalers(wanted, signalers);
    Status status = scheduler.advance(lock, signalers, deadline);
    if (!status.isOk() && standing(wanted) == Standing::Pending)
      return Status(status.code(),
                    "timeline value " + std::to_string(wanted) +
                        " was not reached: the timeline is at " + std::to_string(value) +
                        (isPromised(wanted)
                             ? ", and the work that signals a higher value has not finished"
                             : ", and no submitted work signals a higher value"));
  }
}

Status OpenClTimeline::signalImpl(uint64_t signaled) {
  Scheduler::Lock lock(scheduler.mutex);
  value = std::max(value, signaled);
  wakeWaiters();
  scheduler.pumpReady();
  return Status::ok();
}

} // namespace pumice::opencl
