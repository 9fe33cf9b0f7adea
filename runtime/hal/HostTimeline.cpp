//===- HostTimeline.cpp - a timeline that the host keeps --------------------===//
#include "runtime/hal/HostTimeline.h"

#include "runtime/hal/Device.h"

namespace pumice::hal {

HostTimeline::HostTimeline(Ref<Device> device, HostScheduler &scheduler, uint64_t initial)
    : Timeline(std::move(device)), scheduler(scheduler), value(initial) {}

HostTimeline::~HostTimeline() = default;

HostTimeline::Standing HostTimeline::standing(uint64_t wanted, const HostStream *waiter) const {
  if (value >= wanted)
    return Standing::Reached;
  // A wait for a point is a wait for the work that signals it. If that work failed, the wait fails,
  // even if a later point is reached.
  if (hasFailed(wanted))
    return Standing::Failed;
  return isPromised(wanted, waiter) || failure.isOk() ? Standing::Pending : Standing::Failed;
}

Status HostTimeline::failureAt(uint64_t wanted) const {
  return Status(failure).at("timeline value " + std::to_string(wanted));
}

bool HostTimeline::isPromised(uint64_t wanted, const HostStream *waiter) const {
  return std::ranges::any_of(promises, [&](const Promise &promise) {
    return promise.value >= wanted && promise.stream != waiter;
  });
}

void HostTimeline::findSignalers(uint64_t wanted, std::vector<HostStream *> &found) const {
  for (const Promise &promise : promises)
    if (promise.value >= wanted && (found.empty() || found.back() != promise.stream))
      found.push_back(promise.stream);
}

void HostTimeline::settle(const HostStream &stream, uint64_t promised, const Status &status) {
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

void HostTimeline::wakeWaiters() {
  scheduler.noteChange();
  for (HostStream *stream : std::vector(waiters)) { // a copy, because `unblock` changes the list
    uint64_t wanted = stream->blockedAt();
    if (standing(wanted, stream) != Standing::Pending || isOnDevice(wanted, *stream))
      stream->unblock();
  }
}

Result<uint64_t> HostTimeline::valueImpl() {
  HostScheduler::Lock lock(scheduler.mutex);
  scheduler.noticeEnds(lock);
  return value;
}

Status HostTimeline::waitImpl(uint64_t wanted, Timeout timeout) {
  Deadline deadline = Deadline::after(timeout);
  HostScheduler::Lock lock(scheduler.mutex);
  for (;;) {
    Standing now = standing(wanted);
    if (now == Standing::Reached)
      return Status::ok();
    if (now == Standing::Failed)
      return failureAt(wanted);
    PUMICE_RETURN_IF_ERROR(device().health());
    std::vector<HostStream *> signalers;
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

Status HostTimeline::signalImpl(uint64_t signaled) {
  std::lock_guard lock(scheduler.mutex);
  value = std::max(value, signaled);
  wakeWaiters();
  scheduler.continueStreams();
  return Status::ok();
}

} // namespace pumice::hal
