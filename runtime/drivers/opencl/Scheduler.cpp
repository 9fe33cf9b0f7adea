//===- Scheduler.cpp - the streams of a device, and who waits for them ------===//
#include "runtime/drivers/opencl/Scheduler.h"

#include "runtime/drivers/opencl/Stream.h"

#include <thread>

namespace pumice::opencl_driver {

using namespace std::chrono_literals;

void Scheduler::remove(Stream *stream) {
  std::erase(streams, stream);
  std::erase(ready, stream);
}

void Scheduler::pumpAll() {
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

void Scheduler::retireAll(Lock &lock) {
  for (size_t i = 0; i < streams.size(); ++i) {
    Ref<Stream> stream(streams[i]); // the list may change while callbacks run
    stream->retire(lock);
  }
  pumpReady();
}

static Stream &ours(hal::HostStream &stream) { return static_cast<Stream &>(stream); }

/// Calls `act` for the streams, and for those for which they wait.
template <typename Act>
static void forAllAlongPoints(std::span<hal::HostStream *const> begin, Act act) {
  hal::findAlongPoints(begin, [&](hal::HostStream &at) {
    act(ours(at));
    return false;
  });
}

bool Scheduler::isStuck(Stream *stream) {
  hal::HostStream *begin = stream;
  return !hal::findAlongPoints({&begin, 1},
                               [](hal::HostStream &at) { return ours(at).hasWorkOnDevice(); });
}

Status Scheduler::advance(Lock &lock, std::span<hal::HostStream *const> wanted,
                          const hal::Deadline &deadline) {
  uint32_t seen = changes.load(std::memory_order_relaxed);
  forAllAlongPoints(wanted, [](Stream &at) { at.allow(); });
  pumpReady();
  retireAll(lock);
  if (changes.load(std::memory_order_relaxed) != seen)
    return Status::ok();
  // A wait without a deadline may sleep in the driver, if only one event can help.
  std::vector<Event> events;
  forAllAlongPoints(wanted, [&](Stream &at) {
    if (Event event = at.nextEvent())
      events.push_back(std::move(event));
  });
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
  PUMICE_RETURN_IF_ERROR(deadline.check());
  sleepUntilChange(lock, deadline.within(events.empty() ? 10ms : 50us));
  return Status::ok();
}

} // namespace pumice::opencl_driver
