//===- Scheduler.cpp - chooses the threads that run recorded work -----------===//
#include "runtime/drivers/cpu/Scheduler.h"

#include "runtime/drivers/cpu/Stream.h"
#include "support/Spin.h"

namespace pumice::cpu_driver {

Scheduler::Scheduler(std::chrono::microseconds spin) : spin(spin) { startWatching(); }

Status Scheduler::waitForChange(Lock &lock, const hal::Deadline &deadline) {
  PUMICE_RETURN_IF_ERROR(deadline.check());
  uint32_t seen = changes.load(std::memory_order_relaxed);
  auto happened = [&] { return changes.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  bool soon = spinUntil(spin, happened);
  lock.lock();
  if (!soon && !happened())
    sleepUntilChange(lock, deadline);
  return Status::ok();
}

static Stream &ours(hal::HostStream &stream) { return static_cast<Stream &>(stream); }

bool Scheduler::isStuck(Stream *stream) {
  hal::HostStream *begin = stream;
  return !hal::findAlongPoints(
      {&begin, 1}, [](hal::HostStream &at) { return ours(at).canRun() || ours(at).isRunning(); });
}

Status Scheduler::advance(Lock &lock, std::span<hal::HostStream *const> wanted,
                          const hal::Deadline &deadline) {
  hal::HostStream *found =
      hal::findAlongPoints(wanted, [](hal::HostStream &at) { return ours(at).canRun(); });
  if (!found)
    return waitForChange(lock, deadline);
  Stream &next = ours(*found);
  // A thread with a deadline runs only work that will be done soon.
  if (!deadline.isNever() && !next.isQuick() && next.wakeThread())
    return waitForChange(lock, deadline);
  next.run(lock);
  return Status::ok();
}

void Scheduler::afterForkInChild() {
  forgetSleepers();
  for (Stream *stream : streams)
    stream->afterForkInChild();
  mutex.unlock();
}

} // namespace pumice::cpu_driver
