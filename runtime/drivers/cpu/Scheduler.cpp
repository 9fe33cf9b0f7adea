//===- Scheduler.cpp - chooses the threads that run recorded work -----------===//
#include "runtime/drivers/cpu/Scheduler.h"

#include "runtime/drivers/cpu/Stream.h"
#include "support/Spin.h"

#include <algorithm>

namespace pumice::cpu_driver {

Deadline Deadline::after(hal::Timeout timeout) {
  Clock::time_point now = Clock::now();
  if (timeout >= Clock::time_point::max() - now)
    return {};
  return {now + std::max(timeout, hal::Timeout::zero())};
}

Scheduler::Scheduler(std::chrono::microseconds spin)
    : spin(spin), changed(std::make_unique<std::condition_variable>()) {
  startWatching();
}

void Scheduler::noteChange() {
  changes.fetch_add(1, std::memory_order_relaxed);
  if (sleeping)
    changed->notify_all();
}

Status Scheduler::waitForChange(Lock &lock, const Deadline &deadline) {
  if (deadline.passed())
    return Status(StatusCode::DeadlineExceeded, "the work is not done yet");
  uint32_t seen = changes.load(std::memory_order_relaxed);
  auto happened = [&] { return changes.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  bool soon = spinUntil(spin, happened);
  lock.lock();
  if (soon || happened())
    return Status::ok();
  ++sleeping;
  if (deadline.isNever())
    changed->wait(lock);
  else
    changed->wait_until(lock, deadline.at);
  --sleeping;
  return Status::ok();
}

/// Searches `begin`, and the streams for which they wait, for a stream for which `wanted` returns
/// true. Returns the first one, or null. Streams may wait for each other in a cycle.
template <typename Wanted>
static Stream *findAlongPoints(std::span<Stream *const> begin, Wanted wanted) {
  for (Stream *stream : begin) // usually, the search ends here
    if (wanted(*stream))
      return stream;
  std::vector<Stream *> found(begin.begin(), begin.end());
  for (size_t at = 0; at < found.size(); ++at) {
    auto here = found.begin() + static_cast<ptrdiff_t>(at);
    if (std::find(found.begin(), here, *here) != here)
      continue;
    if (wanted(**here))
      return *here;
    (*here)->findSignalers(found);
  }
  return nullptr;
}

bool Scheduler::isStuck(Stream *stream) {
  return !findAlongPoints({&stream, 1},
                          [](const Stream &at) { return at.canRun() || at.isRunning(); });
}

Status Scheduler::advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline) {
  Stream *next = findAlongPoints(wanted, [](const Stream &at) { return at.canRun(); });
  if (!next)
    return waitForChange(lock, deadline);
  // A thread with a deadline runs only work that will be done soon.
  if (!deadline.isNever() && !next->isQuick() && next->wakeThread())
    return waitForChange(lock, deadline);
  next->run(lock);
  return Status::ok();
}

void Scheduler::afterForkInChild() {
  // Threads of the parent process wait on `changed`. So the child must not use it, and must not
  // even destroy it.
  (void)changed.release();
  changed = std::make_unique<std::condition_variable>();
  sleeping = 0;
  for (Stream *stream : streams)
    stream->afterForkInChild();
  mutex.unlock();
}

} // namespace pumice::cpu_driver
