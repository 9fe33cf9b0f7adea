//===- HostStream.cpp - work of one queue that waits for points -------------===//
#include "runtime/hal/HostStream.h"

#include "runtime/hal/HostTimeline.h"

namespace pumice::hal {

void HostStream::unblock() {
  if (!isBlocked())
    return;
  blockedBy->removeWaiter(this);
  blockedBy = nullptr;
  blockedValue = 0;
  unblocked();
}

void HostStream::findSignalers(std::vector<HostStream *> &found) const {
  if (isBlocked())
    blockedBy->findSignalers(blockedValue, found);
}

void HostStream::keepFailure(Status status) {
  if (firstFailure.isOk())
    firstFailure = status;
  if (failure.isOk())
    failure = std::move(status);
}

bool HostStream::passPoint(HostTimeline &timeline, uint64_t value) {
  if (!failure.isOk())
    return true;
  HostTimeline::Standing now = timeline.standing(value, this);
  if (now == HostTimeline::Standing::Reached)
    return true;
  if (now == HostTimeline::Standing::Failed) {
    keepFailure(timeline.failureAt(value));
    return true;
  }
  if (givingUp) {
    keepFailure(Status(StatusCode::InvalidArgument,
                       "the queue was destroyed while its work waited for a timeline point"));
    return true;
  }
  blockedBy = &timeline;
  blockedValue = value;
  timeline.addWaiter(this);
  return false;
}

} // namespace pumice::hal
