//===- HostScheduler.cpp - the streams of a device, and who waits for them --===//
#include "runtime/hal/HostScheduler.h"

namespace pumice::hal {

void HostScheduler::sleepUntilChange(Lock &lock, const Deadline &until) {
  ++sleeping;
  if (until.isNever())
    changed->wait(lock);
  else
    changed->wait_until(lock, until.at);
  --sleeping;
}

void HostScheduler::forgetSleepers() {
  // Threads of the parent process wait on `changed`. So the child must not use it, and must not
  // even destroy it.
  (void)changed.release();
  changed = std::make_unique<std::condition_variable>();
  sleeping = 0;
}

} // namespace pumice::hal
