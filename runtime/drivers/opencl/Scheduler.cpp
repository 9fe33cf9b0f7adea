//===- Scheduler.cpp - the streams of a device, and who waits for them ------===//
#include "runtime/drivers/opencl/Scheduler.h"

#include "runtime/drivers/opencl/Stream.h"

#include <algorithm>
#include <thread>

namespace pumice::opencl {

using namespace std::chrono_literals;

Deadline Deadline::after(hal::Timeout timeout) {
  Clock::time_point now = Clock::now();
  if (timeout >= Clock::time_point::max() - now)
    return {};
  return {now + std::max(timeout, hal::Timeout::zero())};
}

void Scheduler::remove(Stream *stream) {
  std::erase(streams, stream);
  std::erase(ready, stream);
}

void Scheduler::pumpReady() {
  if (pumping) // the loop below continues
    return;
  pumping = true;
  while (!ready.empty()) {
    Stream *next = ready.front();
    ready.erase(ready.begin());
    next->pump();
  }
  pumping = false;
}

void Scheduler::noteChange() {
  ++changes;
  changed->notify_all();
}

void Scheduler::retireAll(Lock &lock) {
  for (size_t i = 0; i < streams.size(); ++i) {
    Ref<Stream> stream(streams[i]); // the list may change while callbacks run
    stream->retire(lock);
  }
  pumpReady();
}

/// Returns `begin`, and the streams for which these wait, directly or not. Streams may wait for
/// each other in a cycle.
static std::vector<Stream *> alongPoints(std::span<Stream *const> begin) {
  std::vector<Stream *> found(begin.begin(), begin.end()), list;
  for (size_t at = 0; at < found.size(); ++at) {
    Stream *here = found[at];
    if (std::ranges::find(list, here) != list.end())
      continue;
    list.push_back(here);
    here->findSignalers(found);
  }
  return list;
}

bool Scheduler::isStuck(Stream *stream) {
  return std::ranges::none_of(alongPoints({&stream, 1}),
                              [](const Stream *at) { return at->hasWorkOnDevice(); });
}

Status Scheduler::waitForChange(Lock &lock, const Deadline &deadline,
                                std::chrono::microseconds atMost) {
  if (deadline.passed())
    return Status(StatusCode::DeadlineExceeded, "the work is not done yet");
  uint64_t seen = changes;
  Deadline::Clock::time_point until = Deadline::Clock::now() + atMost;
  changed->wait_until(lock, std::min(until, deadline.at), [&] { return changes != seen; });
  return Status::ok();
}

Status Scheduler::advance(Lock &lock, std::span<Stream *const> wanted, const Deadline &deadline) {
  uint64_t seen = changes;
  for (Stream *stream : alongPoints(wanted))
    stream->allow();
  pumpReady();
  retireAll(lock);
  if (changes != seen)
    return Status::ok();
  // A wait without a deadline may sleep in the driver, if only one event can help.
  std::vector<Event> events;
  for (Stream *stream : alongPoints(wanted))
    if (Event event = stream->nextEvent())
      events.push_back(std::move(event));
  if (events.size() == 1 && deadline.isNever()) {
    const Event &event = events.front();
    lock.unlock();
    // If the wait fails, the status of the event says why. Then this loop must not spin.
    if (!event.wait())
      std::this_thread::sleep_for(100us);
    lock.lock();
    return Status::ok();
  }
  // Otherwise, it asks again and again. Host signals and other threads wake it earlier.
  return waitForChange(lock, deadline, events.empty() ? 10ms : 50us);
}

void Scheduler::afterForkInChild() {
  (void)changed.release(); // threads of the parent wait on it, so it must not be destroyed
  changed = std::make_unique<std::condition_variable>();
}

} // namespace pumice::opencl
